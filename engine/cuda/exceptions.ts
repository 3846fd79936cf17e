/** C++ exceptions that nobody in the host program catches. The program's own C++ library throws and catches all others. */
import { SimsightError } from '../base/errors.ts';
import type { HostExports } from './host-exports.ts';
import type { HostMemory } from './runtime/host-memory.ts';

/** What ended the program as an error that names type and message; null if it was something else. */
export function uncaughtException(
  error: unknown,
  program: string,
  host: HostExports,
  memory: HostMemory,
): SimsightError | null {
  const tag = host.exceptionTag;
  if (!(error instanceof WebAssembly.Exception) || tag === undefined || !error.is(tag)) return null;
  const text = memory.text(host.describeException(error.getArg(tag, 0) as bigint));
  return new SimsightError(
    'host-program-failed',
    `${program} threw an exception of type ${text}.`,
    'Nothing in the program catches it: debug the host program as you would on a CPU.',
  );
}
