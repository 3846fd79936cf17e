/** Copies, and migrations of managed memory, which no call and no stream makes. */
import type { Nanoseconds } from '../../base/units.ts';
import { formatAddress, formatBytes, formatNumber, formatThroughput } from '../format.ts';
import {
  contextIdOf,
  copyKinds,
  copyName,
  globalId,
  isMigration,
  memoryKindName,
  memoryKinds,
  migrationCauseName,
  migrationCauses,
  migrationKinds,
  none,
  peerCopyKind,
} from '../nsight-codes.ts';
import { flavours } from '../timeline.ts';
import { computed, integer, integerOrNull, type CellsOf } from '../typed-columns.ts';
import { field, place, queueTime, timing } from './detail-fields.ts';
import {
  chromeExport,
  eventKind,
  keyOfRow,
  store,
  workColumns,
  type Description,
  type EventCells,
  type EventColour,
  type EventContext,
  type PictureColour,
  type RowOfKind,
  type WorkCells,
} from './kind.ts';
import { rowKeys } from './row-keys.ts';
import {
  chromeArguments,
  chromeGraph,
  placeCells,
  placeColumns,
  rowOfWork,
  streamPlace,
  type DeviceWork,
} from './work.ts';

/** Host memory: `cudaMallocHost`, `cudaHostAlloc` and `cudaHostRegister` give pinned memory, all else is pageable. */
export type HostMemoryKind = 'pageable' | 'pinned';

export type CopyDirection = 'host-to-device' | 'device-to-host' | 'device-to-device' | 'host-to-host';

export interface CopyEvent extends DeviceWork {
  type: 'copy';
  direction: CopyDirection;
  hostMemory: HostMemoryKind;
  bytes: number;
  /** Between two GPUs: their ordinals. */
  peer?: { from: number; to: number };
  /** Copy engine that did it, from 0; null when the SMs or the host did (device-to-device, host-to-host). */
  engine: number | null;
}

/** The cause of a migration, as CUPTI names them: a prefetch by the program is the user's. */
export type MigrationCause = 'user' | 'coherence' | 'eviction';

/** Managed memory went from one side to the other, because it was accessed there or by request. */
export interface MigrationEvent {
  type: 'migration';
  start: Nanoseconds;
  end: Nanoseconds;
  deviceId: number;
  direction: 'host-to-device' | 'device-to-host' | 'device-to-device';
  /** Device-to-device: the GPUs. */
  peer?: { from: number; to: number };
  address: number;
  bytes: number;
  cause: MigrationCause;
}

const row: RowOfKind = {
  ...{ of: 'device', key: 'migrations', title: 'Unified memory', track: 'unified-memory', place: 1 },
};

/** Hues by direction: green to the device, rose from it, as Nsight Systems taught people. */
const looks: Record<Exclude<(typeof flavours)[number], 'timed-only'>, { hue: number; picture: PictureColour }> = {
  none: { hue: 110, picture: ['within', 'copy'] },
  'host-to-device': { hue: 150, picture: ['todevice', 'copy to the device'] },
  'device-to-host': { hue: 5, picture: ['tohost', 'copy to the host'] },
  'device-to-device': { hue: 125, picture: ['within', 'copy within devices'] },
  'host-to-host': { hue: 110, picture: ['within', 'copy within the host'] },
  failed: { hue: 27, picture: ['failed', 'failed'] },
};
const lookOf = (flavour: number): (typeof looks)['none'] => {
  const name = flavours[flavour] ?? 'none';
  return looks[name === 'timed-only' ? 'none' : name];
};
const colour = (flavour: number): EventColour => ({ tone: 'copy', hue: lookOf(flavour).hue });

const fullNameOf = (copyKind: number): string => `[CUDA memcpy ${copyName(copyKind).label}]`;

const columns = { ...workColumns, copyKind: integer, srcKind: integerOrNull, dstKind: integerOrNull } as const;

