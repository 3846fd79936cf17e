/** Work of a trace that came to nothing: kernels that did not come to their end, launches that were refused. */
import type { EventRef, TraceFailure } from '../model/timeline.ts';
import { cutOff } from '../base/harmless.ts';
import type { Trace } from './trace.ts';
import { kindOf } from '../model/event-kinds/index.ts';
import { formatNumber } from '../model/format.ts';

/** Failures in the order of their launches; `most` of them. */
export function readFailures(trace: Pick<Trace, 'query' | 'correlated'>, most: number): TraceFailure[] {
  const rows = trace.query(
    `SELECT f.correlationId, f.kernel, f.errorName, f.message, f.remedy, f.file, f.line, s.value
     FROM SIMSIGHT_FAILURES f LEFT JOIN StringIds s ON s.id = f.nameId ORDER BY f.id LIMIT ?`,
    most,
  );
  return rows.map(([correlationId, kernel, error, message, remedy, file, line, name]) => {
    const { ref, startNs } = placeOf(trace, kernel ?? null, Number(correlationId));
    return {
      name: name === null ? 'copy or fill' : shortNameOf(String(name)),
      error: String(error),
      message: cutOff(String(message), longest),
      remedy: cutOff(String(remedy), longest),
      file: file === null ? null : String(file),
      line: Number.isInteger(line) && Number(line) > 0 ? Number(line) : null,
      ref,
      startNs,
    };
  });
}

/** The kernel, else the call that should have launched it; a file of somebody else may name what it does not have. */
function placeOf(
  trace: Pick<Trace, 'query' | 'correlated'>,
  kernel: string | number | null,
  correlationId: number,
): { ref: EventRef | null; startNs: number } {
  const row = kernel === null ? trace.correlated('api', correlationId)[0] : Number(kernel);
  if (row === undefined) return { ref: null, startNs: 0 };
  const ref: EventRef = { kind: kernel === null ? 'api' : 'kernel', row };
  const [found] = trace.query(`SELECT start FROM ${kindOf[ref.kind].table.name} WHERE rowid = ?`, row);
  return found ? { ref, startNs: Number(found[0]) } : { ref: null, startNs: 0 };
}

/** `fill failed with cudaErrorIllegalAddress at fill.cu:3, and 2 more`, of the first; there is one. */
export function failuresInWords([first, ...others]: readonly TraceFailure[]): string {
  const { name, error, file, line } = first!;
  const what = error === '' ? 'was stopped' : `failed with ${error}`;
  const more = others.length > 0 ? `, and ${formatNumber(others.length)} more` : '';
  return `${name} ${what}${line === null ? '' : ` at ${file}:${line}`}${more}`;
}

/** Most characters of the message of one failure. */
const longest = 2000;

/** `fill` of `void space::fill<int>(int *)`. */
const shortNameOf = (demangled: string): string =>
  /^(?:[\w ]+ )?(?:[\w:]+::)?([\w~]+)\s*(?:<|\(|$)/.exec(demangled)?.[1] ?? demangled;
