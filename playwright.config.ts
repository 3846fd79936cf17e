import { defineConfig } from '@playwright/test';
import { launchOptions } from './build/chromium.ts';
import { longTests, patternsOf, shortVariable } from './test/setup/long-tests.ts';

export default defineConfig({
  testDir: 'test',
  outputDir: 'test-results/playwright',
  // The engine compiles and simulates in these tests; two cores shared with Chromium's software renderer.
  timeout: 300_000,
  expect: { timeout: 40_000 },
  // One keeps a core half busy: a test waits for the page most of its time. Each has a server and a browser of its own.
  workers: 2,
  fullyParallel: false,
  ...(process.env[shortVariable] ? { grepInvert: patternsOf(longTests.browser) } : {}),
  forbidOnly: Boolean(process.env['CI']),
  reporter: [['list'], ['json', { outputFile: process.env['SIMSIGHT_E2E_REPORT'] ?? 'test-results/playwright.json' }]],
  projects: [
    { name: 'shell', testDir: 'test/shell' },
    { name: 'packaging', testDir: 'test/packaging' },
    { name: 'e2e', testDir: 'test/e2e' },
  ],
  use: {
    viewport: { width: 1600, height: 900 },
    colorScheme: 'dark',
    screenshot: 'only-on-failure',
    launchOptions: launchOptions(),
  },
});
