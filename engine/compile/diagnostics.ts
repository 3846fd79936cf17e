/**
 * Clang's messages as data. Its text is read rather than a machine format, because the text with source line and caret
 * is wanted as well, and both then always agree.
 */
import { SimsightError, type ErrorPlace } from '../base/errors.ts';
import { missingFeature, missingHeader } from './refusals.ts';
import type { Diagnostic } from './types.ts';

/** A compilation that failed because of the program: the first error is the message, all of them are attached. */
export class CompileError extends SimsightError {
  readonly diagnostics: Diagnostic[];

  /** `text`: as Clang prints them, with source lines and carets. */
  constructor(message: string, remedy: string, place: ErrorPlace, diagnostics: Diagnostic[], text: string) {
    super('compile-failed', message, remedy, place, text);
    this.diagnostics = diagnostics;
  }
}

const header = /^(?:(.+?):(\d+):(\d+): )?(fatal error|error|warning|note|remark): (.*)$/;
const includedFrom = /^(In file included from |\s+from )(.+?)(:\d+[:,].*)$/;
/** `2 errors generated when compiling for sm_80.` */
const summary = /^\d+ (?:errors?|warnings?)(?: and \d+ errors?)? generated.*\.$/;

export interface ParsedMessages {
  diagnostics: Diagnostic[];
  text: string;
}

/**
 * Reads what Clang printed in one or several passes over the same source; what two passes both say is kept once.
 * `display` gives the name under which a file is shown.
 */
export function parseMessages(messages: string[], display: (path: string) => string): ParsedMessages {
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  let text = '';
  for (const pass of messages) {
    let pending: string[] = [];
    /** The error or warning that notes belong to. */
    let parent = '';
    /** True while the lines that follow (source line, caret) belong to a diagnostic already shown. */
    let repeated = false;
    for (const line of pass.split('\n')) {
      if (summary.test(line)) continue;
      const from = includedFrom.exec(line);
      if (from) {
        pending.push(`${from[1]}${display(from[2]!)}${from[3]}`);
        continue;
      }
      const found = header.exec(line);
      if (!found) {
        if (!repeated && line !== '') text += `${line}\n`;
        continue;
      }
      const [, path, lineNumber, column, severity, message] = found;
      const file = path === undefined ? '' : display(path);
      const place = path === undefined ? '' : `${file}:${lineNumber}:${column}: `;
      const shown = `${place}${severity}: ${message}`;
      if (severity !== 'note') parent = shown;
      const identity = severity === 'note' ? `${parent}\n${shown}` : shown;
      repeated = seen.has(identity);
      if (!repeated) {
        seen.add(identity);
        diagnostics.push({
          severity: severity === 'fatal error' ? 'error' : (severity as Diagnostic['severity']),
          file,
          line: Number(lineNumber ?? 0),
          column: Number(column ?? 0),
          text: message!,
        });
        text += [...pending, shown, ''].join('\n');
      }
      pending = [];
    }
  }
  return { diagnostics, text };
}

/**
 * The error that reaches people, from all that was said about a program that does not compile. `refused` says of a file that was not
 * found, and who asked for it, why it may not be read; null where that is not so.
 */
export function compileError(
  parsed: ParsedMessages,
  fileOf: (shown: string) => string,
  refused: (asked: string, from: string) => { reason: string; remedy: string } | null = () => null,
): CompileError {
  const first = parsed.diagnostics.find(({ severity }) => severity === 'error');
  if (!first)
    return new CompileError('The compiler failed without a message.', '', {}, parsed.diagnostics, parsed.text);
  const place: ErrorPlace = first.file ? { file: fileOf(first.file), line: first.line, column: first.column } : {};
  const where = first.file ? `${first.file}:${first.line}:${first.column}: ` : '';
  const asked = /^'([^']+)' file not found/.exec(first.text)?.[1];
  const refusal = asked === undefined ? null : refused(asked, first.file);
  if (refusal !== null) {
    const message = `${where}error: '${asked}' file not found: ${refusal.reason}`;
    return new CompileError(message, refusal.remedy, place, parsed.diagnostics, parsed.text);
  }
  const missing = asked === undefined ? missingFeature(first.text) : missingHeader(asked);
  if (missing !== null) {
    const message = `${where}error: ${first.text}: ${missing.reason}.`;
    return new CompileError(message, missing.remedy, place, parsed.diagnostics, parsed.text);
  }
  const remedy =
    asked === undefined ? 'Correct the source and compile again.' : 'Add the folder of the header with -I.';
  return new CompileError(`${where}error: ${first.text}`, remedy, place, parsed.diagnostics, parsed.text);
}
