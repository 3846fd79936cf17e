/** The parts of a kernel's page, of kernels of the H200 reference: as the trace has them, and as Nsight Compute counted on an H200. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { kernelAccesses } from '../../engine/analysis/kernel-accesses.ts';
import { kernelView } from '../../engine/analysis/kernel-view.ts';
import { openTrace } from '../../engine/trace/reader.ts';
import type { Trace } from '../../engine/trace/trace.ts';
import { busiestSlot, issuedBy, stepsOf } from '../../renderer/src/kernel/warp-steps.ts';
import { cli } from '../setup/command-line.ts';
import { root, test, type App } from './app.ts';

interface ReferenceCase {
  section: string;
  variant: string;
  params: { n?: number };
  kernels: { kernel: string; metrics: Record<string, number> }[];
}
const reference = join(root, 'test', 'reference', 'h200');
const cases = JSON.parse(readFileSync(join(reference, 'cases.json'), 'utf8')) as ReferenceCase[];
const counted = (section: string, variant: string, n: number): Record<string, number> =>
  cases.find((each) => each.section === section && each.variant === variant && each.params.n === n)!.kernels[0]!
    .metrics;

const folder = mkdtempSync(join(tmpdir(), 'simsight-kernels-'));
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Cases of a program of the reference, on the simulated H200. */
function record(suite: string, only: string): string {
  const settings = ['--env', 'LAB_PROFILE=1', '--env', `LAB_ONLY=${only}`, '--', folder];
  return recordFile(join(reference, 'cuda', `${suite}.cu`), settings);
}
function recordFile(source: string, settings: string[]): string {
  const path = join(folder, `${basename(source)}.simsight`);
  const words = ['record', source, '--gpu', 'h200', '-o', path, '--writable', folder];
  const { status, stderr } = spawnSync(process.execPath, [cli, ...words, ...settings], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect(status, stderr).toBe(0);
  return path;
}
/** Lanes leave the loop one after the other; how many steps they take is known. */
const collatz = `
__global__ void collatz(int *steps) {
  long long v = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int count = 0;
  while (v != 1) {
    if (v % 2 == 0) v /= 2;
    else v = 3 * v + 1;
    count++;
  }
  steps[blockIdx.x * blockDim.x + threadIdx.x] = count;
}
int main() {
  int *steps;
  cudaMalloc(&steps, 65536 * 4);
  collatz<<<256, 256>>>(steps);
  return cudaDeviceSynchronize();
}
`;

/** The first kernel of that name and grid. */
function find(trace: Trace, name: string, gridX: number): number {
  const [row] = trace.query(
    `SELECT k.rowid FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds n ON n.id = k.mangledName
     WHERE n.value = ? AND k.gridX = ? ORDER BY k.start`,
    ...[name, gridX],
  );
  return Number(row![0]);
}
/** Opens a kernel's page by search. */
async function open({ page }: App, name: string): Promise<void> {
  await page.getByTestId('timeline').focus();
  await page.keyboard.press('Control+f');
  await page.getByTestId('search-field').fill(name);
  await expect(page.getByTestId('search-said')).toContainText('match');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('search-said')).toContainText('1 of');
  await page.keyboard.press('Escape');
  await page.keyboard.press('k');
  await expect(page.getByTestId('kernel-title')).toContainText(name.split('<')[0]!);
}
/** Cycles that the page shows at first, and those before in which waits may have begun. */
const span = 512;
const leadIn = 4096;
/** Warps that the page first shows of a kernel: those of the first sub-partition, in the middle of its cycles. */
function warpsShown(path: string, row: number, cycles: number) {
  const trace = openTrace(path);
  const from = Math.floor(cycles / 2);
  const [first, to] = [Math.max(0, from - leadIn), from + span];
  const [window] = trace.warpWindows(row, [0], first, to, 0)!;
  const issues = trace.warps(row)!.issues(0, first, to);
  trace.close();
  const slot = busiestSlot(issues, from)!;
  return { from, slot, issues, steps: stepsOf({ ...window!, from: first, to }, issues, slot, from) };
}
const tab = (page: Page, part: string): Promise<void> => page.getByTestId(`kernel-tab-${part}`).click();
const figure = async (page: Page, id: string): Promise<number> =>
  Number(((await page.getByTestId(id).textContent()) ?? '').trim().replaceAll(',', ''));
const counter = async (page: Page, name: string): Promise<number> =>
  Number(((await page.locator(`[data-metric="${name}"]`).textContent()) ?? '').trim().replaceAll(',', ''));
const within = (value: number, share: number, of: number, what: string): void =>
  expect(Math.abs(value / of - 1), `${what}: ${value}, counted ${of}`).toBeLessThanOrEqual(share);

