/**
 * Gives things hostile names, wherever a name can come from, and reads what every command makes of them as strictly as whoever gets
 * it: terminals, spreadsheets, JSON, browsers, Markdown, SQLite.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ns } from '../../engine/base/units.ts';
import type { TraceEvent } from '../../engine/model/events.ts';
import { simsight, simsightHere, type Outcome } from '../cli/simsight.ts';
import { api, copy, kernel, profile, write } from '../unit/trace/example-recording-events.ts';
import { attempt, type AbuseOptions, type Section } from './section.ts';

/** Each kind of character and construct that means something to somebody. */
export const hostileNames: Record<string, string> = {
  colour: '\u001b[31mred\u001b[0m',
  title: '\u001b]0;pwned\u0007',
  clipboard: '\u001b]52;c;cm0gLXJm\u0007',
  'link of a terminal': '\u001b]8;;file:///etc/passwd\u001b\\x\u001b]8;;\u001b\\',
  'clear screen': '\u001b[2J\u001b[H',
  'answer back': '\u001b[6n\u001b[c\u0005',
  'device control': '\u001bP$q"p\u001b\\',
  C1: '\u009b31mred\u009c\u0090x\u009d0;y\u0085',
  'other controls': 'a\u0000b\u0001c\b\b\bd\u000b\u000ce\u007f',
  'carriage return': 'evil\rnice',
  lines: 'one\nsimsight: all is well\r\ntwo',
  tabs: '\ta\tb',
  'from right to left': 'a\u202egpj.exe\u202c',
  isolates: '\u2066x\u2067y\u2069\u200f\u200e\u061c',
  unseen: 'a\u200bb\u2060c\ufeffd\u2028e\u2029f',
  tags: 'a\u{e0068}\u{e0069}\u{e007f}',
  surrogates: 'a\ud800b\udc00c',
  formula: '=1+1',
  command: "=cmd|' /C calc'!A0",
  'formulas of each kind': '+1+1',
  minus: '-2+3+cmd',
  at: '@SUM(1+1)',
  'wide formula': '＝1+1',
  'formula behind a tab': '\t=1+1',
  'formula behind a separator': 'a;=1+1',
  quotes: `"';\`"",'`,
  'end of a quote': 'x"\n=1+1,"',
  backslashes: String.raw`\ \\ \n \22 \u001b \"`,
  script: '<script>alert(1)</script>',
  attribute: '"><img src=x onerror=alert(1)>',
  'end of style': '</style></title></pre>--> ]]>',
  'Markdown link': '[a](javascript:alert(1)) ![x](https://x.invalid) <i>b</i>',
  'Markdown table': '| a | b |\n|---|---|\n```\n# x',
  SQL: "'; DROP TABLE StringIds; --",
  shell: '$(touch pwned) `touch pwned` ; touch pwned & | > pwned',
  YAML: 'a: !!js/function x # - {',
  LLVM: '" {\n}\ndefine void @evil() { unreachable',
  WebAssembly: '(module) (import "x" "y")',
  paths: '../../../../tmp/pwned',
  prototype: '__proto__',
  constructor: 'constructor',
  empty: '',
  long: 'n'.repeat(1_000_000),
};

/** Where a kind of name is put; the text of a source, too. */
function traceWith(path: string, name: string): void {
  const mangled = `_Z4evil${name}`;
  const events: TraceEvent[] = [
    { type: 'thread-name', threadId: 1, name },
    api(name, 0, 40, 1),
    api('cudaLaunchKernel', 40, 45, 2),
    {
      type: 'profile',
      id: 1,
      profile: { ...profile, instructions: profile.instructions.map((one) => ({ ...one, file: name })) },
    },
    kernel(50, 5000, 2, 7, { kernel: mangled, profile: 1 }),
    kernel(6000, 9000, 3, 7, { kernel: name }),
    copy(10_000, 12_000, 4),
    { type: 'console', time: ns(10), stream: 'stdout', text: `${name}\n` },
    ...(['mark', 'push-pop', 'start-end', 'domain-create', 'category'] as const).map((kind): TraceEvent => ({
      ...{
        type: 'nvtx',
        kind,
        start: ns(20),
        end: kind === 'push-pop' || kind === 'start-end' ? ns(9500) : null,
        text: name,
      },
      ...{
        threadId: 1,
        color: null,
        category: 1,
        domainId: kind === 'domain-create' ? 1 : 0,
        rangeId: 1,
        payload: null,
      },
    })),
  ];
  write(path, events, {
    title: name,
    program: name,
    arguments: [name],
    sources: [{ path: name, text: name }],
    names: new Map([[mangled, { demangled: `void ${name}(int)`, short: name }]]),
  });
}

/** The characters that must not get to a terminal. */
const unsafe =
  // eslint-disable-next-line no-control-regex -- these
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}\p{Cs}]|\r(?!\n)/u;

