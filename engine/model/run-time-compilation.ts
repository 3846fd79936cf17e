/** What a program has compiled while it runs (NVRTC), and what it gets. */
export interface RunTimeSource {
  /** As messages have it. */
  name: string;
  text: string;
  /** Sources of headers, by the names that are included. */
  headers: { name: string; text: string }[];
  /** As they are handed to `nvrtcCompileProgram`. */
  options: string[];
  /** Names whose mangled ones are asked for: `kernel<float>`, `&table`. */
  expressions: string[];
}

export interface RunTimeModule {
  result: 'compiled' | 'failed' | 'invalid-option';
  /** What the compiler says. */
  log: string;
  /** A module image (engine/base/module-image.ts); null where nothing came out. */
  image: Uint8Array<ArrayBuffer> | null;
  /** Mangled names of {@link RunTimeSource.expressions}, in their order. */
  names: string[];
}