const detailColumns = {
  bytes: integer,
  srcDeviceId: integerOrNull,
  dstDeviceId: integerOrNull,
  graphNodeId: integerOrNull,
  migrationCause: integerOrNull,
  engine: computed(integerOrNull, '(SELECT engine FROM SIMSIGHT_COPY_ENGINES WHERE memcpy = t.rowid)'),
} as const;
const addressColumn = { virtualAddress: integer } as const;
type CopyCells = EventCells & WorkCells & CellsOf<typeof columns> & CellsOf<typeof detailColumns>;

/** Device, of copies between two. */
const onDevice = (device: number | null): string => (device === null ? '' : ` ${device}`);

function describeCopy(event: CopyCells, context: EventContext): Description {
  const { bytes } = event;
  const fields = [
    field('Bytes', `${formatBytes(bytes)}${bytes >= 1024 ? ` (${formatNumber(bytes)} B)` : ''}`),
    field('Throughput', formatThroughput(bytes, event.end - event.start)),
    field('Source Memory', memoryKindName(event.srcKind) + onDevice(event.srcDeviceId)),
    field('Destination Memory', memoryKindName(event.dstKind) + onDevice(event.dstDeviceId)),
    field('Done by', event.engine === null ? 'no copy engine' : `copy engine ${event.engine}`),
  ];
  return {
    title: `Memcpy ${copyName(event.copyKind).short}`,
    fullName: fullNameOf(event.copyKind),
    groups: [timing(event, queueTime(context, event)), { title: 'Memory', fields }, place(context, event)],
  };
}

function describeMigration(event: CopyCells & { virtualAddress: number }, context: EventContext): Description {
  const fields = [
    field('Bytes', formatBytes(event.bytes)),
    field('Throughput', formatThroughput(event.bytes, event.end - event.start)),
    field('Cause', migrationCauseName(event.migrationCause ?? 0)),
    field('Address', formatAddress(event.virtualAddress)),
  ];
  const { deviceId, contextId, graphNodeId } = event;
  return {
    title: copyName(event.copyKind).short,
    fullName: fullNameOf(event.copyKind),
    groups: [
      timing(event),
      { title: 'Memory', fields },
      place(context, { deviceId, contextId, graphNodeId, streamId: none }),
    ],
  };
}

const shapeColumns = [
  ...placeColumns,
  ...['bytes', 'copyKind', 'srcKind', 'dstKind', 'srcDeviceId', 'srcContextId', 'dstDeviceId', 'dstContextId'],
  ...['copyCount', 'graphNodeId', 'migrationCause', 'virtualAddress', 'engine'],
];

/** Devices and contexts of both sides of a copy between two GPUs. */
const peerCells = (peer: { from: number; to: number } | undefined): (number | null)[] =>
  peer ? [peer.from, contextIdOf(peer.from), peer.to, contextIdOf(peer.to)] : [null, null, null, null];

const copies = store<CopyEvent>('copy', (recording) => {
  const table = recording.events('CUPTI_ACTIVITY_KIND_MEMCPY', shapeColumns);
  return (event) => {
    const { direction, peer } = event;
    const host = memoryKinds[event.hostMemory];
    const source = direction.startsWith('host') ? host : memoryKinds.device;
    const target = direction.endsWith('host') ? host : memoryKinds.device;
    const shape = table.shape([
      ...placeCells(event),
      ...[event.bytes, peer ? peerCopyKind : copyKinds[direction], source, target],
      ...peerCells(peer),
      ...[1, event.graphNodeId ?? null, null, null, event.engine],
    ]);
    table.add(event.start, event.end, event.correlationId, shape);
  };
});

