/** The recordings of {@link file://./foreign-corpus.test.ts}: a host that calls, and a GPU with streams that does what is called for. */

type Event = Record<string, unknown>;
export interface ChromeEvents {
  schemaVersion: number;
  deviceProperties: Event[];
  traceEvents: Event[];
}

/** Times in microseconds. */
class Recording {
  readonly events: Event[] = [];
  now = 1000;
  /** End of the last operation, by stream. */
  private readonly done = new Map<number, number>();
  private id = 0;
  /** From the end of a call to the start of the work, where the GPU is free. */
  private readonly latency: number;

  constructor(latency = 5) {
    this.latency = latency;
  }

  call(name: string, us: number, correlation = ++this.id, tid = 10): void {
    this.events.push({
      ...{ ph: 'X', cat: 'cuda_runtime', name, pid: 10, tid, ts: this.now, dur: us, args: { correlation } },
    });
    this.now += us;
  }

  host(name: string, us: number, cat = 'user_annotation'): void {
    this.events.push({ ph: 'X', cat, name, pid: 10, tid: 10, ts: this.now, dur: us });
    this.now += us;
  }

  idle(us: number): void {
    this.now += us;
  }

  launch(
    us: number,
    launch: { grid?: number; block?: number; name?: string; stream?: number; after?: number } = {},
  ): void {
    const { grid = 1056, block = 256, name = 'k(float*)', stream = 7, after = 0 } = launch;
    const correlation = ++this.id;
    this.call('cudaLaunchKernel', 4, correlation);
    this.work('kernel', name, us, stream, after, correlation, { grid: [grid, 1, 1], block: [block, 1, 1] });
  }

  copy(us: number, how: { kind?: string; bytes?: number; stream?: number; isAsync?: boolean } = {}): void {
    const { kind = 'HtoD (Pinned -> Device)', bytes = us * 20_000, stream = 7, isAsync = true } = how;
    const correlation = ++this.id;
    const started = this.now;
    this.call(isAsync ? 'cudaMemcpyAsync' : 'cudaMemcpy', 4, correlation);
    this.work('gpu_memcpy', `Memcpy ${kind}`, us, stream, 0, correlation, { bytes });
    if (isAsync) return;
    const call = this.events.findLast((event) => event['ts'] === started)!;
    this.now = Math.max(this.now, this.until(stream) + 3);
    call['dur'] = this.now - started;
  }

  private work(cat: string, name: string, us: number, stream: number, after: number, correlation: number, args: Event) {
    const ts = Math.max(this.now + this.latency, this.until(stream), after);
    this.done.set(stream, ts + us);
    this.events.push({
      ...{ ph: 'X', cat, name, pid: 0, tid: stream, ts, dur: us },
      args: { correlation, device: 0, stream, ...args },
    });
  }

  until(stream = 7): number {
    return this.done.get(stream) ?? 0;
  }

  synchronize(): void {
    const end = Math.max(this.now + 2, ...[...this.done.values()].map((time) => time + 5));
    this.call('cudaDeviceSynchronize', end - this.now);
  }

  finish(): ChromeEvents {
    this.synchronize();
    const gpu = { id: 0, name: 'NVIDIA L40S', numSms: 142, computeMajor: 8, computeMinor: 9, warpSize: 32 };
    return { schemaVersion: 1, deviceProperties: [gpu], traceEvents: this.events };
  }
}

/** `latency`: of the launches. */
function recording(make: (to: Recording) => void, latency?: number): () => ChromeEvents {
  return () => {
    const to = new Recording(latency);
    make(to);
    return to.finish();
  };
}
const times = (count: number, make: (i: number) => void): void => {
  for (let i = 0; i < count; i++) make(i);
};

interface Flaw {
  name: string;
  /** Rule that must find the flawed program, and not the fixed one. */
  rule: string;
  /** Rules that must not find it. */
  not?: string[];
  flawed: () => ChromeEvents;
  fixed: () => ChromeEvents;
}

const ahead = recording((to) => times(40, () => to.launch(500)));

