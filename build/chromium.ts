/** The browser for tests and pictures: whatever Chromium the machine has. */
import { spawnSync } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type LaunchOptions } from '@playwright/test';

const quiet = [
  '--no-first-run',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none',
  // Chromium's own sandbox cannot run as root, as in most containers; only our own pages are shown.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];
/** Same pictures everywhere: as on a machine without a GPU, without first-run pages and background traffic. */
export const chromiumArguments = [...quiet, '--disable-gpu'];
/** With a GPU that the CPU imitates, which browsers do only when told to: it draws the whole page, and offers WebGL. */
export const softwareGlArguments = [
  ...quiet,
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
];

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

/** Path of a Chromium or Chrome: `$CHROMIUM`, the machine's own, or one that Playwright installed. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const programFiles = [process.env['ProgramFiles'], process.env['ProgramFiles(x86)'], process.env['LOCALAPPDATA']];
  const candidates = [
    process.env['CHROMIUM'],
    ...names.flatMap((name) => ['/usr/bin', ...folders].map((folder) => join(folder, name))),
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ...programFiles.flatMap((folder) =>
      folder
        ? [join(folder, 'Google/Chrome/Application/chrome.exe'), join(folder, 'Microsoft/Edge/Application/msedge.exe')]
        : [],
    ),
    playwrightsOwn(),
  ];
  return candidates.find((path) => path && existsSync(path));
}

function playwrightsOwn(): string | undefined {
  try {
    return chromium.executablePath();
  } catch {
    return undefined;
  }
}

export const chromiumRemedy =
  'Install Chromium or Google Chrome (Debian, Ubuntu: "sudo apt-get install chromium"; anywhere: ' +
  '"npx playwright install chromium"), or set CHROMIUM to its path.';

/** {@link findChromium}, after installing one where that can be done without asking: by apt, as root. */
export function ensureChromium(say: (line: string) => void): string | undefined {
  const found = findChromium();
  if (found) return found;
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return undefined;
  say('Installing Chromium by apt-get.');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const packages = ['chromium', 'fonts-dejavu-core'];
  spawnSync('apt-get', ['update', '-q'], { env });
  const { status, stderr } = spawnSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) say(`apt-get could not install it: ${stderr.trim().split('\n').at(-1) ?? ''}`);
  return findChromium();
}

/** Playwright keeps Chromium's shared memory in files, for containers that have next to none. That takes 7 % longer. */
const hasSharedMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= 2 ** 30;
  } catch {
    return false;
  }
};

/** How tests start the browser. */
export function launchOptions(args: string[] = chromiumArguments): LaunchOptions {
  const executablePath = findChromium();
  return {
    ...(executablePath ? { executablePath } : {}),
    ...(hasSharedMemory() ? { ignoreDefaultArgs: ['--disable-dev-shm-usage'] } : {}),
    args,
  };
}
