/** `simsight gpus` and `simsight labs`: what there is to choose from. */
import type { ReportTable } from '../api/types.ts';
import { formatReport, tableFormats, toText } from '../analysis/formats.ts';
import { gpus as allGpus } from '../gpus/index.ts';
import { labs as allLabs } from '../labs/index.ts';
import { choice, exitCodes, parse, print, usageError, type Command } from './command.ts';

const options = { format: { type: 'string', short: 'f', default: 'table' } } as const;

function listCommand(name: string, summary: string, table: () => ReportTable): Command {
  return {
    name,
    summary,
    options,
    values: { format: tableFormats },
    help: `usage: simsight ${name} [--format table|csv|json | --json]\n`,
    run(words) {
      const { values, positionals } = parse(name, words, options);
      if (positionals.length > 0) throw usageError(`${name}: "${positionals[0]}" is one word too many.`);
      const format = choice(name, 'format', values.format, tableFormats);
      const list = table();
      print(format === 'table' ? toText(list.columns, list.rows) : formatReport(list, format));
      return exitCodes.ok;
    },
  };
}

export const gpus = listCommand('gpus', 'list the GPUs that can be simulated', () => ({
  report: 'gpus',
  title: 'GPUs',
  columns: [
    { name: 'Id', type: 'text' },
    { name: 'Name', type: 'text' },
    { name: 'Architecture', type: 'text' },
    { name: 'Compute Capability', type: 'text' },
    { name: 'SMs', type: 'integer' },
    { name: 'SM Clock (MHz)', type: 'integer' },
    { name: 'Memory (MiB)', type: 'integer' },
    { name: 'Bandwidth (GB/s)', type: 'integer' },
  ],
  rows: allGpus.map(({ id, name, architecture, computeCapability, core, memory }) => [
    ...[id, name, architecture, `${computeCapability.major}.${computeCapability.minor}`],
    ...[core.smCount, core.smClockMhz, Math.round(memory.capacityBytes / 2 ** 20), Math.round(memory.bandwidth / 1e9)],
  ]),
}));

export const labs = listCommand('labs', 'list the examples that come with Simsight', () => ({
  report: 'labs',
  title: 'Labs',
  columns: ['Lab', 'Variant', 'Title', 'Arguments', 'Source'].map((name) => ({ name, type: 'text' })),
  rows: allLabs.flatMap((lab) =>
    lab.variants.map(({ id, title, source, arguments: args }) => [
      ...[lab.id, id, `${lab.title}: ${title}`, args.join(' '), source],
    ]),
  ),
}));
