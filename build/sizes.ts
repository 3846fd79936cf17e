/**
 * Sizes of functions and classes (`npm run lint`): none of the product is longer than the limits.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './node.mjs';
import { sourceFiles } from './source-files.ts';

/** Lines. */
const limits = { function: 120, class: 500 };

function nameOf(node: ts.Node): string {
  if (ts.isConstructorDeclaration(node)) return `${nameOf(node.parent)}.constructor`;
  const { name } = node as { name?: ts.Node };
  if (name) return name.getText();
  return ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : '(without a name)';
}

/** Functions and classes of a file that are longer than the limits. */
function longIn(path: string): { name: string; kind: 'function' | 'class'; lines: number }[] {
  const file = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: ReturnType<typeof longIn> = [];
  const visit = (node: ts.Node): void => {
    const kind = ts.isClassLike(node) ? 'class' : ts.isFunctionLike(node) && 'body' in node ? 'function' : null;
    if (kind !== null) {
      const [first, last] = [node.getStart(), node.getEnd()].map((at) => file.getLineAndCharacterOfPosition(at).line);
      const lines = last! - first! + 1;
      if (lines > limits[kind]) found.push({ name: `${path} ${nameOf(node)}`, kind, lines });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const paths = sourceFiles(['build', 'electron', 'engine', 'renderer/src'], ['ts']);
const complaints = paths
  .flatMap(longIn)
  .map(({ name, kind, lines }) => `${name}: ${lines} lines, ${limits[kind]} at most for a ${kind}`);
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
