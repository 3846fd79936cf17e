/**
 * Costs of a host: CPU time of API calls and the latencies between host and GPU, in nanoseconds. One profile per kind of host; every figure
 * names the case of the H200 reference that it comes from, medians unless said otherwise. The reference host is a virtual machine (16
 * virtual x86-64 cores, Linux, CUDA 13.0) with the GPU passed through.
 */
import { SimsightError } from '../base/errors.ts';
import { callCost } from './call-costs.ts';

export interface HostProfile {
  id: string;
  name: string;
  source: string;
  /** CPU time of calls by that of the reference host ({@link CallCost}): of launches, and of others. */
  callFactor: { launches: number; others: number };
  contextCreation: number;
  /** Extra CPU time of the first launch of each kernel: its code is loaded lazily. */
  firstLaunchOfKernel: number;
  /** From the end of the host's work in the call until the idle GPU starts. */
  startLatency: { kernel: number; copy: number };
  /** From the end of the awaited work until the waiting call returns. */
  returnLatency: { kernel: number; copy: number };
  /** Extra latency when the thread sleeps meanwhile; less when it was only about to, having waited for less than `within`. */
  wakeUp: { asleep: number; aboutTo: number; within: number };
  /** Threads of the program, beside each other. */
  threads: {
    /** CPU time of creating one; from its beginning to the new thread's first instruction. */
    create: number;
    start: number;
    /** Joining a thread that has ended; from the end of a thread to the return of who waits for it. */
    joinEnded: number;
    endToJoin: number;
    /** CPU time of locking a free mutex, or of unlocking it; from unlocking to locking by who waits for it. */
    mutex: number;
    mutexWakeUp: number;
    /** From a signal to the return of who waits for the condition. */
    signalWakeUp: number;
    /** Extra time of sleeping, or waiting until a time, beyond what was asked for; of giving way when no other thread wants to run. */
    sleepOver: number;
    yield: number;
    /** From reading a variable in a loop until it is read again. */
    poll: number;
    /** Time for the lock of a context to change hands: each call holds it for a while. */
    contextLock: number;
  };
  /**
   * A function of the host in stream order, from its turn until the stream goes on: by what the driver's thread was doing; and how
   * much of that comes after the call of the function.
   */
  hostFunction: { asleep: number; idleStream: number; afterAnother: number; afterCall: number };
  /**
   * Drivers that hand work to the GPU through the operating system gather it first: until there are so many commands, or the
   * program waits or asks. CPU time of handing over. Null where each call does it itself.
   */
  submission: { commands: number; cost: number } | null;
  /** Work that one stream holds before the launching call blocks. */
  queueDepth: number;
  /** Extra time when work depends on an event of another stream. */
  crossStreamLatency: number;
  /**
   * An event that keeps time: from its turn on the stream to its time stamp, after which the stream goes on; extra CPU time of
   * recording it. Others take no time on the stream.
   */
  timedEvent: { duration: number; issue: number };
  /** From the end of work to the start of the next in the stream. */
  gap: {
    sameEngine: number;
    otherEngine: number;
    sameEngineAfterEvent: number;
    otherEngineAfterEvent: number;
    /** A small upload, which travels inside the command stream, after work of another engine. */
    inlineUpload: number;
  };
  copies: {
    /** Time of a DMA before its first byte counts. */
    uploadSetup: number;
    downloadSetup: number;
    /** Both directions at once: rate of each as a share of its rate alone. */
    bidirectionalRate: number;
    /** Load that a copy on the link puts on DRAM (contention.ts). */
    dramIntensity: { upload: number; download: number };
    /** Uploads up to these sizes are copied into the command stream by the host. */
    inlineBytes: { pinned: number; pageable: number };
    /** Host's rate of doing so, bytes per nanosecond. */
    inlineHostRate: number;
    /** Extra CPU time when the call is a blocking one. */
    inlineBlockingIssue: number;
    inlineSetup: number;
    /** Rate at which the GPU takes them in, bytes per nanosecond. */
    inlineRate: { pinned: number; pageable: number };
    /** Size of the driver's pinned staging buffers for pageable memory, bytes. */
    stagingBytes: number;
    /**
     * Rate of the host's copies into staging buffers, bytes per nanosecond, by how much else it has read since it last read the
     * same: as long as a cache of so many bytes holds it. The last level is memory, without end.
     */
    stagingUpload: readonly { bytes: number; rate: number }[];
    /** Rate for memory that it has never read before, bytes per nanosecond. */
    stagingFirst: number;
    /** Rate of the host's copies out of staging buffers, bytes per nanosecond. */
    stagingDownload: number;
    pageableDownloadOverhead: number;
    /** Extra CPU time of a device-to-device copy, which launches a kernel. */
    deviceCopyIssue: number;
    deviceCopySetup: number;
    /** Time that each row of a copy takes at least. */
    perRow: { upload: number; download: number };
    /**
     * Fills and copies inside the GPU in rows: kernels with a block for each row, which start one after the other; copies of more
     * rows than a grid is high have several in each. What few rows and many move, bytes read and written per nanosecond.
     */
    insideRows: { perBlock: number; fewRows: number; perBlockOfMany: number; rate: number; rateOfMany: number };
    /** Fills up to this size, in one piece, are written by the GPU's front end, others by a kernel; extra CPU time for it. */
    fills: { smallBytes: number; smallSetup: number; setup: number; issue: number };
  };
  peers: {
    /** Time of a copy between GPUs before its first byte counts: over NVLink, and staged in host memory. */
    setup: number;
    stagedSetup: number;
    /** Extra CPU time of issuing a staged one. */
    stagedIssue: number;
    /** Rate of staged copies as a share of the host link's, and of two in opposite directions as a share of that. */
    stagedRate: number;
    stagedBothWays: number;
    /** Extra time when work depends on an event of another GPU, beyond `crossStreamLatency`. */
    eventLatency: number;
  };
  /** See graphs.ts. */
  graphs: {
    /** CPU time, beyond that of the calls themselves. */
    calls: {
      /** Cost of a call that is captured instead of carried out. */
      capturedCall: number;
      /** Grows faster than the graph; marks are nodes that keep no part of the GPU busy. */
      instantiate: { fixed: number; perNode: number; perMark: number; perNodeSquared: number; perBranch: number };
      /** Cost of nodes that the GPU keeps, at the first launch or before it: up to so many nodes, and for those beyond. */
      upload: { fixed: number; perNode: number; nodes: number; perFurtherNode: number };
      /** Per node that the GPU keeps already. */
      uploadAgain: number;
      update: { fixed: number; perNode: number; perEdge: number };
      /** Per node. */
      clone: number;
      destroyExec: { perNode: number; perBranch: number };
      destroyGraph: number;
      /** Cost of a launch. Nodes that the GPU does not keep cost as much as the call of their kind, except for functions of the host. */
      launch: { perGroup: number; perKeptNode: number; hostFunction: number };
      /** Cost of memory nodes: of each launch of a graph that has some, and of memory that the driver gives them, in blocks of 32 MiB. */
      memory: { launch: number; fixed: number; perBlock: number };
    };
    /** From the end of a node to the start of one that depends on it, where the GPU keeps both. */
    gap: number;
    /** Added to it each time that the number of branches doubles: they share the GPU's front end. */
    gapPerDoubling: number;
    /** A node starts those that depend on it one after the other, each so much later than the one before. */
    perFollower: number;
    /** Delay from one group to the next, likewise, once what they wait for has ended. */
    perGroup: number;
    /** Factor by which a function of the host takes longer than one in a stream. */
    hostFunction: number;
    /** From the end of a graph with memory nodes to that of all. */
    memoryEnding: number;
  };
  /** Managed memory: see managed.ts. Rates in bytes per nanosecond. */
  managed: {
    gpuFault: {
      /** From the first fault of a kernel until the driver serves it. */
      first: number;
      /** Serving the faults of one block of 2 MiB; each fault adds to it. */
      block: number;
      fault: number;
      /** Extra time if there is anything to move. */
      moving: number;
      /** Extra time once a GPU has all of a block, and when another one has all of it. */
      wholeBlock: number;
      split: number;
      /** Rate of what comes to a GPU by faults, as a share of the link's; from another GPU over a link of theirs. */
      shareOfLink: number;
      fromPeer: number;
      /** Rate of clearing pages that nobody had. */
      zero: number;
    };
    cpuFault: {
      /** A fault without what is moved. */
      block: number;
      /** Extra time of the first one that moves anything after faults of a GPU, and of the first one in an allocation. */
      first: number;
      firstOfAllocation: number;
      /** A fault that writes to a page of which a GPU has a copy. */
      duplicate: number;
      /** Rate of moving and mapping pages. */
      toHost: number;
      /** Rate of allocating and clearing pages. */
      zero: number;
    };
    prefetch: {
      fixed: number;
      /** Extra time if there is anything to move. */
      moving: number;
      /** Time for each block of 2 MiB. */
      block: number;
      toHost: number;
      /** From another GPU over a link of theirs. */
      fromPeer: number;
    };
    /** `cudaMemAdviseSetReadMostly`: nanoseconds per byte of what the host has. */
    readMostlyPerByte: number;
    /** Extra CPU time of freeing it. */
    free: { fixed: number; perByte: number };
  };
}

