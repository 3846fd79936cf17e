/** `simsight gpus`: what there is to choose from. */
import type { ReportTable } from '../model/tables.ts';
import { formatReport, tableFormats, toText } from '../analysis/formats.ts';
import { gpus as allGpus } from '../gpus/index.ts';
import { choice, exitCodes, parse, print, usageError, type Command } from './command.ts';

const options = { format: { type: 'string', short: 'f', default: 'table' } } as const;

export const gpus: Command = {
  name: 'gpus',
  options,
  values: { format: tableFormats },
  help: 'usage: simsight gpus [--format table|csv|json | --json]\n',
  run(words) {
    const { values, positionals } = parse('gpus', words, options);
    if (positionals.length > 0) throw usageError(`gpus: "${positionals[0]}" is an unexpected argument.`);
    const format = choice('gpus', 'format', values.format, tableFormats);
    print(format === 'table' ? toText(list.columns, list.rows) : formatReport(list, format));
    return exitCodes.ok;
  },
};

const list: ReportTable = {
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
};
