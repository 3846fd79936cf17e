/** The engine's answer to each call of the contract. */
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { advise } from '../analysis/adviser/index.ts';
import { compareTraces, type CompareOptions } from '../analysis/compare/index.ts';
import { counterpart } from '../analysis/compare/kernel-pairs.ts';
import { compareKernels } from '../analysis/compare/kernels.ts';
import { compareLadder } from '../analysis/compare/ladder.ts';
import { kernelAccesses } from '../analysis/kernel-accesses.ts';
import { kernelView, occupancyFor } from '../analysis/kernel-view.ts';
import { writeComparison } from '../analysis/report/comparison.ts';
import { writeReport } from '../analysis/report/index.ts';
import { makeReport } from '../analysis/reports.ts';
import { isWhatIfOf } from '../analysis/what-if-results.ts';
import { defaultGpu, gpuById } from '../gpus/index.ts';
import { labById, labPage } from '../labs/index.ts';
import { openRecordingFile } from '../formats/open.ts';
import type { RecordCall } from '../recording/types.ts';
import { whatIf } from '../recording/what-if.ts';
import { openTrace } from '../trace/reader.ts';
import type { EventQueries, Selection } from '../trace/event-queries.ts';
import { usualOptions } from '../sweep/choices.ts';
import { folderNameOf, makeManifest, type SweepRequest } from '../sweep/manifest.ts';
import { prepareSweep, runSweep } from '../sweep/run.ts';
import { readSweep } from '../sweep/view.ts';
import { inProcessRunner } from '../sweep/workers.ts';
import { runSql, type StartSql } from '../trace/sql.ts';
import { AllowedPaths } from './allowed-paths.ts';
import { listFolder, listRoots } from './folder-listing.ts';
import { bothWays, KernelPairsStore } from './kernel-pairs.ts';
import { KeptStateStore } from './kept-state.ts';
import { OpenTraces } from './open-traces.ts';
import { NotesStore } from './trace-notes.ts';
import { RecentTraces } from './recent-traces.ts';
import type { Handlers } from './server.ts';
import { Turns } from '../base/turns.ts';
import type { EventFilter } from '../model/event-queries.ts';
import type { GpuSummary, RecentTrace } from './types.ts';
import type { Lab } from '../model/labs.ts';
import type { RecordResult } from '../model/recording.ts';
import type { WhatIfResult } from '../model/what-if.ts';
import { SimsightError } from '../base/errors.ts';
import { importsFolder, labsFolder } from '../base/paths.ts';

export interface HandlerOptions {
  host: 'electron' | 'browser';
  version: string;
  /** Granted folders; empty: all in a browser, none more in the desktop app. */
  folders: string[];
  /** Holds `recordings/`, `sweeps/`, `cache/`, `notes/`, `recent.json`, `state.json` and `kernel-pairs.json`. */
  dataFolder: string;
  labs: readonly Lab[];
  gpus: GpuSummary[];
  /** Traces named at start; they may be opened wherever they are. */
  open: string[];
  record: (call: RecordCall) => Promise<RecordResult>;
  /** Callback for changes of the list of recent traces. */
  onRecent?: (traces: RecentTrace[]) => void;
  /** Where processes cannot simply be forked: how to start that of a query. */
  startSql?: StartSql;
  /** Paths that may be opened; grants add to them. Absent: {@link pathsAtStart}. */
  paths?: AllowedPaths;
}

/** Limits on what runs at a time, for all front ends together. */
const mostRecordings = 16;
const mostQueries = 8;
/** Results of what-ifs that are kept for reports. */
const mostWhatIfs = 50;

type ProgramPaths = Pick<RecordCall, 'sources' | 'includeFolders' | 'writableFolder'>;

const isLimited = ({ host, folders }: Pick<HandlerOptions, 'host' | 'folders'>): boolean =>
  host === 'electron' || folders.length > 0;

/** Paths that front ends may name before anything is granted. */
export function pathsAtStart(
  options: Pick<HandlerOptions, 'host' | 'folders' | 'open' | 'dataFolder' | 'labs'>,
): AllowedPaths {
  const { folders, open, dataFolder, labs } = options;
  const roots = [...folders, ...open, dataFolder, labsFolder, ...labs.flatMap(sourcesOf)];
  return new AllowedPaths(isLimited(options) ? roots : null);
}