/** `isData`: with lines of its own, in quotes. */
function checkTerminal({ stdout, stderr }: Outcome, isData = false): string | null {
  const found = unsafe.exec(stdout) ?? unsafe.exec(stderr);
  if (found) return `U+${found[0].codePointAt(0)!.toString(16)} gets to the terminal`;
  return /^simsight: all is well/m.test(isData ? stderr : stdout + stderr)
    ? 'a line of a name looks like one of ours'
    : null;
}

/** RFC 4180, and no cell that a spreadsheet would compute. */
function checkCsv(text: string): string | null {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (at >= text.length) return 'a quote is not closed';
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') cell += text[at++];
        else break;
      }
      at++;
      if (at < text.length && !/[,\n]/.test(text[at]!)) return `something follows a quote at ${at}`;
    } else {
      const end = text.slice(at).search(/[,\n]/);
      cell = end < 0 ? text.slice(at) : text.slice(at, at + end);
      at += cell.length;
      if (/[";\t\r]/.test(cell)) return `${JSON.stringify(cell.slice(0, 40))} should be quoted`;
    }
    if (/^\s*[=+\-@\t\r＝＋－＠]/.test(cell) && !/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(cell))
      return `${JSON.stringify(cell.slice(0, 40))} is a formula`;
    row.push(cell);
    if (text[at] === '\n' || at >= text.length) {
      rows.push(row);
      row = [];
    }
    at++;
  }
  const width = rows[0]?.length ?? 0;
  return rows.every(({ length }) => length === width) ? null : 'rows have different numbers of cells';
}

function checkJson(text: string): string | null {
  JSON.parse(text);
  return null;
}