const migrations = store<MigrationEvent>('migration', (recording) => {
  const table = recording.events('CUPTI_ACTIVITY_KIND_MEMCPY', shapeColumns);
  const { managed } = memoryKinds;
  return ({ start, end, deviceId, direction, peer, bytes, address, cause }) => {
    const shape = table.shape([
      ...[deviceId, contextIdOf(deviceId), none, globalId()],
      ...[bytes, migrationKinds[direction], managed, managed],
      ...peerCells(peer),
      ...[1, null, migrationCauses[cause], address, null],
    ]);
    table.add(start, end, null, shape);
  };
});

export const memcpy = eventKind({
  title: 'Memcpy',
  section: 'memory',
  colour: (_, flavour) => colour(flavour),
  picture: (_, flavour) => lookOf(flavour).picture,
  table: {
    name: 'CUPTI_ACTIVITY_KIND_MEMCPY',
    ...{ stored: 'MEMCPY', owner: 'globalPid', isCorrelated: true },
    exported: `start!, end!, deviceId!, contextId!, greenContextId, streamId!, correlationId, globalPid, bytes!,
      copyKind!, deprecatedSrcId, srcKind, dstKind, srcDeviceId, srcContextId, dstDeviceId, dstContextId,
      migrationCause, graphNodeId, virtualAddress, copyCount`,
  },
  work: 'copies',
  hasBytes: true,
  rows: [row],

  columns,
  rowOf: (event, context) => (isMigration(event.copyKind) ? keyOfRow(row, event.deviceId) : rowOfWork(event, context)),
  load(timeline) {
    const engines = new Map(timeline.query('SELECT memcpy, engine FROM SIMSIGHT_COPY_ENGINES') as [number, number][]);
    return (event) => {
      const { copyKind, deviceId } = event;
      const { short, flavour } = copyName(copyKind);
      const fullName = fullNameOf(copyKind);
      timeline.busy(deviceId, event);
      if (isMigration(copyKind)) {
        timeline.add(keyOfRow(row, deviceId), event, timeline.style(short, fullName, flavour));
        return;
      }
      const memory = memoryKindName(short.startsWith('D') ? event.dstKind : event.srcKind);
      const style = timeline.style(`Memcpy ${short} (${memory})`, fullName, flavour);
      timeline.add(rowOfWork(event, timeline), event, style);
      const engine = engines.get(event.rowid);
      if (engine !== undefined) timeline.add(rowKeys.engine(deviceId, engine), event, style);
    };
  },
  titleOf: ({ copyKind }) => `Memcpy ${copyName(copyKind).short}`,

  details: { ...detailColumns, ...addressColumn },
  describe: (event, context) =>
    isMigration(event.copyKind) ? describeMigration(event, context) : describeCopy(event, context),

  stores: [copies, migrations],
  chrome: chromeExport({
    ...{ place: 1, side: 'device' },
    columns: { ...columns, ...detailColumns },
    open: (rows) => (event) => {
      const { bytes, migrationCause, engine } = event;
      const { short } = copyName(event.copyKind);
      const migrates = isMigration(event.copyKind);
      const memory = `${memoryKindName(event.srcKind)} -> ${memoryKindName(event.dstKind)}`;
      const duration = event.end - event.start;
      rows.move(event.deviceId, `${short} throughput`, event, bytes);
      return {
        row: migrates
          ? rows.gpu('Unified memory', event.deviceId, 0)
          : rows.stream(streamPlace(event), { before: 'Stream' }),
        category: 'gpu_memcpy',
        name: migrates ? short : `Memcpy ${short} (${memory})`,
        arguments: {
          ...chromeArguments(event),
          bytes,
          ...(duration > 0 ? { 'memory bandwidth (GB/s)': bytes / duration } : {}),
          ...(event.srcDeviceId === null ? {} : { fromDevice: event.srcDeviceId, toDevice: event.dstDeviceId }),
          ...(migrationCause === null ? {} : { cause: migrationCauseName(migrationCause) }),
          ...(engine === null ? {} : { 'copy engine': engine }),
          ...chromeGraph(null, event.graphNodeId),
        },
      };
    },
  }),
});