const linux: HostProfile = {
  id: 'linux',
  name: 'Linux, PCIe 5 server',
  source: 'H200 reference, suites c_launch and c_copy',
  submission: null,
  callFactor: { launches: 1, others: 1 },
  contextCreation: 97_296_000, // first cudaSetDevice in the trace of c_launch
  firstLaunchOfKernel: 17_000, // first launch of 13 kernels in the trace of c_launch: median 23.8 us, less a usual launch
  // C1 launch_plus_sync: empty 7.87, spin_10us 18.2, less launch, kernel and return.
  startLatency: { kernel: 2000, copy: 900 },
  // kernel_end_to_cudaStreamSynchronize_return 2.23; memcpy_HtoD_pinned_device_end_to_cudaStreamSynchronize_return 3.27,
  // memcpy_DtoH 3.23.
  returnLatency: { kernel: 2230, copy: 3250 },
  // system.cu, S7 event_blocking less event_spinning: 14.6 us for an empty kernel, 31 to 32 for one of 10 and 100 us. (1 ms: 112;
  // how deep a core sleeps is the machine's affair.)
  wakeUp: { asleep: 31_000, aboutTo: 14_600, within: 5_000 },
  // threads.json, medians. Its host launches in 4.06 us, not in 2.9.
  threads: {
    create: 16_700, // T1 create
    start: 34_000, // T1 create_to_first_instruction
    joinEnded: 380, // T1 join_of_ended
    endToJoin: 19_400, // T1 end_to_join_return
    mutex: 11, // T2 mutex_uncontended_lock_unlock: 0.0215 us
    mutexWakeUp: 6_000, // T2 mutex_unlock_to_lock, held 2 to 100 us: 5.9 to 6.4
    signalWakeUp: 5_800, // T2 condition_variable_one_way: 5.85 with a lock and unlock
    sleepOver: 55_000, // T2 sleep_for 1 to 1000 us: 55 to 66 us more
    yield: 330, // T2 yield_alone
    poll: 20, // not measured: as long as reading the clock
    // T3, 1 to 12 threads. Calls into the threads' own streams at once take, where the lock decides (12 threads), 1.07 us per launch
    // and thread, 1.9 per record, 0.65 per query, 0.98 per copy: a hand-over of 0.45 and the rest of it as a share of the call
    // alone (4.06, 1.37, 0.21, 2.03), at the pace of the host of the other figures 0.32. Beside a thread that waits for the
    // GPU, a launch takes no longer.
    contextLock: 320,
  },
  // system.cu, S5: host_function kernel_to_kernel 41.1 us less 1.5 between kernels; host_function_alone_plus_sync 16.4, of which
  // the two calls take 6; ten_host_functions_plus_sync 27.5.
  // run_to_sync_return 11.7 us, on another host 7.2, of which 3.8 are the kernel behind it and the wait's return.
  hostFunction: { asleep: 39_600, idleStream: 10_000, afterAnother: 1_200, afterCall: 6_000 },
  // system.cu, S1: behind a kernel that waits, 1021 launches, event records or small copies go through and the next one
  // blocks; with 2 and 4 streams each of them holds as many.
  queueDepth: 1022,
  // C6 dependency_latency: cross_stream_event_wait 3.104 less same_stream_with_event_between 2.72.
  crossStreamLatency: 400,
  // C6 event_pair_device_time two_records_back_to_back; event_record_cpu idle_stream 0.712, of which fills.cu (F2
  // cudaEventRecord no_timing) has 0.19. F3: without timing ten kernels take as long with three records after each as with none.
  timedEvent: { duration: 1280, issue: 522 },
  gap: {
    sameEngine: 1000, // C1 start_to_start_queue_full 1.70, C6 dependency_latency 1.50: less 0.6 that an empty kernel lasts, the mean
    otherEngine: 4400, // C4 pinned_streams1_chunks64: 4.7 between copies and kernels, trace of c_copy: 4 to 8
    sameEngineAfterEvent: 1000, // C6 dependency_latency same_stream_with_event_between
    otherEngineAfterEvent: 2400, // C3 event time of pinned 1024 KB less the duration of the copy, both ways: 3.4 to 3.7
    inlineUpload: 3900, // C3 event time of H2D_pinned_4KB less duration: 5.2
  },
  copies: {
    // Durations in the trace of c_copy less size over rate: 64 KB to 16 MB.
    uploadSetup: 2650,
    downloadSetup: 1500,
    bidirectionalRate: 0.915, // C3 bidirectional two_streams_262144KB: 5287 us, one way 4837
    // system.cu, S3: 40 kernels that stream through DRAM take 4.2 % and 1.7 % longer beside a copy of 64 MB, which lasts 80 %
    // of their time; alone they ask for 3.2.
    dramIntensity: { upload: 0.17, download: 0.07 },
    // Pinned: C3 async_issue_cpu grows with the size up to 16 KB and not at 64 KB; the limit lies in between. Pageable: CUDA
    // runtime API, "API synchronization behavior": 64 KB.
    inlineBytes: { pinned: 16 * 1024, pageable: 64 * 1024 },
    inlineHostRate: 6.8, // C3 async_issue_cpu H2D_pageable 4, 16, 64 KB: 1.94, 3.5, 10.2 us
    // C3 cudaMemcpy_wall less async_plus_sync_wall (pinned) or async_issue (pageable), 4 to 64 KB: 1.04 to 1.43, of which
    // 0.2 is in `apiCost`.
    inlineBlockingIssue: 1150,
    inlineSetup: 720, // durations of 4 and 16 KB in the trace of c_copy: 0.896 and 1.44
    inlineRate: { pinned: 22.7, pageable: 14.5 },
    stagingBytes: 2 ** 20, // C3 H2D_pageable: async_plus_sync less async_issue is 25 us from 1 MB on
    // C3 H2D_pageable, the same buffer again and again: 256 KB and 1 MB 21 to 22.6 GB/s, 4 to 64 MB 18.1 to 18.7, 256 MB 11.2. So
    // the caches end between 1 and 4 and between 64 and 256 MB; these are the means (of the powers of two).
    stagingUpload: [
      { bytes: 2 * 2 ** 20, rate: 22.6 },
      { bytes: 128 * 2 ** 20, rate: 18.6 },
      { bytes: Infinity, rate: 11.2 },
    ],
    // Trace of c_copy, the first upload of 256 KB, 1, 4 and 16 MB: calls of 41, 145, 517 and 1821 us, 7.3, 7.5, 8.1 and 9.2 GB/s; those
    // behind them 18, 53, 253 and 1000.
    stagingFirst: 8,
    stagingDownload: 19.3, // C3 D2H_pageable_16384KB and up: 18.5 to 19.3 GB/s
    pageableDownloadOverhead: 500, // C3 cudaMemcpy_wall of D2H_pageable_4KB: 7.65 us
    // system.cu, S4: 262144 rows of 64 bytes up and down in 430 and 379 us.
    perRow: { upload: 1.6, download: 1.4 },
    // fills.cu, F1: memset2d and copy2d, 8192 to 1048576 rows of any width: 0.62 to 0.64 ns for each row, of copies of 65536 and
    // more rows for each three of them, or for each 1/65535 of all; copy2d of 16 MB in 32768 rows of 512 bytes 1.65 TB/s, in
    // 65536 of 256 2.4 TB/s.
    insideRows: { perBlock: 0.63, fewRows: 65_535, perBlockOfMany: 3, rate: 1650, rateOfMany: 2400 },
    deviceCopyIssue: 2000, // C3 async_issue_cpu D2D: 3.1
    deviceCopySetup: 850, // durations of D2D 4 to 64 KB in the trace of c_copy
    // Duration of a memset of 4 KB in the trace of c_launch. system.cu, S4 memset: 64 KB to 256 MB between events; CPU time of
    // 64 KB and more 3.5 times that of 4 KB; fills.cu, F2: of 8 KB as well.
    fills: { smallBytes: 4 * 1024, smallSetup: 1300, setup: 900, issue: 1800 },
  },
  // C8 (c_peer), less the call, start, return and the waits for two streams: 5.7 us.
  peers: {
    setup: 2600, // memcpy_peer 0_to_1 enabled, 4 KB to 4 MB: 8.0 to 8.6 us beyond what the link takes
    // Not enabled, 64 KB to 256 MB: 22.7 us, then 1 MB down and up one after the other, then 27.2 us for each further one.
    stagedSetup: 14_500,
    stagedIssue: 2500, // both_ways, not enabled, 16 to 256 KB: 2.1 to 4.1 us more than one way, of which 1.1 is any second call
    stagedRate: 0.696,
    stagedBothWays: 0.79, // both_ways, not enabled: 6595 us for the 201 MB between 64 and 256 MB, 5218 one way
    // As much longer as a load takes over NVLink: load_chain. In event_ping_pong the host is hardly faster, 3.77 us per hop.
    eventLatency: 655,
  },
  // S8 and S9: system.cu, whose host is another one, 1.2 times as slow with the graphs of C2. Some rows of S8 were disturbed: in
  // them, calls that depend on the graph alone take three times as long as for the same graph of other sizes. The others count.
  graphs: {
    calls: {
      capturedCall: 410, // C2 graph_capture 100 to 1000, per node
      // C2 graph_instantiate: 4.6 us with 1 node, 74 with 100, 428 with 500, 956 with 1000, 2231 with 2000. By branch: S8
      // independent 32: 1.8 us, S9 cudaGraphInstantiate_fork_100: 2.4; marks: S8 ten_event_records.
      instantiate: { fixed: 4_500, perNode: 700, perMark: 300, perNodeSquared: 0.2, perBranch: 2_100 },
      // C2 graph_first_launch_cpu less graph_launch_cpu: 2.4 us with 1 node, 12 with 10, 54 with 50, 110 with 100, 353 with
      // 500, 741 with 1000, 1466 with 2000. S8: 1.6 and 2.3 with ten events and small fills.
      upload: { fixed: 1_000, perNode: 1_080, nodes: 100, perFurtherNode: 700 },
      uploadAgain: 80, // S9 cudaGraphUpload_100: 8.6
      // S8: 0.66 and 1.88 with 4 and 32 nodes without edges, 1.22 with 11 in a chain, 7.4 with 100.
      update: { fixed: 500, perNode: 50, perEdge: 15 },
      clone: 240, // S9 cudaGraphClone_100: 24.3
      // Nodes: api_duration of graphs with 1 to 500 nodes under tracing, c_launch; branches: S9 cudaGraphExecDestroy_fork_100: 160.5.
      destroyExec: { perNode: 600, perBranch: 950 },
      destroyGraph: 100, // S9 cudaGraphDestroy_100: 10.6
      // Groups: S8 independent 4 and 32: 3.56 and 29.4 us; C2 graph_launch_cpu 1: 1.10. Nodes: C2 graph_launch_cpu 100 to 2000: 1.20 to
      // 3.48. Functions: S8 kernel_host_kernel 6.96, two groups and the function. S8 ten_event_records, ten_memset_chain 4 KB and
      // upload_kernel_download 4 KB: 9.7, 8.5 and 4.4 us, where the calls of C6 and C3 would come to 7.4, 7.2 and 3.3.
      launch: { perGroup: 850, perKeptNode: 1.3, hostFunction: 4_000 },
      // mem_nodes.json, M1: launch_cpu of alloc_kernel_free n=1 to 64 against kernel_empty, 0.4 to 0.5 us more; first_launch
      // of alloc_kernel_free trimmed against not trimmed, 1, 64, 256 and 1024 MB: 134, 150, 421 and 1758 us for 1, 2, 8 and 32 blocks.
      memory: { launch: 500, fixed: 65_000, perBlock: 53_000 },
    },
    gap: 257, // between the kernels of one branch in the trace of c_launch: median 257
    // C2 frame_500_tiny_kernels graph_1_branches to graph_8_branches: 1.13, 1.27, 1.40 and 1.62 us per node of a branch.
    gapPerDoubling: 130,
    perFollower: 173, // S8 fork_and_join 16 to 128: 18.3, 21.2, 26.9 and 37.9 us
    perGroup: 348, // S8 independent 4 and 32 behind a kernel: 16.4 and 26.2 us
    // S8 kernel_host_kernel: 80.9 us behind a kernel, of which 41 would be one function in the stream (S5); 32.5 with launch and
    // return from the idle stream, where it would be 10.
    hostFunction: 2,
    memoryEnding: 570, // mem_nodes.json, M2: 2.69 us from the last kernel to the next in the stream, 2.11 without memory nodes
  },
  // test/reference/h200/managed.json: event or host times of single calls and kernels, medians on three machines; small ones lie
  // apart by half. managed_peers.json: likewise, two GPUs.
  managed: {
    gpuFault: {
      first: 33_000, // 4 KB, gpu_read_after_cpu_first, gpu_write_after_cpu and gpu_first_write: 46 to 89 us, median 62
      block: 13_000, // serial_unpopulated step 2 MB: 15.2 us, of which 2.2 to clear 64 KB
      fault: 140, // gpu_read_after_cpu_first, 64 and 256 MB: 81 to 112 us per MB, median 89, of which 53 without its 256 faults
      moving: 6500, // serial_from_cpu step 2 MB: 20.8 to 23.6 us, of which 1.7 to move 64 KB
      wholeBlock: 12_000, // serial_from_cpu step 64 KB: 1.64 to 1.74 ms of faults in 8 blocks, 10 to 20 us more each than the rest says
      split: 14_000, // managed_peers.json serial_from_gpu0 step 2 MB: 34.8 us, with 64 KB from the second on 18 to 19.5
      shareOfLink: 0.68, // serial_from_cpu step 64 KB: 1 MB takes 13.9 us more than 512 KB, 37.7 GB/s of 55.5
      fromPeer: 46, // managed_peers.json serial_from_gpu0 step 64 KB: 19, 22, 30.5, 41 us for 128 KB to 1 MB
      zero: 40, // gpu_first_write 64 and 256 MB: 65 to 83 us per MB
    },
    cpuFault: {
      block: 13_000, // serial_back_to_cpu step 64 KB: 18, 24, 34, 56, 97 us for 64 KB to 1 MB: 13 us, and 12.5 GB/s
      first: 10_000, // cpu_write_after_gpu 4 KB: 23 to 33 us
      firstOfAllocation: 75_000, // cpu_read_after_gpu 4 KB (first): 98 to 135 us
      duplicate: 10_000, // read_mostly_cpu_write: 9.9 to 11 us per page of 4 KB
      toHost: 12.5,
      zero: 15.5, // serial_back_to_cpu unpopulated step 2 MB: 153, 157 and 203 us, with pages there before 18
    },
    prefetch: {
      fixed: 26_000, // prefetch_to_gpu_again: 26 us, and 3 us for each 2 MB
      moving: 45_000, // prefetch_to_gpu_event 4 KB to 2 MB
      block: 3000,
      toHost: 18, // prefetch_to_cpu_wall and _event, 256 MB: 56 to 65 us per MB
      fromPeer: 127, // managed_peers.json prefetch_0_to_1 and 1_to_0, 64 MB: 660 to 730 us
    },
    readMostlyPerByte: 0.0535, // advise_read_mostly 1 to 256 MB: 56 us per MB
    free: { fixed: 80_000, perByte: 9.8e-3 }, // free 4 KB: 86 us, 64 MB: 771, 256 MB: 2657
  },
};

