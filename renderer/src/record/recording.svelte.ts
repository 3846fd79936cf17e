/** Recording: the dialog's form, and what is recorded, swept or found out at the moment, which goes on when its dialog is closed. */
import type { Lab, LabVariant } from '../../../engine/model/labs.ts';
import type { RecordOptions } from '../../../engine/model/record-options.ts';
import type { WhatIfOptions } from '../../../engine/model/what-if.ts';
import type { Connection } from '../app/connection.svelte.ts';
import type { Dialog } from '../app/dialogs.ts';
import type { Problem } from '../app/problem.ts';
import type { KernelPage } from '../kernel/kernel-page.svelte.ts';
import { RecordJob, type RecordStep } from './record-job.svelte.ts';
import { emptyForm, formOf, gpusAlike, type RecordForm } from './record-form.ts';
import { SweepJob, type SweepRequest } from './sweep-job.svelte.ts';
import { WhatIfJob } from './what-if-job.svelte.ts';

/** The screen around it, which shows dialogs and opens what was recorded. */
interface Workspace {
  readonly connection: Connection;
  /** The one that is recorded on where nothing else is said. */
  readonly gpu: string;
  dialog: Dialog;
  kernel: KernelPage | null;
  problem: Problem | null;
  open(paths: string[]): Promise<boolean>;
}

export class Recording {
  form = $state<RecordForm>(emptyForm());
  /** The person's own, while the dialog has what an example is recorded with. */
  #ownForm: RecordForm | null = null;
  job = $state.raw<RecordJob | null>(null);
  /** The worth of a program's limits: being found out, or the answer. */
  whatIfJob = $state.raw<WhatIfJob | null>(null);
  sweep = $state.raw<SweepJob | null>(null);
  #running: Promise<unknown> = Promise.resolve();
  readonly #workspace: Workspace;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Work that ends with this page. */
  get isBusy(): boolean {
    return [this.job, this.whatIfJob, this.sweep].some((job) => job?.state === 'running');
  }

  /** The dialog, of a program with these sources if there are any. */
  prepare(sources?: string[]): void {
    this.#workspace.problem = null;
    if (this.job?.state === 'running') {
      this.#workspace.dialog = 'record';
      return;
    }
    this.job = null;
    if (this.#ownForm) this.form = this.#ownForm;
    this.#ownForm = null;
    // Arguments and title are those of a program.
    const isAnother = sources && sources.join('\n') !== this.form.sources.join('\n');
    if (isAnother) this.form = { ...emptyForm(), gpu: this.form.gpu, detail: this.form.detail, sources };
    if (!this.form.gpu) this.form.gpu = this.#workspace.gpu;
    if (this.form.sources.length === 0) this.form.sources = [''];
    this.#workspace.dialog = 'record';
  }

  /** Records the first and the last variant of a lab. */
  recordPair(lab: Lab): void {
    this.#workspace.kernel = null;
    this.recordLab(lab, [lab.variants[0]!, lab.variants.at(-1)!]);
  }
  recordLab(lab: Lab, variants: readonly LabVariant[]): void {
    const steps = variants.map((variant) => ({
      title: variant.title,
      options: {
        sources: [variant.source],
        gpu: gpusAlike(lab.gpus, this.#workspace.gpu),
        includeFolders: [],
        defines: variant.defines,
        environment: [],
        arguments: variant.arguments,
        title: `${lab.title}: ${variant.title}`,
      } satisfies RecordOptions,
    }));
    // The dialog falls back to this when it fails; afterwards it has what the user filled in.
    if (steps[0] && this.job?.state !== 'running') {
      this.#ownForm ??= this.form;
      this.form = formOf(steps[0].options);
    }
    void this.record(steps);
  }

  /** Runs in the dialog; the traces are opened when all went well. */
  async record(steps: RecordStep[]): Promise<void> {
    if (this.job?.state === 'running') return;
    this.#workspace.problem = null;
    const job = new RecordJob(this.#workspace.connection, steps);
    this.job = job;
    this.#workspace.dialog = 'record';
    const results = await (this.#running = job.run());
    if (!results || this.job !== job) return;
    this.#workspace.dialog = null;
    this.job = null;
    // The first and the last of a whole series are before and after.
    const paths = results.map(({ path }) => path);
    await this.#workspace.open(paths.length > 2 ? [paths[0]!, paths.at(-1)!] : paths);
  }

  /** Ends the recording under way, and begins it again as a sample. */
  async sampleInstead(): Promise<void> {
    const { job } = this;
    if (job?.state !== 'running') return;
    job.cancel();
    await this.#running;
    this.form.sample = 'yes';
    await this.record(job.steps.map(({ title, options }) => ({ title, options: { ...options, sample: true } })));
  }

  /** Runs in its dialog, and goes on when that is closed. */
  whatIf(title: string, options: WhatIfOptions): void {
    if (this.whatIfJob?.state === 'running') {
      this.#workspace.dialog = 'what-if';
      return;
    }
    const job = new WhatIfJob(this.#workspace.connection, title, options);
    this.whatIfJob = job;
    this.#workspace.dialog = 'what-if';
    void job.run();
  }
  closeWhatIf(): void {
    this.#workspace.dialog = null;
    if (this.whatIfJob?.state !== 'running') this.whatIfJob = null;
  }
  async runSweep(title: string, request: SweepRequest): Promise<void> {
    if (this.sweep?.state === 'running') return;
    const job = new SweepJob(this.#workspace.connection, title, request);
    this.sweep = job;
    await job.run();
  }
  closeSweep(): void {
    this.#workspace.dialog = null;
    if (this.sweep?.state !== 'running') this.sweep = null;
  }
  forgetSweep(): void {
    this.sweep = null;
  }
  /** One of its recordings, or one beside the best. */
  async openFromSweep(paths: string[]): Promise<void> {
    this.#workspace.dialog = null;
    await this.#workspace.open(paths);
  }
}
