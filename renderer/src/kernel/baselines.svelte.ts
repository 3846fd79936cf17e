/** Kernels that others are compared with, as the baselines of Nsight Compute: every number then shows its difference. */
import type { KernelView } from '../../../engine/model/kernel-view.ts';

export interface Baseline {
  /** The path of the trace that it is from. */
  path: string;
  view: KernelView;
  label: string;
}

export class Baselines {
  list = $state.raw<readonly Baseline[]>([]);
  /** The one that numbers are compared with where there are several; null: the first. */
  chosen = $state.raw<Baseline | null>(null);

  add(path: string, title: string, view: KernelView): void {
    if (this.has(path, view)) return;
    const gpu = view.gpu ? `, ${view.gpu.name}` : '';
    this.list = [...this.list, { path, view, label: `${view.name} (${title}${gpu})` }];
  }
  has = (path: string, view: KernelView): boolean =>
    this.list.some((each) => each.path === path && each.view.row === view.row);
  /** Numbers are compared with that one from now on. */
  choose(path: string, view: KernelView): void {
    this.chosen = this.list.find((each) => each.path === path && each.view.row === view.row) ?? null;
  }
  remove(baseline: Baseline): void {
    this.list = this.list.filter((each) => each !== baseline);
    if (this.chosen === baseline) this.chosen = null;
  }
}
