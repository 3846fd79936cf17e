/** NVTX: ranges, marks, names and domains, recorded as Nsight Systems does. They cost nothing in simulated time. */
import { nvtxEventAttributes } from './abi.ts';
import type { Field } from './structs.ts';
import { longestName } from '../../system/program-text.ts';
import type { NvtxEvent } from '../../model/event-kinds/nvtx.ts';
import type { Nanoseconds } from '../../base/units.ts';
import type { CudaContext } from './context.ts';
import { unsigned, type Imported } from './arguments.ts';

type Facts = Pick<NvtxEvent, 'text' | 'color' | 'category' | 'payload'>;

export interface Range extends Facts {
  start: Nanoseconds;
  domainId: number;
}

const payloadKinds = [null, 'uint64', 'int64', 'double', 'uint32', 'int32', 'float'] as const;
const message = { ascii: 1, wide: 2, registered: 3 };

/** One per program. */
class Nvtx {
  private readonly context: CudaContext;
  private readonly started = new Map<bigint, Range>();
  private readonly domains = new Map<string, number>();
  private readonly registered = new Map<number, string>();
  private lastRange = 0n;

  constructor(context: CudaContext) {
    this.context = context;
  }

  plain(text: number): Facts {
    return { text: text === 0 ? '' : this.plainText(text), color: null, category: null, payload: null };
  }

  wide(text: number): Facts {
    return { ...this.plain(0), text: this.wideText(text) };
  }

  /** From `nvtxEventAttributes_t`. */
  attributes(at: number): Facts {
    const { memory } = this.context;
    if (at === 0) return this.plain(0);
    const word = (field: Field<typeof nvtxEventAttributes>) => memory.field(at, nvtxEventAttributes, field);
    const kind = payloadKinds[word('payloadType')] ?? null;
    const category = word('category');
    return {
      text: this.messageAt(word('messageType'), word('message')),
      color: word('colorType') === 1 ? word('color') : null,
      category: category === 0 ? null : category,
      payload: kind && { kind, value: this.payloadAt(kind, at + nvtxEventAttributes.payload) },
    };
  }

  private messageAt(type: number, text: number): string {
    if (type === message.ascii && text !== 0) return this.plainText(text);
    if (type === message.wide) return this.wideText(text);
    return type === message.registered ? (this.registered.get(text) ?? '') : '';
  }

  private payloadAt(kind: NonNullable<NvtxEvent['payload']>['kind'], at: number): number | bigint {
    const { memory } = this.context;
    switch (kind) {
      case 'uint64':
        return memory.u64(at);
      case 'int64':
        return BigInt.asIntN(64, memory.u64(at));
      case 'double':
        return memory.f64(at);
      case 'uint32':
        return memory.u32(at);
      case 'int32':
        return memory.u32(at) | 0;
      case 'float':
        return memory.f32(at);
    }
  }

  wideText(address: number): string {
    let text = '';
    if (address === 0) return text;
    for (let at = address, code; (code = this.context.memory.u32(at)) !== 0 && text.length <= longestName; at += 4)
      text += code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
    return this.context.system.nameOf(text);
  }

  private plainText(address: number): string {
    return this.context.system.nameOf(this.context.memory.text(address));
  }

  push(domainId: number, facts: Facts): number {
    const { ranges } = this.context.thread;
    const open = ranges.get(domainId) ?? [];
    ranges.set(domainId, open);
    open.push({ ...facts, start: this.context.system.now, domainId });
    return open.length - 1;
  }

  /** The level of the range that ended; negative without one. */
  pop(domainId: number): number {
    const open = this.context.thread.ranges.get(domainId) ?? [];
    const range = open.pop();
    if (!range) return -1;
    this.context.system.nvtx({ kind: 'push-pop', ...range, end: this.context.system.now, rangeId: null });
    return open.length;
  }

  start(domainId: number, facts: Facts): bigint {
    this.started.set(++this.lastRange, { ...facts, start: this.context.system.now, domainId });
    return this.lastRange;
  }

