/** Message of a failed command on stderr, and its exit code. */
import { reportOf, type ErrorCode } from '../base/errors.ts';
import { harmlessLine } from '../base/harmless.ts';
import { exitCodes } from './command.ts';

const wrongCommandLine: ReadonlySet<ErrorCode> = new Set(['usage', 'unknown-gpu', 'unknown-report']);

function exitCodeOf(code: ErrorCode): number {
  if (code === 'cancelled') return exitCodes.cancelled;
  if (code === 'host-program-failed') return exitCodes.aborted;
  return wrongCommandLine.has(code) ? exitCodes.usage : exitCodes.failed;
}

export function failureOf(error: unknown): { text: string; exitCode: number } {
  const { code, message, remedy, place, details } = reportOf(error);
  // A file name must not pass for a line of Simsight; internal errors are shown verbatim.
  const sentence = (text: string): string => (code === 'internal' ? text : harmlessLine(text));
  const where = code !== 'compile-failed' && place.line ? `${place.file}:${place.line}:${place.column ?? 1}: ` : '';
  const lines = [
    details?.trimEnd(),
    `simsight: ${sentence(`${where && !message.startsWith(where) ? where : ''}${message}`)}`,
    sentence(remedy),
    code === 'internal' && error instanceof Error && process.env['SIMSIGHT_DEBUG'] ? error.stack : '',
  ];
  return { text: lines.map((line) => (line ? `${line}\n` : '')).join(''), exitCode: exitCodeOf(code) };
}