/** State of the engine that all calls share. */
class EngineState {
  readonly options: HandlerOptions;
  readonly limited: boolean;
  readonly paths: AllowedPaths;
  readonly recordingsFolder: string;
  readonly sweepsFolder: string;
  /** Places that calls may name for output. */
  readonly outputs: AllowedPaths;
  readonly queries = new Turns(mostQueries);
  readonly traces = new OpenTraces();
  readonly recent: RecentTraces;
  readonly kept: KeptStateStore;
  readonly pairsStore: KernelPairsStore;
  readonly notes: NotesStore;
  /** What-ifs since the start, the latest first: reports of the same recording include them. */
  readonly whatIfs: WhatIfResult[] = [];
  private readonly recordings = new Turns(mostRecordings);

  constructor(options: HandlerOptions) {
    const { dataFolder } = options;
    this.options = options;
    this.limited = isLimited(options);
    this.paths = options.paths ?? pathsAtStart(options);
    this.recordingsFolder = join(dataFolder, 'recordings');
    this.sweepsFolder = join(dataFolder, 'sweeps');
    this.outputs = new AllowedPaths([this.recordingsFolder, this.sweepsFolder], {
      where: 'below the folders of recordings and sweeps',
      remedy: `Leave out where to write, or name something in ${this.recordingsFolder} or ${this.sweepsFolder}.`,
    });
    this.recent = new RecentTraces(dataFolder);
    this.kept = new KeptStateStore(dataFolder);
    this.pairsStore = new KernelPairsStore(dataFolder);
    this.notes = new NotesStore(dataFolder, (path) => this.paths.allows(path));
  }

  /** A call whose paths have been checked against those that may be opened. */
  readonly withCheckedPaths = <Call extends ProgramPaths>(call: Call): Call => ({
    ...call,
    sources: call.sources.map((source) => this.paths.check(source)),
    includeFolders: call.includeFolders.map((folder) => this.paths.check(folder)),
    ...(call.writableFolder === undefined ? {} : { writableFolder: this.paths.check(call.writableFolder) }),
  });

  /** Options with the pairs of kernels that the user chose, unless the call has its own. */
  readonly withPairs = ({ pairs, ...options }: CompareOptions): CompareOptions => ({
    ...options,
    pairs: pairs ?? bothWays(this.pairsStore.read()),
  });

  /** The events of a trace that a filter selects; a regular expression is matched in a thread of its own first. */
  readonly selected = async (
    traceId: number,
    filter: EventFilter,
    signal: AbortSignal,
  ): Promise<{ queries: EventQueries; selection: Selection }> => {
    const selection = await this.traces.get(traceId).queries.resolve(filter, signal);
    // It may have been closed meanwhile.
    return { queries: this.traces.get(traceId).queries, selection };
  };

  /**
   * Where the paths that may be opened are limited, sources include those, else files of their own folders; programs write nothing
   * that is Simsight's own.
   */
  readonly record: HandlerOptions['record'] = (call) =>
    this.recordings.inTurn(call.signal, () =>
      this.options.record({
        ...{ ...call, dataFolder: this.options.dataFolder },
        ...(this.limited ? { mayRead: (path: string) => this.paths.allows(path) } : { ownFoldersOnly: true }),
      }),
    );
}

export function createHandlers(options: HandlerOptions): Handlers {
  const state = new EngineState(options);
  return {
    ...appHandlers(state),
    ...recordHandlers(state),
    ...viewsHandlers(state),
    ...eventsHandlers(state),
    ...documentsHandlers(state),
    ...sweepHandlers(state),
    ...compareHandlers(state),
  };
}

/** The start screen, preferences, labs and files. */
function appHandlers({ recordingsFolder, limited, paths, recent, kept, options }: EngineState) {
  const { host, version, folders, gpus, open, labs } = options;
  return {
    'app.info': () => ({ version, host, labs: [...labs], gpus, defaultGpu: gpuById(defaultGpu).id, folders, open }),

    'lab.page': ({ lab }) => labPage(labById(lab)),

    'app.recent': () => recent.list().filter(({ path }) => paths.allows(path)),

    'app.state': (change) => (change.preferences || change.view ? kept.change(change) : kept.read()),

    'files.list': ({ path }) => {
      if (path !== undefined) return listFolder(paths.check(path), (entry) => paths.allows(entry));
      return listRoots([...(limited ? folders : [homedir()]), recordingsFolder, labsFolder]);
    },
  } satisfies Partial<Handlers>;
}