/** Markup is ours alone. */
function checkMarkup(text: string): string | null {
  const body = text.replaceAll(/<style>[^<]*<\/style>/g, '');
  if (/<(script|img|i)\b/i.test(body)) return 'there is an element of the name';
  for (const [tag] of body.matchAll(/<[^>]*>/g))
    if (/\son\w+=/i.test(tag.replaceAll(/"[^"]*"/g, '""')) || /(href|src)="(?!#|[\w.%-]+\.svg")/i.test(tag))
      return `${tag.slice(0, 60)} does something`;
  // eslint-disable-next-line no-control-regex -- what XML and HTML do not allow
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u202a-\u202e\u2066-\u2069]/.test(body)
    ? 'there is a control character'
    : null;
}

function checkMarkdown(text: string): string | null {
  if (
    /(?<!\\)<(script|img|i)\b/i.test(
      text.replaceAll(/^(`{3,})[^`]*\n[\s\S]*?\n\1$/gm, '').replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, ''),
    )
  )
    return 'there is an element of the name';
  return unsafe.test(text.replaceAll('@\u200b', '@')) ? 'there is a control character' : null;
}

type Check = (text: string) => string | null;
const nothing: Check = () => null;

/** Every command that says something of a trace, and how its output is read. */
const commands: [words: (trace: string, other: string) => string[], check: Check][] = [
  ...['cuda_api_sum', 'cuda_gpu_kern_sum', 'cuda_gpu_trace', 'nvtx_sum', 'cuda_gpu_mem_time_sum'].flatMap(
    (report): [(trace: string) => string[], Check][] => [
      [(trace) => ['stats', trace, '-r', report], nothing],
      [(trace) => ['stats', trace, '-r', report, '-f', 'csv'], checkCsv],
      [(trace) => ['stats', trace, '-r', report, '-f', 'json'], checkJson],
    ],
  ),
  ...(['table', 'csv', 'json'] as const).map((format): [(trace: string) => string[], Check] => [
    (trace) => ['sql', trace, 'SELECT id, value, value AS "=1+1" FROM StringIds', '-f', format],
    format === 'csv' ? checkCsv : format === 'json' ? checkJson : nothing,
  ]),
  [(trace) => ['advise', trace], nothing],
  [(trace) => ['advise', trace, '--json'], checkJson],
  [(trace, other) => ['compare', other, trace], nothing],
  [(trace, other) => ['compare', other, trace, '--json'], checkJson],
];

/** Files that commands write, and how they are read. */
const files: [
  name: string,
  words: (trace: string, other: string, output: string) => string[],
  check: (path: string) => string | null,
][] = [
  ['x.html', (trace, _, output) => ['report', trace, '-o', output], (path) => checkMarkup(readFileSync(path, 'utf8'))],
  ['x.md', (trace, _, output) => ['report', trace, '-o', output], (path) => checkMarkdown(readFileSync(path, 'utf8'))],
  [
    'c.html',
    (trace, other, output) => ['compare', other, trace, '-o', output],
    (path) => checkMarkup(readFileSync(path, 'utf8')),
  ],
  [
    'c.md',
    (trace, other, output) => ['compare', other, trace, '-o', output],
    (path) => checkMarkdown(readFileSync(path, 'utf8')),
  ],
  ['x.json', (trace, _, output) => ['export', trace, '-o', output], (path) => checkJson(readFileSync(path, 'utf8'))],
  [
    'x.csv',
    (trace, _, output) => ['export', trace, '-o', output, '--table', 'StringIds'],
    (path) => checkCsv(readFileSync(path, 'utf8')),
  ],
  [
    'x.sqlite',
    (trace, _, output) => ['export', trace, '-o', output],
    (path) => {
      const db = new Database(path, { readonly: true });
      try {
        return db.pragma('integrity_check', { simple: true }) === 'ok' &&
          db.prepare('SELECT count(*) FROM StringIds').get() !== undefined
          ? null
          : 'the database is damaged';
      } finally {
        db.close();
      }
    },
  ],
];

/** Symbols of the program's own choice go through the whole of the compiler. */
const program = (symbol: string): string => {
  const literal = [...new TextEncoder().encode(symbol)]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('');
  return `#include <nvtx3/nvToolsExt.h>
__global__ void kernel(int *p) asm("k${literal}");
__global__ void kernel(int *p) { p[threadIdx.x] = threadIdx.x; }
__device__ int variable asm("v${literal}") = 3;
__device__ __noinline__ int deep(int x) asm("f${literal}");
__device__ __noinline__ int deep(int x) { return x < 2 ? variable : deep(x - 1) + deep(x - 2); }
__global__ void recursive(int *p) { p[threadIdx.x] = deep(3); }
int main() {
  int *p;
  cudaMalloc(&p, 128);
  nvtxRangePushA("${literal}");
  nvtxNameOsThreadA(0, "${literal}");
  kernel<<<1, 32>>>(p);
  recursive<<<1, 32>>>(p);
  nvtxRangePop();
  int h[32];
  cudaMemcpy(h, p, 128, cudaMemcpyDeviceToHost);
  return cudaDeviceSynchronize() != cudaSuccess || h[31] != 9;
}
`;
};

async function run(options: AbuseOptions): Promise<void> {
  const { folder, count = Infinity } = options;
  const place = { home: join(folder, 'home'), cwd: folder };
  const other = join(folder, 'other.simsight');
  traceWith(other, 'ordinary');
  const names = Object.entries(hostileNames).slice(0, count);
  for (const [kind, name] of names) {
    const trace = join(folder, 'trace.simsight');
    traceWith(trace, name);
    for (const [words, check] of commands) {
      const line = words(trace, other);
      await attempt(options, `${kind}: ${line.filter((word) => !word.startsWith(folder)).join(' ')}`, async () => {
        const outcome = await simsightHere(line, place);
        if (outcome.code !== 0) return `exit code ${outcome.code}: ${outcome.stderr.slice(0, 300)}`;
        return checkTerminal(outcome, check === checkCsv) ?? check(outcome.stdout);
      });
    }
    for (const [file, words, check] of files) {
      await attempt(options, `${kind}: ${file}`, async () => {
        const output = join(folder, `out-${file}`);
        const outcome = await simsightHere([...words(trace, other, output), '--force'], place);
        if (outcome.code !== 0) return `exit code ${outcome.code}: ${outcome.stderr.slice(0, 300)}`;
        return checkTerminal(outcome) ?? check(output);
      });
    }
  }
  for (const [kind, name] of names) {
    // A character that a symbol cannot hold, by the rules of C or of file names, ends it.
    const symbol = name.toWellFormed().split('\0')[0]!.slice(0, 3000);
    await attempt(options, `${kind}: symbols and files of a program`, () => {
      const inside = join(folder, `program-${kind.replaceAll(' ', '-')}`);
      mkdirSync(inside, { recursive: true });
      const source = join(inside, `${symbol.replaceAll('/', '_').slice(0, 40)}.cu`);
      writeFileSync(source, program(symbol));
      const output = join(inside, 'out.simsight');
      const outcome = simsight(['record', source, '--force', '-o', output], { home: place.home, cwd: inside });
      if (outcome.code !== 0) return `exit code ${outcome.code}: ${outcome.stderr.slice(0, 500)}`;
      const left = readdirSync(inside).filter((entry) => entry === 'pwned');
      if (left.length > 0 || existsSync(join(folder, 'pwned'))) return 'a command of the name was run';
      const failure = checkTerminal(outcome);
      if (failure !== null) return failure;
      const db = new Database(output, { readonly: true });
      try {
        const known = db.prepare('SELECT count(*) FROM StringIds WHERE value = ?').pluck();
        if (symbol !== '' && known.get(symbol) !== 1) return 'the range has another name';
        return known.get(`k${symbol}`) === 1 ? null : 'the kernel has another name';
      } finally {
        db.close();
      }
    });
  }
}

export const names: Section = {
  name: 'names',
  title: 'hostile names of everything: nothing is an order to a terminal, a formula, an element, code',
  run,
};