test('transposes: what Nsight Compute counted, bank conflicts, and what a padding would do', async ({ app }) => {
  test.setTimeout(400_000);
  const { page } = app;
  const path = join(app.folder, 'transposes.simsight');
  copyFileSync(record('b_mem', 'transpose/tile32'), path);
  const trace = openTrace(path);
  const row = find(trace, '_Z7tr_tileILi32EEvPKfPfi', 64);
  const view = kernelView(trace, row);
  const { accesses, gains } = kernelAccesses(trace, row, null);
  const padded = kernelView(trace, find(trace, '_Z7tr_tileILi33EEvPKfPfi', 64));
  trace.close();
  const conflicts = counted('B3', 'tile32x32_conflicts', 2048);
  const without = counted('B3', 'tile32x33_padded', 2048);
  const wavefronts = (of: Record<string, number>): number =>
    ['ld', 'st'].reduce((sum, op) => sum + of[`l1tex__data_pipe_lsu_wavefronts_mem_shared_op_${op}.sum`]!, 0);

  await app.start(path);
  await app.scene();
  await open(app, 'tr_tile<32>');

  await test.step('counters are those of Nsight Compute', async () => {
    await page.getByText(/^All \d+ counters/).click();
    const exact = ['ld', 'st'].flatMap((op) => [
      `l1tex__t_requests_pipe_lsu_mem_global_op_${op}.sum`,
      `l1tex__t_sectors_pipe_lsu_mem_global_op_${op}.sum`,
      `smsp__inst_executed_op_shared_${op}.sum`,
    ]);
    for (const name of exact) expect(await counter(page, name), name).toBe(conflicts[name]);
    // Nsight Compute also counts what its own replays meet; instructions are those of another compiler.
    for (const [name, share] of [
      ['l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum', 0.03],
      ['l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum', 0.03],
      ['l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum', 0.03],
      ['smsp__inst_executed.sum', 0.15],
    ] as const)
      within(await counter(page, name), share, conflicts[name]!, name);
    within(view.durationNs, 0.1, 20_768, 'duration');
  });

  await test.step('the memory explorer begins with the worst access, and draws its conflict', async () => {
    await tab(page, 'memory');
    const worst = accesses.find(({ opcode }) => opcode.startsWith('LDS'))!;
    expect(worst.samples[0]!.shared!.wavefronts).toHaveLength(32);
    await expect(page.getByTestId('access-here')).toHaveText('32 wavefronts, ideal 1');
    await expect(page.getByTestId('access-words')).toContainText('32-way conflict');
    expect(await figure(page, 'access-total')).toBe(worst.wavefronts);
    await expect(page.getByTestId('access')).toHaveCount(accesses.length);
    const bytes = view.metrics.find(({ metric }) => metric === 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum')!.value;
    expect(bytes).toBe(conflicts['l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum']);
    await expect(page.getByTestId('flow-global')).toContainText('MiB');
  });

  await test.step('a padding that is previewed costs what the padded kernel does, here and on an H200', async () => {
    const pad = gains.find(({ layout }) => layout.kind === 'pad' && layout.bytes === 4)!;
    const button = page.getByTestId('layouts').locator('li').filter({ hasText: '4 B of padding after each row' });
    await expect(button).toContainText(pad.after.toLocaleString('en'));
    await button.getByRole('button').click();
    await expect(page.getByTestId('layout-preview')).toContainText('4 B of padding after each row of 128 B');
    await expect(page.getByTestId('access-here')).toHaveText('1 wavefront, ideal 1');
    const own = Object.fromEntries(padded.metrics.map(({ metric, value }) => [metric, value]));
    expect(pad.after).toBe(wavefronts(own));
    within(pad.before, 0.03, wavefronts(conflicts), 'wavefronts before');
    within(pad.after, 0.1, wavefronts(without), 'wavefronts with the padding');
    await page.getByTestId('layout-reset').click();
    await expect(page.getByTestId('access-here')).toHaveText('32 wavefronts, ideal 1');
  });

  await test.step('an XOR swizzle that is previewed, likewise, without more memory', async () => {
    const swizzled = counted('B3', 'tile_xor_swizzle', 2048);
    const xor = gains.find(({ layout }) => layout.kind === 'xor' && layout.bytes === 4)!;
    expect(xor.extraBytes).toBe(0);
    within(xor.after, 0.1, wavefronts(swizzled), 'wavefronts with the swizzle');
    const button = page
      .getByTestId('layouts')
      .locator('li')
      .filter({ hasText: /XOR swizzle: .* the 4 B chunk/ });
    await button.getByRole('button').click();
    await expect(page.getByTestId('access-here')).toHaveText('1 wavefront, ideal 1');
    const chosen = accesses.find(({ opcode }) => opcode.startsWith('LDS'))!;
    // All that it takes then, not what was recorded.
    expect(await figure(page, 'access-total')).toBe(chosen.executed);
    await page.getByTestId('layout-reset').click();
    expect(await figure(page, 'access-total')).toBe(chosen.wavefronts);
  });

  await test.step('accesses of global memory by keys, with their sectors; and to the source', async () => {
    const list = page.getByTestId('accesses');
    await page.getByTestId('access').filter({ hasText: 'LDG' }).first().click();
    const load = accesses.find(({ opcode }) => opcode.startsWith('LDG'))!;
    const { global } = load.samples[0]!;
    await expect(page.getByTestId('access-here')).toHaveText(
      `${global!.sectors} sectors, ideal ${global!.idealSectors}`,
    );
    await expect(page.getByTestId('access-words')).toContainText('Coalesced');
    expect(await figure(page, 'access-total')).toBe(load.sectors);
    await expect(page.getByTestId('global-access')).toBeVisible();
    const at = accesses.indexOf(load);
    await list.press('ArrowDown');
    await expect(page.getByTestId('access').nth(at + 1)).toHaveAttribute('aria-selected', 'true');
    await page.getByRole('button', { name: 'Show in source' }).click();
    await expect(page.locator(`[data-line="${accesses[at + 1]!.line}"]`)).toHaveClass(/chosen/);
    await page.getByTestId('show-addresses').click();
    await expect(page.getByTestId('access').nth(at + 1)).toHaveAttribute('aria-selected', 'true');
  });

  await test.step('warps: every instruction of one, with its waits', async () => {
    await tab(page, 'warps');
    await expect(page.getByTestId('warp-step').first()).toBeVisible();
    const shown = warpsShown(path, row, view.warpCycles);
    const issued = issuedBy({ from: shown.from, to: shown.from + span }, shown.issues).filter(
      (slot) => slot >= 0,
    ).length;
    await expect(page.getByTestId('warp-utilisation')).toContainText(
      `Issued in ${issued} of ${span} cycles (${((100 * issued) / span).toFixed(1)} %)`,
    );
    await expect(page.getByTestId('warp-step')).toHaveCount(shown.steps.length);
    const longest = shown.steps.reduce((most, each) => (each.waited > most.waited ? each : most));
    const at = shown.steps.indexOf(longest);
    const line = page.locator(`[data-step="${at}"]`);
    await expect(line).toHaveAttribute('aria-selected', 'true');
    await expect(line).toContainText(longest.cycle.toLocaleString('en'));
    await expect(line).toContainText(view.instructions[longest.instruction]!.opcode);
    await expect(page.getByTestId('warp-covered')).toContainText(
      `In ${longest.covered.toLocaleString('en')} of these ${longest.isCut ? 'last ' : ''}${longest.waited.toLocaleString('en')} cycles`,
    );
    // The mouse selects another instruction of the list.
    const other = shown.steps.findIndex((each, i) => i !== at && each.waited > 0);
    await page.locator(`[data-step="${other}"]`).click();
    await expect(page.getByTestId('warp-cover')).toContainText(
      `at cycle ${shown.steps[other]!.cycle.toLocaleString('en')}`,
    );
    // And of the picture: the row of another slot.
    const canvas = (await page.getByTestId('warp-picture').boundingBox())!;
    const another = shown.slot === 1 ? 2 : 1;
    await page.mouse.click(canvas.x + canvas.width / 2, canvas.y + 38 + another * 22 + 10);
    await expect(page.getByTestId('kernel-page')).toContainText(`Warp in slot ${another}, instruction by instruction`);
    const picture = page.getByTestId('warp-picture');
    const from = page.getByTestId('warp-from');
    const before = Number(await from.inputValue());
    await picture.press('ArrowRight');
    await expect(from).toHaveValue(String(before + 128));
    await picture.press('+');
    await expect(page.getByTestId('kernel-page')).toContainText('256 shown');
    // On to where the warp issues something, which may be some hundred cycles away.
    const settled = () => expect(picture).toHaveAttribute('aria-busy', 'false');
    await settled();
    while ((await page.getByTestId('warp-step').count()) === 0) {
      await picture.press('ArrowRight');
      await settled();
    }
    await page.getByTestId('warp-steps').press('ArrowDown');
    await expect(page.getByTestId('warp-cover')).toContainText(/at cycle [\d,]+/);
  });

  await test.step('differences to a baseline', async () => {
    await tab(page, 'overview');
    await page.getByTestId('baseline-add').click();
    await page.keyboard.press('Escape');
    await open(app, 'tr_tile<33>');
    const change = 100 * (padded.durationNs / view.durationNs - 1);
    await expect(page.getByTestId('kernel-duration')).toContainText(`−${Math.abs(change).toFixed(1)} %`);
    await expect(page.getByTestId('baselines')).toContainText('tr_tile');
    await tab(page, 'memory');
    await expect(page.getByTestId('flow-shared')).toContainText('%');
    await expect(page.getByTestId('kernel-page')).toContainText(
      'Neither padding nor an XOR swizzle would save wavefronts',
    );
    await page.getByRole('button', { name: /^Remove baseline/ }).click();
    await expect(page.getByTestId('baselines')).toHaveCount(0);
  });
});

test('a divergent reduction: lanes, branches, and its place under the roofs', async ({ app }) => {
  test.setTimeout(400_000);
  const { page } = app;
  const path = join(app.folder, 'reduction.simsight');
  copyFileSync(record('b_reduce_pipeline', 'tree_modulo'), path);
  const trace = openTrace(path);
  const view = kernelView(trace, find(trace, '_Z10red_moduloPKfPf', 65536));
  trace.close();
  const measured = counted('B10', 'tree_modulo_divergent', 16777216);
  await app.start(path);
  await app.scene();
  await open(app, 'red_modulo');

  await test.step('threads per instruction as counted on an H200', () => {
    const [executed, threads] = view.instructions.reduce(
      ([all, lanes], each) => [all! + each.executed, lanes! + each.threads],
      [0, 0],
    );
    within(threads! / executed!, 0.05, measured['smsp__thread_inst_executed_per_inst_executed.ratio']!, 'threads');
  });
  await test.step('lanes that worked, and the lines of partial warps', async () => {
    await tab(page, 'divergence');
    const [slots, on] = view.instructions.reduce(
      ([all, lanes], each) => [all! + 32 * each.executed, lanes! + each.threadsOn],
      [0, 0],
    );
    await expect(page.getByTestId('lane-share')).toHaveText(`${((100 * on!) / slots!).toFixed(1)} %`);
    // All that it decides is done under predicates.
    expect(view.branches).toEqual([]);
    await expect(page.getByTestId('kernel-page')).toContainText('No conditional branches were recorded');
    await expect(page.getByTestId('partial-lines')).toContainText('b_reduce_pipeline.cu');
  });
  await test.step('the roofline: work and traffic of the trace', async () => {
    await tab(page, 'roofline');
    const { work, traffic } = view.roofline!;
    await expect(page.getByTestId('roofline-precision')).toHaveValue(
      work.toSorted((a, b) => b.flop - a.flop)[0]!.precision,
    );
    await expect(page.getByTestId('roofline-point')).toHaveCount(traffic.length);
    const flop = work.find(({ precision }) => precision === 'FP32')!.flop;
    // One addition for each element but the last of a block.
    expect(flop).toBe(65_536 * 255);
    for (const { level, bytes } of traffic)
      await expect(
        page.getByTestId('roofline-table').getByRole('row').filter({ hasText: level }).first(),
      ).toContainText((flop / bytes).toFixed(2));
  });
});

test('branches: the most divergent first, with the lanes that took them', async ({ app }) => {
  const { page } = app;
  const source = join(folder, 'collatz.cu');
  writeFileSync(source, collatz);
  const path = join(app.folder, 'collatz.simsight');
  copyFileSync(recordFile(source, []), path);
  const trace = openTrace(path);
  const view = kernelView(trace, 1);
  trace.close();
  await app.start(path);
  await app.scene();
  await open(app, 'collatz');
  await tab(page, 'divergence');
  const branches = view.branches.filter(({ executed }) => executed > 0);
  await expect(page.getByTestId('branch')).toHaveCount(branches.length);
  const most = branches.toSorted((a, b) => b.diverged - a.diverged)[0]!;
  expect(most.diverged).toBeGreaterThan(0);
  const first = page.getByTestId('branch').first();
  await expect(first).toContainText(most.executed.toLocaleString('en'));
  await expect(first).toContainText(most.diverged.toLocaleString('en'));
  // Every lane goes once around for each of its steps, and leaves once.
  const steps = Array.from({ length: 65_536 }, (_, i) => stepsFrom(i + 1)).reduce((sum, count) => sum + count, 0);
  const known = branches.filter(({ taken, notTaken }) => taken !== null && notTaken !== null);
  expect(known.map(({ taken, notTaken }) => taken! + notTaken!)).toContain(steps);
  await page.getByTestId('kernel-tab-source').click();
  await page.getByTestId('place-metric').selectOption({ label: 'Divergent branches' });
  const line = view.lines.toSorted(
    (a, b) => b.divergedBranches / (b.branches || 1) - a.divergedBranches / (a.branches || 1),
  )[0]!;
  await expect(page.locator(`[data-heat="${line.line}"]`)).toHaveText(
    `${((100 * line.divergedBranches) / line.branches).toFixed(1)} %`,
  );
});

function stepsFrom(start: number): number {
  let count = 0;
  for (let v = start; v !== 1; count++) v = v % 2 === 0 ? v / 2 : 3 * v + 1;
  return count;
}
