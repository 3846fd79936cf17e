/** The table of recording options: each row is reached from everywhere, and what it can be is the same everywhere. */
import { describe, expect, test } from 'vitest';
import { contract } from '../../../engine/api/contract.ts';
import { SimsightError } from '../../../engine/base/errors.ts';
import { allOptions } from '../../../engine/cli/command.ts';
import { flagChoices, spelled } from '../../../engine/cli/option-flags.ts';
import { parseProgram, parseWhatIf, recordingOptions } from '../../../engine/cli/program.ts';
import { record } from '../../../engine/cli/record.ts';
import { sweep } from '../../../engine/cli/sweep.ts';
import { choicesOf, parseOption } from '../../../engine/model/option-text.ts';
import {
  axisIds,
  axisOf,
  callOptions,
  fieldIds,
  fieldOf,
  flagIds,
  flagOf,
  noticesOf,
  onlyOptions,
  optionIds,
  rowOf,
  sweepAxisKinds,
  type FieldOption,
  type FlagOption,
  type OptionId,
  type RecordOptions,
} from '../../../engine/model/record-options.ts';
import { checkedAxes, optionsAt } from '../../../engine/sweep/axes.ts';
import { complaintOf, emptyForm, formOf, optionsOf } from '../../../renderer/src/record/record-form.ts';

const least: RecordOptions = {
  ...{ sources: ['/a.cu'], gpu: 'a100', includeFolders: [], defines: [], environment: [], arguments: [] },
};
const form = { ...emptyForm(), sources: ['/a.cu'], gpu: 'a100' };

/** Texts that an option takes, with their values, and texts that it refuses. */
function samples(id: OptionId): { taken: [text: string, value: unknown][]; refused: string[] } {
  const { type } = rowOf(id);
  switch (type.kind) {
    case 'switch':
      return { taken: [['', true]], refused: [] };
    case 'text':
    case 'path':
    case 'paths':
    case 'name':
      return { taken: [['h200', 'h200']], refused: [] };
    case 'texts':
      return type.pattern === undefined
        ? { taken: [['a b', 'a b']], refused: [] }
        : { taken: [['A=b c', 'A=b c']], refused: ['=1'] };
    case 'choice':
    case 'choices':
      return {
        taken: choicesOf(id).map((name) => [name, name]),
        refused: ['toString', choicesOf(id)[0]!.toUpperCase()],
      };
    case 'percent':
      return {
        taken: [...['0', '100'].map((text): [string, number] => [text, Number(text)]), ['50 %', 50], ['007', 7]],
        refused: ['101', '-1', '1.5', '1e1', 'half'],
      };
    case 'integer':
      return {
        taken: [type.least, type.most].map((value) => [String(value), value]),
        refused: [String(type.least - 1), String(type.most + 1), '1.5', '1e1', '0x10', 'many'],
      };
    case 'number':
      return {
        taken: [
          ['0.5', 0.5],
          ['2e3', 2000],
          ['.25', 0.25],
          ...(type.most ? [[`${type.most}`, type.most] as [string, number]] : []),
        ],
        refused: ['0', '-1', '1e999', '2K', 'NaN', ...(type.most ? [`${type.most + 1}`] : [])],
      };
    case 'bytes':
      return {
        taken: [
          ['8192', 8192],
          ['8K', 8192],
          ['1.5m', 1.5 * 2 ** 20],
          ['0.3K', 307],
          [String(type.least), type.least],
        ],
        refused: [
          '1.5',
          '-1',
          '8T',
          'one',
          ...(type.most ? [`${type.most + 1}`, '2048G'] : []),
          ...(type.least ? ['0'] : []),
        ],
      };
  }
}
const isList = (id: OptionId): boolean => ['texts', 'choices'].includes(rowOf(id).type.kind);

