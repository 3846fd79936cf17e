/**
 * Source text to read, with highlighting and search, and in a margin what each line cost.
 *
 *   const source = new SourceView(element, { choose: (line) => …, step: (direction) => … });
 *   source.show(text);
 *   source.mark(new Map([[17, { text: '81.2 %', heat: 0.8, colour: 'red', title: 'Mostly …', change: '' }]]));
 *   source.choose(17, 'center');
 */
import { searchKeymap, search } from '@codemirror/search';
import { cpp } from '@codemirror/lang-cpp';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec, RangeSet, StateEffect, StateField, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  GutterMarker,
  MatchDecorator,
  ViewPlugin,
  gutter,
  keymap,
  lineNumbers,
  type ViewUpdate,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

export interface LineMark {
  text: string;
  /** 0 to 1. */
  heat: number;
  colour: string;
  title: string;
  /** Difference from a baseline; empty: none. */
  change: string;
}

const setMarks = StateEffect.define<ReadonlyMap<number, LineMark>>();
const setChosen = StateEffect.define<number | null>();

const marks = StateField.define<ReadonlyMap<number, LineMark>>({
  create: () => new Map(),
  update: (value, { effects }) => effects.findLast((effect) => effect.is(setMarks))?.value ?? value,
});
const chosen = StateField.define<number | null>({
  create: () => null,
  update(value, { effects }) {
    const effect = effects.findLast((each) => each.is(setChosen));
    return effect ? (effect.value as number | null) : value;
  },
});
/** Decorations of each line: its number and whether it is chosen or has a mark, for styles, and for those who look for it. */
const lines = EditorView.decorations.compute(['doc', marks, chosen], (state) => {
  const all = state.field(marks);
  const current = state.field(chosen);
  const ranges = Array.from({ length: state.doc.lines }, (_, index) => {
    const number = index + 1;
    const names = [...(all.has(number) ? ['measured'] : []), ...(number === current ? ['chosen'] : [])];
    return Decoration.line({ class: names.join(' '), attributes: { 'data-line': String(number) } }).range(
      state.doc.line(number).from,
    );
  });
  return RangeSet.of(ranges);
});

class Heat extends GutterMarker {
  private readonly mark: LineMark;
  private readonly line: number;
  constructor(mark: LineMark, line: number) {
    super();
    this.mark = mark;
    this.line = line;
  }
  override eq(other: GutterMarker): boolean {
    return other instanceof Heat && other.mark === this.mark && other.line === this.line;
  }
  override toDOM(): Node {
    const { text, heat, colour, title, change } = this.mark;
    const element = document.createElement('span');
    element.className = 'heat';
    element.dataset['heat'] = String(this.line);
    element.title = title;
    const fill = element.appendChild(document.createElement('span'));
    fill.className = 'fill';
    fill.style.width = `${100 * heat}%`;
    fill.style.background = colour;
    const value = element.appendChild(document.createElement('span'));
    value.className = 'value';
    value.textContent = text;
    if (change) {
      const difference = element.appendChild(document.createElement('span'));
      difference.className = 'difference';
      difference.textContent = change;
    }
    return element;
  }
}
const heats = gutter({
  class: 'heats',
  lineMarker(view, block) {
    const { number } = view.state.doc.lineAt(block.from);
    const mark = view.state.field(marks).get(number);
    return mark ? new Heat(mark, number) : null;
  },
  lineMarkerChange: ({ transactions }) =>
    transactions.some(({ effects }) => effects.some((effect) => effect.is(setMarks))),
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.processingInstruction], color: 'var(--code-keyword)' },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--code-type)' },
  { tag: [tags.string, tags.character], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--text-3)', fontStyle: 'italic' },
]);

/** Words that CUDA adds to C++, which its grammar takes for names. */
const cudaWords = new MatchDecorator({
  regexp:
    /\b(__(?:global|device|host|shared|constant|managed|grid_constant|restrict|launch_bounds|forceinline|noinline)__)\b|\b(threadIdx|blockIdx|blockDim|gridDim|warpSize)\b/g,
  decoration: ([, keyword]) => Decoration.mark({ class: keyword ? 'cuda-keyword' : 'cuda-variable' }),
});
const cuda = ViewPlugin.define(
  (view) => ({
    words: cudaWords.createDeco(view),
    update(change: ViewUpdate) {
      this.words = cudaWords.updateDeco(change, this.words);
    },
  }),
  { decorations: ({ words }) => words },
);

export interface SourceViewEvents {
  choose(line: number): void;
  /** To the next line that has a mark, or the one before. */
  step(direction: 1 | -1): void;
}

export class SourceView {
  private readonly view: EditorView;
  private readonly extensions: Extension;

  constructor(parent: HTMLElement, { choose, step }: SourceViewEvents) {
    const move = (direction: 1 | -1) => (): boolean => {
      step(direction);
      return true;
    };
    this.extensions = [
      ...[lineNumbers(), heats, marks, chosen, lines, cpp(), cuda, syntaxHighlighting(colours), search({ top: true })],
      EditorState.readOnly.of(true),
      // Its rules are an element of the page, which the policy allows by this alone.
      EditorView.cspNonce.of(document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({
        ...{ tabindex: '0', 'aria-label': 'Source', 'aria-readonly': 'true', 'data-testid': 'kernel-source' },
      }),
      Prec.high(
        keymap.of([
          { key: 'ArrowDown', run: move(1) },
          { key: 'ArrowUp', run: move(-1) },
        ]),
      ),
      keymap.of(searchKeymap),
      EditorView.domEventHandlers({
        click(event, view) {
          const at = view.posAtCoords(event, false);
          choose(view.state.doc.lineAt(at).number);
        },
      }),
    ];
    this.view = new EditorView({ parent, state: this.stateOf('') });
  }

  private stateOf(text: string): EditorState {
    return EditorState.create({ doc: text, extensions: this.extensions });
  }

  show(text: string): void {
    this.view.setState(this.stateOf(text));
  }
  mark(all: ReadonlyMap<number, LineMark>): void {
    this.view.dispatch({ effects: setMarks.of(all) });
  }
  /** `scroll`: where the line should be seen; `nearest` moves no more than it must. */
  choose(line: number | null, scroll: 'center' | 'nearest'): void {
    const { doc } = this.view.state;
    const at = line !== null && line >= 1 && line <= doc.lines ? doc.line(line).from : null;
    this.view.dispatch({
      effects: [
        setChosen.of(at === null ? null : line),
        ...(at === null ? [] : [EditorView.scrollIntoView(at, { y: scroll })]),
      ],
    });
  }
  destroy(): void {
    this.view.destroy();
  }
}