/** All costs times a factor; the number of nodes up to which an upload costs more is none. */
function slowerBy<Costs extends object>(factor: number, costs: Costs): Costs {
  const scaled = Object.entries(costs).map(([name, cost]): [string, unknown] => {
    if (typeof cost === 'object') return [name, slowerBy(factor, cost as object)];
    return [name, name === 'nodes' ? cost : (cost as number) * factor];
  });
  return Object.fromEntries(scaled) as Costs;
}

/** A host whose calls all take as much longer as its launches do: nothing else of it is published. */
function slower(id: string, name: string, source: string, launch: number): HostProfile {
  const factor = launch / callCost.launch;
  const graphs = { ...linux.graphs, calls: slowerBy(factor, linux.graphs.calls) };
  return { ...linux, id, name, source, callFactor: { launches: factor, others: factor }, graphs };
}

const linux2018 = slower(
  'linux-2018',
  'Linux, PCIe 3 server',
  'launch of an empty kernel 5 us, 2015 to 2018 (njuffa, NVIDIA developer forums); other calls in proportion, latencies as measured on the H200 host',
  5000,
);

const windows: HostProfile = {
  ...linux,
  id: 'windows-wddm',
  name: 'Windows, WDDM',
  source:
    'WDDM adds 10 to 80 us, on average 20 (2015), 5 to 20 us (2018), to what is handed over, and gathers commands until a limit, a wait or a query (njuffa, NVIDIA developer forums). The limit is not published: 64 is assumed. All else as on Linux.',
  submission: { commands: 64, cost: 20_000 },
};

export const hostProfiles: readonly HostProfile[] = [linux, linux2018, windows];
export const defaultHost: HostProfile = linux;

/** Throws 'bad-request' for a name that no profile has. */
export function hostProfileById(id: string): HostProfile {
  const found = hostProfiles.find((profile) => profile.id === id);
  if (found) return found;
  const all = hostProfiles.map((profile) => profile.id).join(', ');
  throw new SimsightError('bad-request', `There is no host profile "${id}".`, `There are ${all}.`);
}