describe('each option with a flag', () => {
  const given = (id: FlagOption, text: string): RecordOptions => {
    const words = rowOf(id).type.kind === 'switch' ? [`--${flagOf(id).name}`] : [`--${flagOf(id).name}=${text}`];
    return parseProgram('record', ['/a.cu', ...words]).options;
  };
  test.each(flagIds)(
    '%s: is an option of commands, has help, takes its values and refuses others by its name',
    (id) => {
      expect(Object.keys(allOptions(recordingOptions))).toContain(flagOf(id).name);
      expect(record.help).toContain(spelled(id));
      if (choicesOf(id).length > 0) expect(flagChoices[flagOf(id).name]).toEqual(choicesOf(id));
      const { taken, refused } = samples(id);
      for (const [text, value] of taken) expect(given(id, text)[id]).toEqual(isList(id) ? [value] : value);
      for (const text of refused) {
        expect(() => given(id, text)).toThrow(
          expect.objectContaining({ code: 'usage', message: expect.stringContaining(`${spelled(id)} ${text} is`) }),
        );
      }
    },
  );
  test('of a what-if are those of recordings, but for what it lifts itself', () => {
    expect(parseWhatIf(['/a.cu', '--carveout', '50', '--limit', 'latency'])).toMatchObject({
      options: { carveout: 50 },
      limits: ['latency'],
    });
    expect(() => parseWhatIf(['/a.cu', '--lift', 'latency'])).toThrow(SimsightError);
  });
  test('of a sweep are in its help', () => {
    const own: readonly OptionId[] = callOptions('sweep');
    for (const id of flagIds) {
      if (own.includes(id) || axisIds.some((axis) => axis === id)) expect(sweep.help).toContain(spelled(id));
    }
  });
});

describe('each option with a field', () => {
  test.each(fieldIds)(
    '%s: takes from the dialog what the command line takes, says what is wrong, and comes back',
    (id) => {
      const { taken, refused } = samples(id);
      const isSwitch = rowOf(id).type.kind === 'switch';
      const typed = (text: string) => ({
        ...form,
        [id]: isSwitch ? 'yes' : isList(id) ? `"${text}"` : ` ${text} `,
      });
      for (const [text, value] of taken) {
        const { type } = rowOf(id);
        const isUsual = type.kind === 'choice' && type.usual === value;
        const options = optionsOf(typed(text));
        expect(options[id]).toEqual(isUsual ? undefined : isList(id) ? [value] : value);
        expect(complaintOf(typed(text))).toBeNull();
        expect(optionsOf(formOf(options))).toEqual(options);
      }
      for (const text of refused) {
        expect(complaintOf(typed(text))).toMatch(fieldOf(id).label);
        expect(complaintOf(typed(text))).toContain(`“${text}” is`);
      }
    },
  );
  test('an empty form is what nobody asked for', () => {
    expect(optionsOf(form)).toEqual(least);
    expect(Object.keys(emptyForm()).sort()).toEqual([...fieldIds, 'sources', 'gpu', 'gpuCount'].sort());
  });
});

describe('the API', () => {
  const { params } = contract['record.run'];
  /** Value that a caller could send without the parser. */
  const untaken = (text: string): unknown => (text !== '' && Number.isFinite(Number(text)) ? Number(text) : text);
  test.each(optionIds)('%s: has the bounds of the parser', (id) => {
    const { taken, refused } = samples(id);
    const wrap = (value: unknown): unknown => (isList(id) || rowOf(id).type.kind === 'paths' ? [value] : value);
    for (const [, value] of taken)
      expect(params.parse({ ...least, [id]: wrap(value) })).toHaveProperty(id, wrap(value));
    for (const text of refused) {
      if (parseOption(id, String(untaken(text))) !== undefined) continue;
      expect(params.safeParse({ ...least, [id]: wrap(untaken(text)) }).success).toBe(false);
    }
    expect(params.safeParse({ ...least, [id]: null }).success).toBe(false);
  });
  test('takes what dialog and command line give, and nothing that no row has', () => {
    expect(params.parse(optionsOf(form))).toEqual(least);
    expect(params.parse(parseProgram('record', ['/a.cu', '--detail', 'full', '--cold-start']).options)).toMatchObject({
      detail: 'full',
      coldStart: true,
    });
    expect(params.safeParse({ ...least, speed: 1 }).success).toBe(false);
  });
  test('a sweep and a what-if do not have what they say themselves', () => {
    expect(callOptions('recording')).toEqual(optionIds);
    expect(optionIds.filter((id) => !(callOptions('what-if') as readonly OptionId[]).includes(id))).toEqual([
      'lifted',
      'output',
    ]);
    const sweeps: readonly OptionId[] = callOptions('sweep');
    expect(axisIds.filter((id) => sweeps.includes(id))).toEqual([]);
    expect(contract['record.whatIf'].params.safeParse({ ...least, lifted: 'latency' }).success).toBe(false);
    expect(contract['record.whatIf'].params.safeParse({ ...least, carveout: 50 }).success).toBe(true);
  });
});

