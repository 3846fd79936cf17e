/**
 * The one list of calls between front ends and engine. Channels, preload, server and client are derived from it: to add
 * a call, add it here and implement it in `engine/api/handlers.ts`; nothing else is to be kept in step.
 *
 * `params` is checked on the engine's side before a handler sees it. Results and progress are data of the types named.
 */
import { z } from 'zod';
import { limitIds } from '../base/limits.ts';
import { callOptions, sweepAxisKinds } from '../model/record-options.ts';
import { optionsShape, path, texts } from '../model/record-schema.ts';
import { stateChange } from './kept-state.ts';
import { kernelPairs } from './kernel-pairs.ts';
import { mostNotes, noteSchema } from './note.ts';
import { documentFormats } from '../model/tables.ts';
import { eventKinds } from '../model/event-kinds/index.ts';
import { eventSorts } from '../model/event-queries.ts';
import type { AppInfo, FolderListing, KeptState, RecentTrace, TraceNotes } from './types.ts';
import type { CompareLadder, Comparison, KernelComparison, KernelPair } from '../model/comparison.ts';
import type { EventDetails, EventPage, SearchResult, SearchStep, SelectionSummary } from '../model/event-queries.ts';
import type { EventRef, OpenProgress, TraceInfo, TrackWindow } from '../model/timeline.ts';
import type { Finding } from '../model/findings.ts';
import type { KernelAccesses } from '../model/kernel-accesses.ts';
import type { KernelOccupancy, KernelView, WarpIssues, WarpWindow } from '../model/kernel-view.ts';
import type { RecordProgress, RecordResult } from '../model/recording.ts';
import type { ReportTable, SqlTable, WrittenReport } from '../model/tables.ts';
import type { SweepProgress, SweepView } from '../model/sweep.ts';
import type { WhatIfProgress, WhatIfResult } from '../model/what-if.ts';

/** Carries types only. */
interface Carries<T> {
  readonly carries?: T;
}
const carries = <T>(): Carries<T> => ({});

const traceId = z.int().nonnegative();
const eventRef = z.strictObject({
  kind: z.enum(eventKinds),
  row: z.int().nonnegative(),
});
/** Alignment of compared traces; without pairs those that are remembered. */
const comparing = {
  align: z
    .discriminatedUnion('by', [
      z.strictObject({ by: z.literal('start') }),
      z.strictObject({
        by: z.literal('steps'),
        name: z.string().max(4096).optional(),
        number: z.int().nonnegative().optional(),
      }),
      z.strictObject({
        by: z.literal('range'),
        name: z.string().max(4096),
        number: z.int().nonnegative().optional(),
      }),
      z.strictObject({ by: z.literal('events'), before: eventRef, after: eventRef }),
    ])
    .optional(),
  scaled: z.boolean().optional(),
  threshold: z.number().positive().max(100).optional(),
  pairs: kernelPairs.optional(),
};
const eventFilter = z.strictObject({
  text: z.string().max(1000).optional(),
  tracks: z.array(z.int().nonnegative()).max(2000).optional(),
  fromNs: z.number().optional(),
  toNs: z.number().optional(),
});

