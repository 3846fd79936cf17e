/** Names of the functions that a kernel becomes: the kernel, its second function (see meetings.ts), recursive functions it calls. */
export const kernelSymbol = (name: string): string => `"kernel.${symbolPart(name)}"`;

export const meetingSymbol = (name: string): string => `"meeting.${symbolPart(name)}"`;

export const functionSymbol = (kernel: string, name: string): string =>
  `"function.${symbolPart(kernel)}.${symbolPart(name)}"`;

/** A program's symbols may hold anything (`asm("…")`): ours have letters, digits and the rest by numbers, so they end nothing and are all different. */
const symbolPart = (name: string): string =>
  name.replace(/[^A-Za-z0-9_]/gu, (mark) => `$${mark.codePointAt(0)!.toString(16)}$`);
