/** Reporter of unit tests: how long each file took, with what its tests share (hooks), which other reports leave out. Seconds. */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { root } from '../../build/node.mjs';
import { fileTimes } from '../../build/test-counts.mjs';

export default class FileTimes implements Reporter {
  private readonly seconds: Record<string, number> = {};

  onTestModuleEnd(file: TestModule): void {
    this.seconds[relative(root, file.moduleId)] = Number((file.diagnostic().duration / 1000).toFixed(2));
  }

  onTestRunEnd(): void {
    writeFileSync(fileTimes, `${JSON.stringify(this.seconds, null, 1)}\n`);
  }
}