  end(id: bigint): void {
    const range = this.started.get(id);
    if (!range) return;
    this.started.delete(id);
    this.context.system.nvtx({ kind: 'start-end', ...range, end: this.context.system.now, rangeId: Number(id) });
  }

  mark(domainId: number, facts: Facts): void {
    this.event('mark', domainId, facts);
  }

  domain(facts: Facts): number {
    const { text } = facts;
    let id = this.domains.get(text);
    if (id === undefined) {
      id = this.domains.size + 1;
      this.domains.set(text, id);
      this.event('domain-create', id, facts);
    }
    return id;
  }

  category(domainId: number, category: number, facts: Facts): void {
    this.event('category', domainId, { ...facts, category });
  }

  register({ text }: Facts): number {
    const handle = this.context.newHandle();
    this.registered.set(handle, text);
    return handle;
  }

  private event(kind: NvtxEvent['kind'], domainId: number, facts: Facts): void {
    this.context.system.nvtx({ kind, ...facts, start: this.context.system.now, end: null, domainId, rangeId: null });
  }
}

/** Imports of the NVTX functions. Handles of domains are their numbers; 0 is the default one. */
export function nvtxImports(context: CudaContext): Record<string, Imported> {
  const nvtx = new Nvtx(context);
  const nothing = () => undefined;
  type Act = (domain: number, facts: Facts) => number | bigint | void;
  /** The four ways to say what: text, wide text, attributes, attributes with a domain. */
  const variants = (name: string, act: Act): Record<string, Imported> => {
    const answer = (result: number | bigint | void) =>
      typeof result === 'object' ? undefined : result || result === 0 || result === 0n ? result : undefined;
    return {
      [`nvtx${name}A`]: (text) => answer(act(0, nvtx.plain(unsigned(text)))),
      [`nvtx${name}W`]: (text) => answer(act(0, nvtx.wide(unsigned(text)))),
      [`nvtx${name}Ex`]: (at) => answer(act(0, nvtx.attributes(unsigned(at)))),
      [`nvtxDomain${name}Ex`]: (domain, at) => answer(act(unsigned(domain), nvtx.attributes(unsigned(at)))),
    };
  };
  /** What gives something a name, of one kind of text. */
  const named = (suffix: string, read: (text: number) => Facts): Record<string, Imported> => ({
    [`nvtxDomainCreate${suffix}`]: (name) => nvtx.domain(read(unsigned(name))),
    [`nvtxDomainRegisterString${suffix}`]: (_domain, text) => nvtx.register(read(unsigned(text))),
    [`nvtxNameCategory${suffix}`]: (category, name) =>
      nvtx.category(0, Number(category), read(unsigned(name))) as undefined,
    [`nvtxDomainNameCategory${suffix}`]: (domain, category, name) =>
      nvtx.category(unsigned(domain), Number(category), read(unsigned(name))) as undefined,
  });
  return {
    ...variants('Mark', (domain, facts) => nvtx.mark(domain, facts)),
    ...variants('RangePush', (domain, facts) => nvtx.push(domain, facts)),
    ...variants('RangeStart', (domain, facts) => nvtx.start(domain, facts)),
    nvtxRangePop: () => nvtx.pop(0),
    nvtxDomainRangePop: (domain) => nvtx.pop(unsigned(domain)),
    nvtxRangeEnd: (id) => nvtx.end(BigInt(id!)) as undefined,
    nvtxDomainRangeEnd: (_domain, id) => nvtx.end(BigInt(id!)) as undefined,
    ...named('A', (text) => nvtx.plain(text)),
    ...named('W', (text) => nvtx.wide(text)),
    nvtxDomainDestroy: nothing,
    // Programs name the thread that runs, whatever number they have for it.
    nvtxNameOsThreadA: (_thread, name) =>
      context.system.nameThread(context.system.nameOf(context.memory.text(unsigned(name)))) as undefined,
    nvtxInitialize: nothing,
    // Names of handles: nothing shows them yet.
    nvtxNameCudaDeviceA: nothing,
    nvtxNameCudaStreamA: nothing,
    nvtxNameCudaEventA: nothing,
  };
}