describe('each option that sweeps can vary', () => {
  const numbers = axisIds.filter((id) => id !== 'gpu');
  test('has a kind and a name of its own', () => {
    for (const of of ['kind', 'name'] as const)
      expect(new Set(axisIds.map((id) => axisOf(id)[of])).size).toBe(axisIds.length);
    expect(sweepAxisKinds).toEqual(['define', 'argument', ...axisIds.map((id) => axisOf(id).kind)]);
  });
  test.each(numbers)('%s: values become those of the option, and others are refused', (id) => {
    const { taken, refused } = samples(id);
    const axis = { kind: axisOf(id).kind, name: axisOf(id).name };
    const gpu = { kind: axisOf('gpu').kind, name: 'GPU', values: ['a100-80gb'] };
    for (const [text, value] of taken) {
      const [checked] = checkedAxes([{ ...axis, values: [text] }]);
      expect(checked!.values).toEqual([String(value)]);
      expect(optionsAt([gpu, checked!], ['a100-80gb', checked!.values[0]!], least)).toHaveProperty(id, value);
    }
    expect(optionsAt([gpu, { ...axis, values: ['default'] }], ['a100-80gb', 'default'], least)).not.toHaveProperty(id);
    for (const text of refused)
      expect(() => checkedAxes([{ ...axis, values: [text] }])).toThrow(`${axis.name} cannot be "${text}"`);
  });
});

describe('notices', () => {
  const facts = { registersAllowed: (asked: number) => Math.max(24, asked) };
  const said = (options: Partial<RecordOptions>, leading = false): string[] =>
    noticesOf({ ...least, ...options }, facts, leading);
  test('in the order of the table; nothing of what is not given', () => {
    expect(said({})).toEqual([]);
    expect(said({ extraSharedBytes: 4096, carveout: 0, maxRegisters: 8 })).toEqual([
      'Kernels without __launch_bounds__ have at most 24 registers per thread, the fewest that ptxas takes, not 8, as by nvcc -maxrregcount.',
      'All kernels of the program prefer 0 % of the most shared memory over L1.',
      'All launches of the program have 4096 bytes of dynamic shared memory more than it says.',
    ]);
    expect(said({ extraSharedBytes: 0 })).toEqual([]);
  });
  test('a what-if leads all others', () => {
    const options = { lifted: 'latency', carveout: 5 } as const;
    expect(said(options)).toHaveLength(1);
    expect(said(options, true)).toEqual([expect.stringMatching(/^What if: times as with no latency, which is not/)]);
  });
});

test('only options are handed over, all of them', () => {
  const all = Object.fromEntries(optionIds.map((id) => [id, 1])) as unknown as RecordOptions;
  expect(onlyOptions({ ...all, onProgress: () => {}, signal: undefined })).toEqual(all);
  expect(onlyOptions({ carveout: undefined, hostRate: 2 })).toEqual({ hostRate: 2 });
});

test('flags, fields and axes have names of their own', () => {
  const spellings = flagIds.flatMap((id) => [flagOf(id).name, flagOf(id).short ?? []].flat());
  expect(new Set(spellings).size).toBe(spellings.length);
  expect(new Set(fieldIds.map((id: FieldOption) => fieldOf(id).label)).size).toBe(fieldIds.length);
});
