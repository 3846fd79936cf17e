/**
 * A batch script as `sbatch` reads it (man sbatch, "DESCRIPTION" and the options): comments that begin with #SBATCH before the first
 * command, one option or more each, as `--name=value`. Only options that our scripts may have; values as the manual has them.
 */
const memory = /^\d+[KMGT]?$/;
const options: Record<string, RegExp> = {
  'job-name': /^[A-Za-z0-9._-]+$/,
  // --array=<indexes>: "0-15%4"; the least is 0, the most one less than MaxArraySize, which is 1001 unless set.
  array: /^\d+-\d+(:\d+)?(%\d+)?$/,
  ntasks: /^[1-9]\d*$/,
  'cpus-per-task': /^[1-9]\d*$/,
  mem: memory,
  // %A: the array's job id, %a: the index. A folder that is not there makes the job fail without a word.
  output: /^[\w./-]*(%[Aajx%][\w./-]*)+$/,
};

export interface BatchScript {
  options: Map<string, string>;
  indexes: number[];
  atOnce: number | null;
}

/** Throws at what sbatch would refuse or ignore. */
export function readBatchScript(text: string): BatchScript {
  const lines = text.split('\n');
  if (!/^#!\/\S+/.test(lines[0]!)) throw new Error('This does not look like a batch script: no #! at the start.');
  const found = new Map<string, string>();
  let isHead = true;
  for (const line of lines.slice(1)) {
    if (line.startsWith('#SBATCH')) {
      if (!isHead) throw new Error(`Ignored, since a command comes before it: ${line}`);
      const [, name, value] = /^#SBATCH --([a-z-]+)=(\S+)$/.exec(line) ?? [];
      if (name === undefined || !options[name]) throw new Error(`No option that is known here: ${line}`);
      if (!options[name].test(value!)) throw new Error(`No value for --${name}: ${value}`);
      if (found.has(name)) throw new Error(`Twice: --${name}`);
      found.set(name, value!);
    } else if (line.trim() !== '' && !line.startsWith('#')) isHead = false;
  }
  const array = found.get('array');
  if (array === undefined) throw new Error('It is no array.');
  const [, first, last, atOnce] = /^(\d+)-(\d+)(?:%(\d+))?$/.exec(array)!;
  if (Number(last) < Number(first) || Number(last) > 1000) throw new Error(`No indexes: ${array}`);
  if (atOnce !== undefined && Number(atOnce) < 1) throw new Error(`None at once: ${array}`);
  return {
    options: found,
    indexes: Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i),
    atOnce: atOnce === undefined ? null : Number(atOnce),
  };
}
