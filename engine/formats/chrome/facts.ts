export type Values = Readonly<Record<string, unknown>>;

/** Facts beside the events, about the recording. */
export class RecordingFacts {
  readonly origin: string;
  /** True for an export of ours. */
  readonly isOurs: boolean;
  /** True for a recording that was made here. */
  readonly isRecorded: boolean;
  readonly title: string;
  readonly program: string;
  /** One sentence about the rank among several. */
  readonly rank: string;
  readonly devices: readonly Values[];
  private readonly isKineto: boolean;
  private readonly baseNs: bigint | null;

  constructor(values: ReadonlyMap<string, string>) {
    const parsed = (key: string): unknown => {
      try {
        return JSON.parse(values.get(key) ?? 'null');
      } catch {
        return null;
      }
    };
    const object = (key: string): Values => {
      const value = parsed(key);
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};
    };
    const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 1000) : '');
    const other = object('otherData');
    const importedFrom = text(other['importedFrom']);
    this.isRecorded = text(other['engineVersion']) !== '' && 'gpuId' in other;
    this.isOurs = this.isRecorded || importedFrom !== '';
    this.isKineto = values.has('schemaVersion') || values.has('deviceProperties');
    const list = parsed('deviceProperties');
    this.devices = Array.isArray(list)
      ? list.filter((each): each is Values => typeof each === 'object' && each !== null)
      : [];
    const base = /^\s*(\d{1,19})\s*$/.exec(values.get('baseTimeNanoseconds') ?? '');
    this.baseNs = base ? BigInt(base[1]!) : null;
    // Others are called by their files: what PyTorch saves has the name that it was first written to, often the same for all.
    this.title = this.isOurs ? text(other['title']) : '';
    this.program = this.isOurs ? text(other['program']) : '';
    const { rank, world_size: size, backend } = object('distributedInfo');
    this.rank =
      typeof rank === 'number'
        ? `Rank ${rank}${typeof size === 'number' ? ` of ${size}` : ''}${text(backend) ? ` (${text(backend)})` : ''}.`
        : '';
    const viztracer = object('viztracer_metadata');
    const chrome = text(object('metadata')['product-version']);
    const schema = values.get('schemaVersion')?.trim().slice(0, 20);
    if (importedFrom) this.origin = `${importedFrom}, exported by Simsight as Chrome JSON`;
    else if (this.isRecorded) this.origin = `Simsight ${text(other['engineVersion'])}, exported as Chrome JSON`;
    else if (this.isKineto) this.origin = `PyTorch's profiler (Kineto, schema ${schema ?? 'unknown'})`;
    else if (values.has('viztracer_metadata')) this.origin = `VizTracer ${text(viztracer['version'])}`.trim();
    else if (chrome) this.origin = chrome;
    else this.origin = 'a program that does not say its name, as Chrome JSON';
  }

  /** The start in nanoseconds since 1970, where the file says it. */
  epochOf(start: bigint): bigint | null {
    if (!this.isKineto) return null;
    // Without a base, times are the clock's own. None is before 2001, or does not fit where it is kept.
    const epoch = (this.baseNs ?? 0n) + start;
    return epoch > 10n ** 18n && epoch < 2n ** 63n ? epoch : null;
  }
}
