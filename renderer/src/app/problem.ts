import { SimsightError } from '../../../engine/base/errors.ts';

/** An error as it is shown: what happened, what to do, where. */
export interface Problem {
  title: string;
  message: string;
  remedy: string;
  /** `app.cu:12:5`, or empty. */
  place: string;
  /** Several lines of a compiler: shown in monospace. */
  diagnostics: boolean;
  cancelled: boolean;
}

export function problemOf(title: string, error: unknown): Problem {
  if (!(error instanceof SimsightError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { title, message, remedy: '', place: '', diagnostics: false, cancelled: false };
  }
  const { file, line, column } = error.place;
  return {
    title,
    message: error.message,
    remedy: error.remedy,
    place: [file, line, column].filter((part) => part !== undefined).join(':'),
    diagnostics: error.code === 'compile-failed' || error.code === 'unsupported-construct',
    cancelled: error.code === 'cancelled',
  };
}
