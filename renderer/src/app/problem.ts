import { SimsightError } from '../../../engine/base/errors.ts';

/** An error as it is shown: what happened, what to do, where. */
export interface Problem {
  title: string;
  message: string;
  remedy: string;
  /** `app.cu:12:5`, or empty. */
  place: string;
  /** The compiler's output, the message among it: shown in monospace. Mostly empty. */
  details: string;
  cancelled: boolean;
}

export function problemOf(title: string, error: unknown): Problem {
  if (!(error instanceof SimsightError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { title, message, remedy: '', place: '', details: '', cancelled: false };
  }
  const { file, line, column } = error.place;
  return {
    title,
    message: error.message,
    remedy: error.remedy,
    place: [file, line, column].filter((part) => part !== undefined).join(':'),
    details: error.details,
    cancelled: error.code === 'cancelled',
  };
}
