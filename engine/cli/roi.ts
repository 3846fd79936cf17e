import { returnsOf, usualWorkingHours, type Candidate, type Return } from '../analysis/roi.ts';
import { toText } from '../analysis/formats.ts';
import { formatNumber, formatTime } from '../model/format.ts';
import { choice, exitCodes, helpHint, parse, print, usageError, type Command } from './command.ts';

const keys = ['before', 'after', 'speedup', 'runs', 'days'] as const;
type Key = (typeof keys)[number];

const options = {
  before: { type: 'string' },
  runs: { type: 'string' },
  hours: { type: 'string', default: String(usualWorkingHours) },
  format: { type: 'string', short: 'f', default: 'table' },
} as const;

export const roi: Command = {
  name: 'roi',
  options,
  values: { format: ['table', 'json'] },
  help: `usage: simsight roi [options] "NAME: KEY=VALUE …" ["NAME: KEY=VALUE …"]…

  simsight roi --before 10ms --runs 1000 "tiles: speedup=3 days=2" "wider blocks: speedup=1.5 days=0.5"

Keys of a candidate:
  before=TIME     time of one run now: 10ms, 250us, 1.5s, 800ns
  after=TIME      time of one run afterwards, or
  speedup=FACTOR  factor by which it gets faster
  runs=N          runs per day
  days=N          effort in engineer-days

  --before TIME, --runs N  defaults for candidates without their own
  --hours N                hours per engineer-day (default ${usualWorkingHours})
  -f, --format F           table (default) or json

Candidates are sorted by time saved per engineer-day. Break-even: days until the time saved equals the effort.
`,
  run(words) {
    const { values, positionals } = parse('roi', words, options);
    if (positionals.length === 0) throw usageError('roi: no candidate given.', helpHint('roi'));
    const format = choice('roi', 'format', values.format, ['table', 'json'] as const);
    const hours = positive('--hours', values.hours);
    const usual = new Map<Key, string>();
    if (values.before !== undefined) usual.set('before', values.before);
    if (values.runs !== undefined) usual.set('runs', values.runs);
    const returns = returnsOf(
      positionals.map((text) => candidateOf(text, usual)),
      hours,
    );
    print(format === 'json' ? `${JSON.stringify(returns, null, 2)}\n` : tableOf(returns));
    return exitCodes.ok;
  },
};

/** `NAME: before=10ms speedup=3 runs=1000 days=2`. */
function candidateOf(text: string, usual: ReadonlyMap<Key, string>): Candidate {
  const colon = text.lastIndexOf(':', text.includes('=') ? text.indexOf('=') : undefined);
  const name = text.slice(0, Math.max(0, colon)).trim();
  if (name === '') throw usageError(`roi: "${text}" is not NAME: KEY=VALUE ….`, helpHint('roi'));
  const given = new Map(usual);
  const own = new Set<Key>();
  for (const word of text.slice(colon + 1).split(/[\s,]+/)) {
    if (word === '') continue;
    const at = word.indexOf('=');
    const key = keys.find((each) => each === word.slice(0, at));
    if (key === undefined)
      throw usageError(`roi: ${name}: "${word}" is not one of ${keys.join(', ')}.`, helpHint('roi'));
    if (own.has(key)) throw usageError(`roi: ${name}: ${key} is given twice.`);
    own.add(key);
    given.set(key, word.slice(at + 1));
  }
  const value = (key: Key): string => {
    const found = given.get(key);
    if (found === undefined) throw usageError(`roi: ${name}: ${key} is missing.`, helpHint('roi'));
    return found;
  };
  if (given.has('after') && given.has('speedup'))
    throw usageError(`roi: ${name}: after and speedup cannot be used together.`);
  const beforeNs = timeOf(`${name}: before`, value('before'));
  const afterNs = given.has('speedup')
    ? beforeNs / positive(`${name}: speedup`, value('speedup'))
    : timeOf(`${name}: after`, value('after'));
  return {
    ...{ name, beforeNs, afterNs },
    runsPerDay: positive(`${name}: runs`, value('runs')),
    engineerDays: positive(`${name}: days`, value('days')),
  };
}

function positive(what: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value < Infinity) return value;
  throw usageError(`roi: ${what} "${text}" is not a positive number.`);
}

const nanoseconds: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  min: 60e9,
  h: 3600e9,
};

function timeOf(what: string, text: string): number {
  const [, digits = '', unit = ''] = /^([\d.]+(?:e[+-]?\d+)?)([a-zµ]+)$/i.exec(text) ?? [];
  const value = Number(digits) * (nanoseconds[unit] ?? NaN);
  if (digits !== '' && value > 0 && value < Infinity) return value;
  throw usageError(`roi: ${what} "${text}" is not a time.`, 'Write 10ms, 250us, 1.5s or 800ns.');
}

function tableOf(returns: readonly Return[]): string {
  const text = (name: string) => ({ name, type: 'text' as const });
  const number = (name: string) => ({ name, type: 'integer' as const });
  const columns = [
    text('Candidate'),
    ...['Before', 'After', 'Speedup', 'Runs/day', 'Saved/day', 'Engineer-days'].map(number),
    ...['Saved/engineer-day', 'Break-even'].map(number),
  ];
  const seconds = (value: number): string => formatTime(value * 1e9);
  const rows = returns.map((each) => [
    ...[each.name, formatTime(each.beforeNs), formatTime(each.afterNs), `${each.speedup.toFixed(2)}x`],
    ...[formatNumber(each.runsPerDay), seconds(each.savedSecondsPerDay), formatNumber(each.engineerDays)],
    seconds(each.savedSecondsPerEngineerDay),
    each.breakEvenDays === null ? 'never' : `${formatNumber(Math.ceil(each.breakEvenDays * 10) / 10)} days`,
  ]);
  return toText(columns, rows);
}