/** Recordings and what-ifs. */
function recordHandlers({ recordingsFolder, paths, outputs, whatIfs, record, options, withCheckedPaths }: EngineState) {
  const { dataFolder } = options;
  return {
    'record.run': (call, { signal, progress }) =>
      record({
        ...withCheckedPaths(call),
        ...(call.output === undefined ? {} : { output: outputs.check(call.output) }),
        cacheFolder: join(dataFolder, 'cache'),
        recordingsFolder,
        keepTrace: true,
        keepWhenStopped: true,
        signal,
        onProgress: progress,
      }),

    'record.whatIf': async ({ fixed, ...call }, { signal, progress }) => {
      const file = fixed === undefined ? undefined : paths.check(fixed);
      const trace =
        file === undefined
          ? undefined
          : openTrace(file, await openRecordingFile(file, { cacheFolder: importsFolder(dataFolder), signal }));
      try {
        const result = await whatIf(
          {
            ...withCheckedPaths(call),
            ...(call.keepFolder === undefined ? {} : { keepFolder: outputs.check(call.keepFolder) }),
            cacheFolder: join(dataFolder, 'cache'),
            recordingsFolder,
            signal,
            onProgress: progress,
          },
          { record, keepBaseline: true, ...(trace ? { fixed: trace } : {}) },
        );
        whatIfs.unshift(result);
        whatIfs.splice(mostWhatIfs);
        return result;
      } finally {
        trace?.close();
      }
    },
  } satisfies Partial<Handlers>;
}

/** Opening, and the windows of a trace: rows, warps, kernels. */
function viewsHandlers({ paths, traces, recent, options }: EngineState) {
  const { dataFolder } = options;
  return {
    'trace.open': async ({ path }, { connection, signal, progress }) => {
      const full = paths.check(path);
      const cacheFolder = importsFolder(dataFolder);
      const { traceId, trace } = await traces.open(full, { cacheFolder, signal, onProgress: progress });
      if (connection.aborted) {
        traces.close(traceId);
        throw new SimsightError('cancelled', 'Opening was cancelled.');
      }
      // A page that is reloaded or crashes closes nothing itself.
      connection.addEventListener('abort', () => traces.closeIfOpen(traceId), { once: true });
      recent.add({ path: full, title: trace.info.title, gpu: trace.info.gpu, openedAt: Date.now() });
      options.onRecent?.(recent.list());
      return { ...trace.info, path: full, traceId };
    },

    'trace.close': ({ traceId }) => {
      traces.close(traceId);
      return null;
    },

    'trace.window': ({ traceId, tracks, fromNs, toNs, resolutionNs }) =>
      traces.get(traceId).window(tracks, fromNs, toNs, resolutionNs),

    'trace.warps': ({ traceId, kernel, subPartitions, fromCycle, toCycle, resolution }) =>
      traces.get(traceId).warpWindows(kernel, subPartitions, fromCycle, toCycle, resolution),

    'trace.kernel': ({ traceId, kernel }) => kernelView(traces.get(traceId), kernel),

    'trace.warpIssues': ({ traceId, kernel, subPartition, fromCycle, toCycle }) =>
      traces.get(traceId).warps(kernel)?.issues(subPartition, fromCycle, toCycle) ?? null,

    'trace.accesses': ({ traceId, kernel, layout }) => kernelAccesses(traces.get(traceId), kernel, layout ?? null),

    'trace.occupancy': ({ traceId, kernel, block }) => occupancyFor(traces.get(traceId), kernel, block),
  } satisfies Partial<Handlers>;
}

/** Single events and selections of them. */
function eventsHandlers({ traces, selected }: EngineState) {
  return {
    'trace.event': ({ traceId, ref }) => traces.get(traceId).event(ref),

    'trace.search': async ({ traceId, filter, limit }, { signal }) => {
      const { queries, selection } = await selected(traceId, filter, signal);
      return queries.search(selection, limit);
    },

    'trace.nextHit': async ({ traceId, filter, from, direction }, { signal }) => {
      const { queries, selection } = await selected(traceId, filter, signal);
      return queries.next(selection, from, direction);
    },

    'trace.summary': async ({ traceId, filter }, { signal }) => {
      const { queries, selection } = await selected(traceId, filter, signal);
      return queries.summarize(selection);
    },

    'trace.rows': async ({ traceId, filter, sort, descending, offset, limit }, { signal }) => {
      const { queries, selection } = await selected(traceId, filter, signal);
      return queries.page(selection, sort, descending, offset, limit);
    },

    'trace.rowOf': async ({ traceId, filter, sort, descending, ref }, { signal }) => {
      const { queries, selection } = await selected(traceId, filter, signal);
      return queries.place(selection, sort, descending, ref);
    },
  } satisfies Partial<Handlers>;
}

