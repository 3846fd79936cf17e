/** Check of a lab's results against its `lab.json`. */
import type { LabRun } from '../../engine/cli/lab-runs.ts';
import type { LabFile } from '../../engine/labs/lab-file.ts';

/** Failed expectations of recordings at the usual size: speedups, and findings of the adviser. */
export function failuresOf(file: LabFile, runs: readonly LabRun[], gpu: string): string[] {
  const ms = (id: string): number => runs.find(({ variant }) => variant === id)!.ms;
  const gains = file.expect
    .filter((one) => one.gpu === gpu)
    .flatMap(({ faster, than, atLeast, atMost = Infinity }) => {
      const gain = ms(than) / ms(faster);
      const within = gain >= atLeast && gain <= atMost;
      const wanted = `${atLeast}${atMost === Infinity ? ' at least' : ` to ${atMost}`}`;
      return within ? [] : [`${faster} is ${gain.toFixed(2)} times as fast as ${than} on ${gpu}, and not ${wanted}`];
    });
  return [...gains, ...findingFailuresOf(file, runs)];
}

/** At any size: rules that have to find something in a variant, and those that must not. */
export function findingFailuresOf(file: LabFile, runs: readonly LabRun[]): string[] {
  return runs.flatMap(({ variant, findings }) => {
    const { finds, clean } = file.variants.find(({ id }) => id === variant)!;
    return [
      ...finds.filter((rule) => !findings.includes(rule)).map((rule) => `${rule} finds nothing in ${variant}`),
      ...clean.filter((rule) => findings.includes(rule)).map((rule) => `${rule} finds something in ${variant}`),
    ];
  });
}
