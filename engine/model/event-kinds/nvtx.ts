/** Ranges and marks that the program set with NVTX. */
import type { Nanoseconds } from '../../base/units.ts';
import { nvtxShown, nvtxStyle, nvtxText, nvtxTypes, tidOf } from '../nsight-codes.ts';
import { computed, integer, integerOrNull, textOrNull } from '../typed-columns.ts';
import { field, timing } from './detail-fields.ts';
import { chromeExport, eventKind, keyOfRow, store, type RowOfKind, type StoredCell } from './kind.ts';

export interface NvtxEvent {
  type: 'nvtx';
  /** `start-end` ranges may overlap; `push-pop` ranges nest. */
  kind: 'mark' | 'push-pop' | 'start-end' | 'domain-create' | 'category';
  start: Nanoseconds;
  /** null for what has no end. */
  end: Nanoseconds | null;
  text: string;
  threadId: number;
  /** null where the program gave none. */
  color: number | null;
  category: number | null;
  /** 0: the default domain. */
  domainId: number;
  rangeId: number | null;
  payload: { kind: 'uint64' | 'int64' | 'double' | 'uint32' | 'int32' | 'float'; value: number | bigint } | null;
}

export const nvtxRow: RowOfKind = {
  ...{ of: 'thread', key: 'nvtx', title: 'NVTX', titleOfThreads: 'Ranges', track: 'thread', place: 0 },
};

/** Characters of a text in Chrome's format, which has it with each event. */
const longestName = 16_384;

/** The name of an event's domain, of the few shapes, not of all events. */
const domainName = `(SELECT ${nvtxText} FROM SIMSIGHT_SHAPES_NVTX d
  WHERE d.eventType = ${nvtxTypes['domain-create']} AND d.domainId = t.domainId)`;

const payloadKinds = ['uint64', 'int64', 'double', 'uint32', 'int32', 'float'] as const;

function payloadCells(payload: NvtxEvent['payload']): StoredCell[] {
  return payloadKinds.map((kind) => {
    if (payload?.kind !== kind) return null;
    // SQLite's integers have a sign.
    return typeof payload.value === 'bigint' ? Number(BigInt.asIntN(64, payload.value)) : payload.value;
  });
}

export const nvtx = eventKind({
  title: 'NVTX',
  section: 'others',
  colour: () => ({ tone: 'quiet', hue: 'label', chroma: 0.06 }),
  picture: () => ['range', 'range'],
  table: {
    name: 'NVTX_EVENTS',
    ...{ stored: 'NVTX', owner: 'globalTid', isCorrelated: false },
    where: `t.eventType IN (${nvtxShown.join(', ')})`,
    end: 'coalesce(t.end, t.start)',
    exported: `start!, end, eventType!, rangeId, category, color, text TEXT, globalTid, endGlobalTid, textId, domainId,
      uint64Value, int64Value, doubleValue REAL, uint32Value, int32Value, floatValue REAL, jsonTextId, jsonText
      TEXT, binaryData TEXT`,
  },
  rows: [nvtxRow],

  columns: { globalTid: integerOrNull, text: textOrNull, textId: integerOrNull },
  rowOf: ({ globalTid }) => keyOfRow(nvtxRow, globalTid || 0),
  load(timeline) {
    const shared = timeline.namedStyles((name) => name);
    const own = new Map<string, number>();
    const styleOf = (text: string): number => {
      let style = own.get(text);
      if (style === undefined) own.set(text, (style = timeline.style(text)));
      return style;
    };
    return (event) => {
      const { text, textId } = event;
      const style = text === null && textId !== null ? shared(textId) : styleOf(text ?? '');
      timeline.add(keyOfRow(nvtxRow, event.globalTid || 0), event, style);
    };
  },
  titleOf: ({ text }) => text ?? '',

  details: {
    eventType: integer,
    domainId: integer,
    domain: computed(textOrNull, domainName),
    shownText: computed(textOrNull, nvtxText),
  },
  describe(event, { areThreads }) {
    const text = event.shownText ?? '';
    const thread = field('Thread', tidOf(event.globalTid ?? 0));
    const domain = event.domain ?? event.domainId;
    const fields = areThreads
      ? [...(event.domain === null ? [] : [field('Category', domain)]), thread]
      : [field('Style', nvtxStyle(event.eventType)), field('Domain', domain), thread];
    const title = areThreads ? 'Range' : 'NVTX';
    return { title: text, fullName: text, groups: [timing(event), { title, fields }] };
  },

  stores: [
    store<NvtxEvent>('nvtx', (recording) => {
      const ranges = recording.events('NVTX_EVENTS', [
        ...['eventType', 'rangeId', 'category', 'color', 'text', 'globalTid', 'domainId'],
        ...payloadKinds.map((kind) => `${kind}Value`),
      ]);
      return ({ kind, start, end, text, threadId, color, category, domainId, rangeId, payload }) => {
        const shape = ranges.shape([
          ...[nvtxTypes[kind], rangeId, category, color, text, recording.thread(threadId), domainId],
          ...payloadCells(payload),
        ]);
        ranges.add(start, end, null, shape);
      };
    }),
  ],
  chrome: chromeExport({
    ...{ place: 1, side: 'host' },
    columns: {
      globalTid: integerOrNull,
      text: textOrNull,
      textId: integerOrNull,
      eventType: integer,
      domainId: integerOrNull,
    },
    open(rows) {
      const made = `SELECT domainId, ${nvtxText} FROM NVTX_EVENTS WHERE eventType = ${nvtxTypes['domain-create']}`;
      const domains = new Map([...rows.query(made)].map(([id, name]) => [id ?? null, name ?? null]));
      // As Kineto has them: what was recorded with a category keeps it, and ranges of NVTX are annotations.
      const categoryOf = (domain: unknown): string =>
        rows.areThreads && typeof domain === 'string' && domain !== '' ? domain : 'user_annotation';
      return ({ globalTid, text, textId, eventType, domainId }) => {
        const domain = domains.get(domainId);
        return {
          row: rows.thread('NVTX', globalTid ?? 0, 0),
          category: categoryOf(domain),
          name: (text ?? (textId === null ? '' : rows.name(textId, ''))).slice(0, longestName),
          arguments: { style: nvtxStyle(eventType), ...(domains.has(domainId) ? { domain } : {}) },
        };
      };
    },
  }),
});