export const contract = {
  /** Data of the start screen. */
  'app.info': { params: z.strictObject({}), result: carries<AppInfo>() },
  'app.recent': { params: z.strictObject({}), result: carries<RecentTrace[]>() },
  /** The user's state kept between sessions, after these changes. */
  'app.state': { params: stateChange, result: carries<KeptState>() },
  /** Browser mode's open dialog. Without a path: the granted folders. */
  'files.list': { params: z.strictObject({ path: path.optional() }), result: carries<FolderListing>() },
  /** Compiles, runs and stores; progress while it lasts, cancellable. */
  'record.run': {
    params: z.strictObject(optionsShape(callOptions('recording'))),
    result: carries<RecordResult>(),
    progress: carries<RecordProgress>(),
  },
  /** The same program once as it is and once without each limit; progress while it lasts, cancellable. */
  'record.whatIf': {
    params: z.strictObject({
      ...optionsShape(callOptions('what-if')),
      limits: z.array(z.enum(limitIds)).min(1).optional(),
      fixed: path.optional(),
      keepFolder: path.optional(),
    }),
    result: carries<WhatIfResult>(),
    progress: carries<WhatIfProgress>(),
  },
  /** Opens a trace; files that must be imported first report progress; cancellable. */
  'trace.open': {
    params: z.strictObject({ path }),
    result: carries<TraceInfo>(),
    progress: carries<OpenProgress>(),
  },
  'trace.close': { params: z.strictObject({ traceId }), result: carries<null>() },
  /** Events of some tracks in a time range; `resolutionNs` is the time one pixel stands for. */
  'trace.window': {
    params: z.strictObject({
      traceId,
      tracks: z.array(z.int().nonnegative()).max(2000),
      fromNs: z.number(),
      toNs: z.number(),
      resolutionNs: z.number().nonnegative(),
    }),
    result: carries<TrackWindow[]>(),
  },
  /** Warps of a kernel's simulated SM between two cycles; null if the trace lacks them. */
  'trace.warps': {
    params: z.strictObject({
      traceId,
      kernel: z.int().nonnegative(),
      subPartitions: z.array(z.int().nonnegative().max(63)).max(64),
      fromCycle: z.number().nonnegative(),
      toCycle: z.number(),
      resolution: z.int().nonnegative(),
    }),
    result: carries<WarpWindow[] | null>(),
  },
  /** Everything about one kernel. */
  'trace.kernel': {
    params: z.strictObject({ traceId, kernel: z.int().nonnegative() }),
    result: carries<KernelView>(),
  },
  /** Instructions that the warps of a sub-partition issued between two cycles; null where the trace does not say. */
  'trace.warpIssues': {
    params: z.strictObject({
      traceId,
      kernel: z.int().nonnegative(),
      subPartition: z.int().nonnegative().max(63),
      fromCycle: z.number().nonnegative(),
      toCycle: z.number(),
    }),
    result: carries<WarpIssues | null>(),
  },
  /** Addresses that lanes of a kernel accessed; with `layout`, as if shared memory were laid out like that. */
  'trace.accesses': {
    params: z.strictObject({
      traceId,
      kernel: z.int().nonnegative(),
      layout: z
        .strictObject({
          array: z.int().nonnegative(),
          rowBytes: z.int().min(4).max(1e6),
          kind: z.enum(['pad', 'xor']),
          bytes: z.int().min(1).max(1e6),
        })
        .optional(),
    }),
    result: carries<KernelAccesses>(),
  },
  /** Occupancy of that kernel's GPU with other block sizes; null for an unknown GPU. */
  'trace.occupancy': {
    params: z.strictObject({
      traceId,
      kernel: z.int().nonnegative(),
      block: z.strictObject({
        threadsPerBlock: z.int().positive().max(1e6),
        registersPerThread: z.int().nonnegative().max(1e6),
        sharedBytesPerBlock: z.int().nonnegative().max(1e9),
      }),
    }),
    result: carries<KernelOccupancy | null>(),
  },
  'trace.event': { params: z.strictObject({ traceId, ref: eventRef }), result: carries<EventDetails>() },
  /** Number and positions of the events in which a name occurs, and the first `limit` of them. */
  'trace.search': {
    params: z.strictObject({ traceId, filter: eventFilter, limit: z.int().nonnegative().max(10_000) }),
    result: carries<SearchResult>(),
  },
  /** The hit after or before a time or an event; null where there is none. */
  'trace.nextHit': {
    params: z.strictObject({
      traceId,
      filter: eventFilter,
      from: z.strictObject({ timeNs: z.number(), ref: eventRef.optional() }),
      direction: z.enum(['next', 'previous']),
    }),
    result: carries<SearchStep | null>(),
  },
  /** Totals of the events of a selection. */
  'trace.summary': {
    params: z.strictObject({ traceId, filter: eventFilter }),
    result: carries<SelectionSummary>(),
  },
  /** A page of a table of events. */
  'trace.rows': {
    params: z.strictObject({
      traceId,
      filter: eventFilter,
      sort: z.enum(eventSorts),
      descending: z.boolean(),
      offset: z.int().nonnegative(),
      limit: z.int().nonnegative().max(10_000),
    }),
    result: carries<EventPage>(),
  },
  /** Index of an event in that table, from 0; null where it is not in it. */
  'trace.rowOf': {
    params: z.strictObject({
      traceId,
      filter: eventFilter,
      sort: z.enum(eventSorts),
      descending: z.boolean(),
      ref: eventRef,
    }),
    result: carries<number | null>(),
  },
  /** Users' notes on a trace, and where they are stored. */
  'trace.notes': { params: z.strictObject({ traceId }), result: carries<TraceNotes>() },
  /** Puts these in the place of all notes. */
  'trace.setNotes': {
    params: z.strictObject({ traceId, notes: z.array(noteSchema).max(mostNotes) }),
    result: carries<TraceNotes>(),
  },
  'trace.console': {
    params: z.strictObject({ traceId }),
    result: carries<{ timeNs: number; stream: 'stdout' | 'stderr'; text: string }[]>(),
  },
  /** A report as `nsys stats` names it: `cuda_gpu_kern_sum`, `cuda_api_sum`, `cuda_gpu_trace` … */
  'trace.report': {
    params: z.strictObject({ traceId, report: z.string().max(64) }),
    result: carries<ReportTable>(),
  },
  /** A report of the whole recording to send around, compared with another trace that is open. */
  'trace.document': {
    params: z.strictObject({ traceId, format: z.enum(documentFormats), before: traceId.optional() }),
    result: carries<WrittenReport>(),
  },
  /** A lab's page of explanation, Markdown. */
  'lab.page': { params: z.strictObject({ lab: z.string().max(100) }), result: carries<string>() },
  /** Findings of the adviser, in the order in which to look. */
  'trace.advice': { params: z.strictObject({ traceId }), result: carries<Finding[]>() },
  /** One reading SQL statement: SELECT, WITH, EXPLAIN or PRAGMA table_info. Cancellable. */
  'trace.sql': {
    params: z.strictObject({
      traceId,
      text: z.string().max(100_000),
      limit: z.int().nonnegative().max(100_000).default(1000),
      maxSeconds: z.number().positive().max(3600).default(60),
    }),
    result: carries<SqlTable>(),
  },
  /**
   * Records a program with every combination of the axes' values. Without a folder the engine picks one; in the folder of an
   * earlier sweep of the same program, what is done there stays. Progress while it lasts, cancellable: what is done is kept.
   */
  'sweep.run': {
    params: z.strictObject({
      ...optionsShape(callOptions('sweep')),
      axes: z
        .array(z.strictObject({ kind: z.enum(sweepAxisKinds), name: z.string().max(200), values: texts.min(1) }))
        .min(1)
        .max(100),
      metric: z.string().max(4096).optional(),
      /** Files that the program reads: results are not taken for those of other ones. */
      data: texts.optional(),
      folder: path.optional(),
      /** Number of jobs at a time. */
      jobs: z.int().positive().max(256).optional(),
      retryFailed: z.boolean().optional(),
    }),
    result: carries<SweepView>(),
    progress: carries<SweepProgress>(),
  },
  /** A sweep as far as it is done, by its own metric or another. */
  'sweep.read': {
    params: z.strictObject({ folder: path, metric: z.string().max(4096).optional() }),
    result: carries<SweepView>(),
  },
  'compare.run': {
    params: z.strictObject({ before: traceId, after: traceId, ...comparing }),
    result: carries<Comparison>(),
  },
  /** Several in a row, each against the one before it and against the first. */
  'compare.ladder': {
    params: z.strictObject({ traces: z.array(traceId).min(2).max(20), ...comparing }),
    result: carries<CompareLadder>(),
  },
  /** Two launches beside each other, by their rows: counters, stalls, roofline, lines. */
  'compare.kernel': {
    params: z.strictObject({
      before: traceId,
      after: traceId,
      beforeKernel: z.int().nonnegative(),
      afterKernel: z.int().nonnegative(),
    }),
    result: carries<KernelComparison>(),
  },
  /** The launch of the other trace that did what this one of `side` did; null where there is none. */
  'compare.counterpart': {
    params: z.strictObject({
      before: traceId,
      after: traceId,
      side: z.enum(['before', 'after']),
      kernel: z.int().nonnegative(),
      pairs: kernelPairs.optional(),
    }),
    result: carries<EventRef | null>(),
  },
  /** A comparison to send around. */
  'compare.document': {
    params: z.strictObject({ before: traceId, after: traceId, format: z.enum(documentFormats), ...comparing }),
    result: carries<WrittenReport>(),
  },
  /** Kernels that are the same although they are called otherwise; with `pairs` these take the place of all. */
  'compare.pairs': {
    params: z.strictObject({ pairs: kernelPairs.optional() }),
    result: carries<KernelPair[]>(),
  },
} as const;

export type Contract = typeof contract;
export type Method = keyof Contract;
export type Params<M extends Method> = z.input<Contract[M]['params']>;
export type Result<M extends Method> = Contract[M]['result'] extends Carries<infer R> ? R : never;
export type Progress<M extends Method> = Contract[M] extends { progress: Carries<infer P> } ? P : never;

export const methods = Object.keys(contract) as Method[];