export const flaws: readonly Flaw[] = [
  {
    name: 'data are loaded between steps, while nothing is enqueued',
    rule: 'host-bound',
    flawed: recording((to) =>
      times(10, () => {
        to.host('DataLoader.__next__', 4000);
        to.launch(1500);
        to.synchronize();
      }),
    ),
    fixed: ahead,
  },
  {
    name: 'work that starts a good while after its call: the host was late all the same',
    rule: 'host-bound',
    not: ['needless-sync'],
    flawed: recording((to) => {
      times(12, () => {
        to.launch(100);
        to.synchronize();
        to.idle(5000);
      });
    }, 40),
    fixed: recording((to) => times(12, () => to.launch(100)), 40),
  },
  {
    name: 'an interpreter is slower than its kernels',
    rule: 'host-bound',
    flawed: recording((to) =>
      times(60, () => {
        to.host('optimizer.py(7): step', 60, 'python_function');
        to.launch(20);
      }),
    ),
    fixed: ahead,
  },
  {
    name: 'a host that is a little late for each of its kernels, which are longer than a launch',
    rule: 'host-bound',
    flawed: recording((to) =>
      times(200, () => {
        to.idle(38);
        to.launch(30);
      }),
    ),
    fixed: ahead,
  },
  {
    name: 'thousands of kernels, each shorter than its launch',
    rule: 'launch-bound',
    flawed: recording((to) => times(400, () => to.launch(3))),
    fixed: ahead,
  },
  {
    name: 'a wait after each kernel, for nothing',
    rule: 'needless-sync',
    flawed: recording((to) =>
      times(50, () => {
        to.launch(60);
        to.synchronize();
      }),
    ),
    fixed: ahead,
  },
  {
    name: 'a wait after each kernel, and a few microseconds of the program before the next',
    rule: 'needless-sync',
    flawed: recording((to) =>
      times(50, () => {
        to.launch(60);
        to.synchronize();
        to.idle(9);
      }),
    ),
    fixed: recording((to) =>
      times(50, () => {
        to.launch(60);
        to.idle(9);
      }),
    ),
  },
  {
    name: 'a result is read in each step',
    rule: 'synchronous-apis',
    flawed: recording((to) =>
      times(50, () => {
        to.launch(40);
        to.copy(2, { kind: 'DtoH (Device -> Pageable)', bytes: 4, isAsync: false });
      }),
    ),
    fixed: ahead,
  },
  {
    name: 'memory is allocated and freed in each step',
    rule: 'synchronous-apis',
    flawed: recording((to) =>
      times(30, () => {
        to.call('cudaMalloc', 150);
        to.launch(80);
        to.synchronize();
        to.call('cudaFree', 120);
      }),
    ),
    fixed: recording((to) => {
      to.call('cudaMalloc', 150);
      times(30, () => to.launch(80));
    }),
  },
  {
    name: 'batches are copied from pageable memory',
    rule: 'pageable-copies',
    flawed: recording((to) =>
      times(12, () => {
        to.copy(3000, { kind: 'HtoD (Pageable -> Device)', bytes: 18_000_000, isAsync: false });
        to.launch(1000);
      }),
    ),
    fixed: recording((to) =>
      times(12, (i) => {
        to.copy(750, { bytes: 18_000_000, stream: 9 });
        to.launch(1000, { after: to.until(9) * (i === 0 ? 1 : 0) });
      }),
    ),
  },
  {
    name: 'copies and kernels take turns in one stream',
    rule: 'missing-overlap',
    flawed: recording((to) =>
      times(12, () => {
        to.copy(1000);
        to.launch(1000);
        to.copy(500, { kind: 'DtoH (Device -> Pinned)' });
      }),
    ),
    fixed: recording((to) =>
      times(12, () => {
        to.copy(400, { stream: 9 });
        to.launch(1000);
      }),
    ),
  },
  {
    name: 'the link is what everything waits for',
    rule: 'copy-bound',
    flawed: recording((to) =>
      times(12, () => {
        to.copy(4000, { stream: 9 });
        to.launch(300, { after: to.until(9) });
      }),
    ),
    fixed: ahead,
  },
  {
    name: 'a sum in one block',
    rule: 'small-grid',
    flawed: recording((to) =>
      times(20, () => to.launch(900, { grid: 1, block: 1024, name: 'reduceAll(float*, int)' })),
    ),
    fixed: ahead,
  },
  {
    name: 'a thread for each block',
    rule: 'small-grid',
    flawed: recording((to) => times(20, () => to.launch(900, { grid: 100_000, block: 1, name: 'scale(float*)' }))),
    fixed: ahead,
  },
  {
    name: 'a sum in one block, where others run side by side elsewhere',
    rule: 'small-grid',
    flawed: recording((to) => {
      times(20, () => to.launch(900, { grid: 1, block: 1024, name: 'reduceAll(float*, int)' }));
      to.synchronize();
      times(10, () => {
        to.launch(900);
        to.launch(900, { stream: 8 });
      });
    }),
    fixed: recording((to) =>
      times(20, () => {
        to.launch(900, { grid: 1, block: 1024, name: 'reduceAll(float*, int)' });
        to.launch(900, { stream: 8 });
      }),
    ),
  },
  {
    name: 'a sum in one block beside the exchange of NCCL, which needs few',
    rule: 'small-grid',
    flawed: recording((to) => times(20, () => to.launch(900, { grid: 1, name: 'reduceAll(float*, int)' }))),
    fixed: recording((to) =>
      times(20, () =>
        to.launch(900, { grid: 24, name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage)' }),
      ),
    ),
  },
  {
    name: 'calls of HIP',
    rule: 'synchronous-apis',
    flawed: () => {
      const to = new Recording();
      times(50, () => {
        to.launch(40);
        to.copy(2, { kind: 'DtoH (Device -> Pageable)', bytes: 4, isAsync: false });
      });
      const recorded = to.finish();
      for (const event of recorded.traceEvents) event['name'] = String(event['name']).replace(/^cuda/, 'hip');
      return recorded;
    },
    fixed: ahead,
  },
];
