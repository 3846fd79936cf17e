/** The labs that ship with the app: examples with variants from before to after. */
export interface Lab {
  id: string;
  title: string;
  /** The topic it is an example of, in words. */
  group: string;
  /** One or two sentences: what it shows and what to look at. */
  summary: string;
  /** Number of identical GPUs in its machine. */
  gpus: number;
  /** From before to after. */
  variants: LabVariant[];
}

export interface LabVariant {
  id: string;
  title: string;
  /** The `.cu` file. */
  source: string;
  defines: string[];
  arguments: string[];
}