/** Notes, reports, advice and queries of a trace. */
function documentsHandlers({ queries, traces, whatIfs, notes, options }: EngineState) {
  return {
    'trace.notes': ({ traceId }) => notes.read(traces.pathOf(traceId), traces.get(traceId).info),

    'trace.setNotes': ({ traceId, notes: all }) => {
      const { durationNs, eventCount } = traces.get(traceId).info;
      return notes.write(traces.pathOf(traceId), all, { durationNs, eventCount });
    },

    'trace.console': ({ traceId }) => traces.get(traceId).console(),

    'trace.report': ({ traceId, report }) => makeReport(traces.get(traceId), report),

    'trace.document': ({ traceId, format, before }) => {
      const compared =
        before === undefined ? undefined : { trace: traces.get(before), name: basename(traces.pathOf(before)) };
      const name = basename(traces.pathOf(traceId));
      const trace = traces.get(traceId);
      const found =
        whatIfs.find((each) => isWhatIfOf(each, trace)) ??
        (compared && whatIfs.find((each) => isWhatIfOf(each, compared.trace)));
      return writeReport(trace, format, { name, before: compared, whatIf: found });
    },

    'trace.advice': ({ traceId }) => advise(traces.get(traceId)),

    'trace.sql': ({ traceId, text, limit, maxSeconds }, { signal }) =>
      queries.inTurn(signal, () =>
        runSql({ path: traces.get(traceId).storedAt, text, limit }, { maxSeconds, signal }, options.startSql),
      ),
  } satisfies Partial<Handlers>;
}

/** Sweeps. */
function sweepHandlers({ paths, sweepsFolder, outputs, record, options }: EngineState) {
  const { dataFolder } = options;
  return {
    'sweep.run': async (call, { signal, progress }) => {
      const { folder: named, jobs, retryFailed, ...asked } = call;
      const request: SweepRequest = {
        ...usualOptions,
        metric: 'kernels',
        ...asked,
        sources: call.sources.map((source) => paths.check(source)),
        includeFolders: call.includeFolders.map((folder) => paths.check(folder)),
        data: (call.data ?? []).map((file) => paths.check(file)),
      };
      const folder = outputs.check(named ?? join(sweepsFolder, folderNameOf(makeManifest('.', request))));
      prepareSweep(folder, request);
      const { lost } = await runSweep({
        folder,
        runner: inProcessRunner(record),
        jobs,
        cacheFolder: join(dataFolder, 'cache'),
        retryFailed: retryFailed ?? false,
        signal,
        onProgress: progress,
      });
      const view = readSweep(folder);
      for (const { id, error } of lost) view.rows.find((row) => row.id === id)!.error = error.message;
      return view;
    },

    'sweep.read': ({ folder, metric }) => readSweep(paths.check(folder), metric),
  } satisfies Partial<Handlers>;
}

/** Comparisons. */
function compareHandlers({ traces, pairsStore, withPairs }: EngineState) {
  return {
    'compare.run': ({ before, after, ...options }) =>
      compareTraces(traces.get(before), traces.get(after), withPairs(options)),

    'compare.ladder': ({ traces: ids, ...options }) =>
      compareLadder(
        ids.map((id) => traces.get(id)),
        withPairs(options),
      ),

    'compare.kernel': ({ before, after, beforeKernel, afterKernel }) =>
      compareKernels({ trace: traces.get(before), row: beforeKernel }, { trace: traces.get(after), row: afterKernel }),

    'compare.counterpart': ({ before, after, side, kernel, pairs }) =>
      counterpart(traces.get(before), traces.get(after), side, kernel, withPairs({ pairs }).pairs),

    'compare.document': ({ before, after, format, ...options }) => {
      const nameOf = (traceId: number): string => basename(traces.pathOf(traceId));
      const compared = compareTraces(traces.get(before), traces.get(after), withPairs(options));
      return writeComparison(compared, format, { before: nameOf(before), after: nameOf(after) });
    },

    'compare.pairs': ({ pairs }) => (pairs ? pairsStore.write(pairs) : pairsStore.read()),
  } satisfies Partial<Handlers>;
}

const sourcesOf = (lab: Lab): string[] => lab.variants.map(({ source }) => source);
