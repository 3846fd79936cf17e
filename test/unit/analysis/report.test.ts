/** Reports as documents: what is in them, that nothing in a recording can get out of its place, and that they are the same each time. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { documentOf, writeReport } from '../../../engine/analysis/report/index.ts';
import { svgFile } from '../../../engine/analysis/report/drawing.ts';
import { toHtml } from '../../../engine/analysis/report/html.ts';
import { toMarkdown } from '../../../engine/analysis/report/markdown.ts';
import { findingsSection } from '../../../engine/analysis/report/sections/findings.ts';
import { whatIfSection } from '../../../engine/analysis/report/sections/what-if.ts';
import { escaped, markdownCode, markdownFenced, markdownText } from '../../../engine/analysis/report/text.ts';
import { waterfallPicture } from '../../../engine/analysis/report/waterfall-picture.ts';
import { ns } from '../../../engine/base/units.ts';
import type { Finding } from '../../../engine/model/findings.ts';
import type { LiftedLimit, WhatIfResult } from '../../../engine/model/what-if.ts';
import { readWhatIf } from '../../../engine/analysis/what-if-results.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { kernelsNsOf } from '../../../engine/trace/trace.ts';
import { api, copy, kernel, temporaryFolder, write } from '../trace/example-recording.ts';
import { checkMarkup, textOf } from './markup.ts';

const folder = temporaryFolder();
const path = write(join(folder, 'saxpy.simsight'));
const trace = openTrace(path);
afterAll(() => trace.close());
const name = 'saxpy.simsight';

const finding: Finding = {
  rule: 'bank-conflicts',
  stage: 'memory',
  title: 'Loads of tile take 16 wavefronts in place of 1',
  evidence: [
    { name: 'l1tex__data_bank_conflicts_pipe_lsu.sum', value: 12_345, unit: 'count' },
    { name: 'share of the time', value: 41.25, unit: 'percent' },
    { name: 'time', value: 1500, unit: 'ns' },
    { name: 'traffic', value: 2e12, unit: 'bytes-per-second' },
    { name: 'moved', value: 4 * 2 ** 20, unit: 'bytes' },
    { name: 'wavefronts per request', value: 16.5, unit: 'ratio' },
  ],
  places: [
    { kind: 'line', kernel: 1, file: 'saxpy.cu', line: 2 },
    { kind: 'kernel', kernel: 99, name: 'elsewhere' },
    { kind: 'event', ref: { kind: 'api', row: 3 }, label: 'cudaMemcpy' },
    { kind: 'range', fromNs: 100, toNs: 2500, label: 'gap' },
  ],
  why: 'All lanes are in one bank.',
  todo: 'Pad the rows.',
  gain: { ns: 1000, basis: 'wavefronts that conflicts add' },
  lab: 'transpose',
};

describe('a report', () => {
  const html = writeReport(trace, 'html', { name });
  const markdown = writeReport(trace, 'markdown', { name });

  test('is one page that is well-formed, with a picture of the timeline', () => {
    expect(html.fileName).toBe('saxpy.report.html');
    expect(html.pictures).toEqual([]);
    checkMarkup(html.text);
    for (const id of ['timeline', 'kernels', 'kernel-1', 'api', 'memory', 'recording'])
      expect(html.text).toContain(`<section id="${id}">`);
    const text = textOf(html.text);
    expect(text).toContain('NVIDIA A100');
    expect(text).toContain('saxpy.cu 1024 fast');
    expect(text).toContain('void saxpy<float>(int, float, float const*, float*)');
    expect(text).toContain('Stream 13 (priority -5)');
  });

  test('fetches and runs nothing', () => {
    expect(html.text).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\son\w+=|https?:/i);
    expect(html.text).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });

  test('as Markdown has its pictures beside it, named after it', () => {
    expect(markdown.fileName).toBe('saxpy.report.md');
    expect(markdown.pictures.map(({ fileName }) => fileName)).toContain('saxpy.report.timeline.svg');
    for (const { fileName, text } of markdown.pictures) {
      expect(markdown.text).toContain(`](${fileName})`);
      checkMarkup(text);
    }
    expect(markdown.text).toMatch(/^# Saxpy\n/);
    expect(markdown.text).toMatch(/^\| DRAM \| [█░]{20} \| [\d.]+ % · /m);
  });

  test('is the same each time, wherever the trace is', () => {
    const copy = openTrace(write(join(temporaryFolder(), 'other.simsight')));
    for (const format of ['html', 'markdown'] as const)
      expect(writeReport(copy, format, { name })).toEqual(format === 'html' ? html : markdown);
    copy.close();
    expect(html.text + markdown.text).not.toContain(folder);
  });

  test('can have another name, and Markdown’s pictures take it', () => {
    const { fileName, pictures, text } = writeReport(trace, 'markdown', { name }, 'a (b).md');
    expect(fileName).toBe('a (b).md');
    expect(pictures[0]!.fileName).toBe('a (b).timeline.svg');
    expect(text).toContain('](a%20%28b%29.timeline.svg)');
    expect(writeReport(trace, 'html', { name: 'my run.simsight' }).fileName).toBe('my-run.report.html');
  });

  test('says what the recording does not hold', () => {
    const bare = openTrace(write(join(folder, 'bare.simsight'), [api('cudaFree', 0, 10, 1)]));
    const text = textOf(writeReport(bare, 'html', { name: 'bare.simsight' }).text);
    expect(text).toContain(
      'The recording holds no kernels, no copies, no console output; their sections are left out.',
    );
    bare.close();
    const empty = openTrace(write(join(folder, 'empty.simsight'), []));
    for (const format of ['html', 'markdown'] as const)
      expect(writeReport(empty, format, { name: 'empty.simsight' }).text).toContain('no events');
    empty.close();
  });

  test('of many kernels shows the first twenty and five in full', () => {
    const names = Array.from({ length: 30 }, (_, i) => `_Z${i < 10 ? 2 : 3}k${i}v`);
    const events = names.map((each, i) => kernel(i * 1000, i * 1000 + 100 + i, i + 1, 7, { kernel: each }));
    const many = openTrace(write(join(folder, 'many.simsight'), events));
    const { text } = writeReport(many, 'html', { name: 'many.simsight' });
    expect(text.match(/<section id="kernel-\d+">/g)).toHaveLength(5);
    expect(textOf(text)).toContain('10 more kernels took less time.');
    expect(textOf(text)).toContain('The 5 of 30 kernels that took the most time follow one by one.');
    many.close();
  });

  test('compares, with a waterfall that adds up', () => {
    const quick = openTrace(write(join(folder, 'quick.simsight'), [kernel(0, 300, 1), copy(400, 900, 2)]));
    const slow = openTrace(write(join(folder, 'slow.simsight'), [kernel(0, 700, 1), copy(800, 1000, 2)]));
    const { text } = writeReport(quick, 'html', {
      name: 'quick.simsight',
      before: { trace: slow, name: 'slow.simsight' },
    });
    checkMarkup(text);
    const own = textOf(text);
    expect(own).toContain('2.33× faster');
    expect(own).toContain('2.50× slower');
    const section = text.slice(text.indexOf('<section id="comparison">'), text.indexOf('<section id="kernels">'));
    // 1 µs before; 400 ns less of the kernel, 300 more of the copy, as long a gap; 900 ns after.
    expect([...section.matchAll(/<text[^>]*>([−+]?\d+ [nµ]s)</g)].map(([, ns]) => ns)).toEqual([
      ...['1 µs', '−400 ns', '+300 ns', '900 ns'],
    ]);
    quick.close();
    slow.close();
  });
});

describe('what to do', () => {
  const anchorOf = (kernel: number): string => (kernel === 1 ? 'kernel-1' : '');

  test('findings by stage, with evidence and ways to the kernels', () => {
    const stop: Finding = { ...finding, rule: 'near-roof', stage: 'stop', title: 'Stop here', gain: null, lab: null };
    const first: Finding = { ...finding, rule: 'gaps', stage: 'timeline', title: 'Gaps' };
    const section = findingsSection([stop, finding, first], 4000, anchorOf)!;
    expect(section.sections!.map(({ id }) => id)).toEqual(['advice-timeline', 'advice-memory', 'advice-stop']);
    const kernels = { id: 'kernel-1', title: ['saxpy'], blocks: [] };
    const document = { title: 'T', subtitle: [], blocks: [], sections: [section, kernels] };
    const html = toHtml(document);
    checkMarkup(html);
    expect(html).toContain(
      '<a href="#kernel-1">saxpy.cu:2</a>; <code>elsewhere</code>; cudaMemcpy; gap, 100 ns to 2.5 µs',
    );
    const text = textOf(html);
    for (const words of ['12,345', '41.3 %', '1.5 µs', '2.00 TB/s', '4 MiB', '16.5']) expect(text).toContain(words);
    expect(text).toContain('up to 1 µs (25 % of the recording): wavefronts that conflicts add');
    expect(text).toContain('shown by the lab transpose');
    expect(toMarkdown(document, (each) => each).text).toContain(
      '| `l1tex__data_bank_conflicts_pipe_lsu.sum` | 12,345 |',
    );
    expect(findingsSection([], 4000, anchorOf)).toBeNull();
  });

  const limit = (title: string, gainNs: number): LiftedLimit => ({
    ...{ limit: 'latency', title, meaning: title, changes: title, totalNs: 4000 - gainNs, kernelsNs: 0, gainNs },
    ...{ inEffect: gainNs !== 0, path: null, kernels: gainNs === 0 ? [] : [changed] },
  });
  const changed = { name: 'saxpy(int)', count: 2, beforeNs: 1500, afterNs: 1000 };
  const whatIf = (totalNs: number, kernelsNs: number): WhatIfResult => ({
    ...{ title: 'saxpy.cu', gpu: trace.facts.gpu!.name, exitCode: 0, real: null },
    baseline: { totalNs, kernelsNs, kernels: [], path: null },
    limits: [limit('free launches', 1000), limit('no bank conflicts', 500), limit('no latency', 0)],
  });
  const own = whatIf(trace.info.durationNs, kernelsNsOf(trace));

  test('is part of the report, and so are what-ifs of the same recording, with the fix beside', () => {
    const { sections } = documentOf(trace, { name, findings: [finding], whatIf: own });
    expect(sections.map(({ id }) => id).slice(0, 4)).toEqual(['timeline', 'advice', 'what-if', 'kernels']);
    const real = { title: 'padded', totalNs: 3400, gainNs: 600 };
    const { blocks } = whatIfSection({
      name: 'As recorded',
      result: { ...own, baseline: whatIf(4000, 1).baseline },
      real,
    });
    const block = blocks.find(({ type }) => type === 'picture');
    const svg = block?.type === 'picture' ? svgFile(block.picture) : '';
    checkMarkup(svg);
    expect([...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text)).toEqual([
      ...['As recorded', '4 µs', 'free launches', '−1 µs (25.0 %)', 'no bank conflicts', '−500 ns (12.5 %)'],
      ...['The fix: padded', '−600 ns (15.0 %)'],
    ]);
    const table = blocks.find((each) => each.type === 'table');
    expect(table?.type === 'table' && table.rows.map((row) => row[2])).toEqual([['1 µs'], ['500 ns'], ['600 ns']]);
    expect(JSON.stringify(blocks.at(-1))).toContain('Worth nothing here: no latency.');
    expect(JSON.stringify(table)).toContain('saxpy(int)');
  });

  test('what-ifs of the recording before show what this one has really brought; of others they are refused', () => {
    const slower = write(join(folder, 'slower.simsight'), [
      api('cudaLaunchKernel_v7000', 0, 90_000, 1),
      kernel(100, 95_000, 1, 7),
    ]);
    const before = openTrace(slower);
    const ofBefore = whatIf(before.info.durationNs, kernelsNsOf(before));
    const { text } = writeReport(trace, 'html', { name, before: { trace: before, name: 'slower' }, whatIf: ofBefore });
    expect(text).toContain(`The fix: ${trace.info.title}`);
    expect(text).toContain('Before: slower');
    for (const other of [
      whatIf(trace.info.durationNs + 1, kernelsNsOf(trace)),
      { ...own, gpu: 'GT 710' },
      whatIf(trace.info.durationNs, 1),
    ])
      expect(() => documentOf(trace, { name, whatIf: other })).toThrow(/saxpy\.simsight is none of it/);
    before.close();
  });

  test('results of what-ifs are read back as they were written, and nothing else is', () => {
    const file = join(folder, 'what-if.json');
    writeFileSync(file, JSON.stringify(own));
    expect(readWhatIf(file)).toEqual(own);
    for (const content of ['', '{', '[]', JSON.stringify({ ...own, limits: [{ limit: 'gravity' }] })]) {
      writeFileSync(file, content);
      expect(() => readWhatIf(file)).toThrow(/is no result of a what-if/);
    }
    expect(() => readWhatIf(join(folder, 'none.json'))).toThrow(/There is no file/);
  });

  test('a waterfall of nothing is drawn as well', () => {
    checkMarkup(svgFile(waterfallPicture('w', 'Nothing', { before: 'a', after: 'b' }, 0, [{ name: 'c', change: 0 }])));
  });
});

describe('text that wants to be something else', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '</style><img src=x onerror=alert(1)>',
    '](javascript:alert(1)) [a](javascript:alert(2))',
    '"><svg onload=alert(1)>',
    '--> ]]> &lt; &#x3c; \u0000\u0007\u001b[31m\u202e \ud800',
    '```\n# heading\n| a | b |\n`` ` ``',
    "@octocat #1 https://example.invalid www.example.invalid ' \\",
  ];

  test('stays text in a page', () => {
    expect(escaped('<a href="x" id=\'y\'>&</a>\u0000\n')).toBe(
      '&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;&lt;/a&gt;␀\n',
    );
    expect(escaped('a\u202eb\ud800c\u0085')).toBe('a\ufffdb\ufffdc\ufffd');
    expect(escaped('\u001b[31m')).toBe('␛[31m');
  });

  test('stays text in Markdown', () => {
    expect(markdownText('[a](javascript:b) <i> `c` | *d* _e_ ~f~')).toBe(
      String.raw`\[a\](javascript:b) \<i\> \`c\` \| \*d\* \_e\_ \~f\~`,
    );
    expect(markdownText('https://x www.y @z #1 \u0007\n')).toBe('https\\://x www\\.y @\u200bz \\#1 ␇ ');
    expect([markdownText('- a'), markdownText('1. b'), markdownText('===')]).toEqual(['\\- a', '1\\. b', '\\===']);
    expect(markdownText('12.345 µs (2 of 3): +1')).toBe('12.345 µs (2 of 3): +1');
    expect(markdownCode('a `` | b`', true)).toBe('``` a `` \\| b` ```');
    expect(markdownFenced('```\nx')).toBe('````\n```\nx\n````');
  });

  test.each(hostile.map((text, i) => [i, text] as const))('in every place of a report: %i', (i, text) => {
    const mangled = `_Z${i}evil`;
    const file = join(folder, `hostile-${i}.simsight`);
    const events = [
      api(text, 0, 40, 1),
      kernel(50, 5000, 1, 7, { kernel: mangled }),
      { type: 'console', time: ns(10), stream: 'stdout', text: `${text}\n` } as const,
    ];
    write(file, events, {
      title: text,
      program: text,
      arguments: [text],
      sources: [{ path: text, text }],
      names: new Map([[mangled, { demangled: `void ${text}()`, short: text }]]),
    });
    const evil = openTrace(file);
    const input = {
      name: `${text}.simsight`,
      before: { trace: evil, name: text },
      findings: [
        {
          ...finding,
          ...{ title: text, why: text, todo: text, rule: text, lab: text, gain: { ns: 1, basis: text } },
          evidence: [{ name: text, value: 1, unit: 'count' as const }],
          places: [
            { kind: 'kernel' as const, kernel: 1, name: text },
            { kind: 'range' as const, fromNs: 0, toNs: 1, label: text },
          ],
        },
      ],
      whatIf: {
        ...{ title: text, gpu: evil.facts.gpu!.name, exitCode: 0 },
        baseline: { totalNs: evil.info.durationNs, kernelsNs: kernelsNsOf(evil), kernels: [], path: null },
        limits: [
          {
            ...{
              limit: 'latency' as const,
              title: text,
              meaning: text,
              changes: text,
              totalNs: 1,
              kernelsNs: 1,
              gainNs: 100,
            },
            ...{ inEffect: true, path: null, kernels: [{ name: text, count: 1, beforeNs: 2, afterNs: 1 }] },
          },
        ],
        real: { title: text, path: text, totalNs: 1, kernelsNs: 1, gainNs: 50 },
      },
    };
    const html = writeReport(evil, 'html', input, 'evil.html').text;
    // The only elements and attributes are those that the writer knows.
    checkMarkup(html);
    const { text: markdown, pictures } = writeReport(evil, 'markdown', input, 'evil.md');
    for (const picture of pictures) checkMarkup(picture.text);
    const outsideOfCode = markdown
      .replaceAll(/^(`{3,})[^`\n]*\n[^]*?^\1$/gm, '')
      .replaceAll(/(?<![\\`])(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, '');
    const links = [...outsideOfCode.matchAll(/(?<!\\)\]\(([^)]*)\)/g)].map(([, address]) => address!);
    expect(links.filter((address) => !/^(#[\w-]+|evil\.[\w.-]+\.svg)$/.test(address))).toEqual([]);
    expect(outsideOfCode.match(/(?<!\\)<(?!a id="[\w-]+"><\/a>|\/a>)/g)).toBeNull();
    evil.close();
  });
});
