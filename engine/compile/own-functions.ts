/**
 * Which functions of a linked program with names as in C come from the user's files: those names do not say whose they are, and V8 is given hints for
 * the user's own (cuda/host-code/tiers.ts). The linked program carries their names in a section of its own.
 */
import { ownFunctionsSection } from '../base/program-sections.ts';
import { customSection, Writer, type Reader } from '../base/wasm-binary.ts';

/** Of the conventions for linking (WebAssembly tool conventions, Linking.md): the symbol table, functions in it, and its flags. */
const symbolTable = 8;
const kinds = { function: 0, data: 1, section: 3 } as const;
const flag = { undefined: 0x10, explicitName: 0x40 } as const;

/** The program with the names of functions that its objects define, apart from those that C++ mangles. */
export function withOwnFunctions(host: Uint8Array, objects: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const names = [...new Set(objects.flatMap((object) => [...definedFunctions(object)]))].filter(
    (name) => !name.startsWith('_Z'),
  );
  const content = new Writer().name(ownFunctionsSection).u32(names.length);
  for (const name of names) content.name(name);
  return new Writer().all(host).byte(0).sized(content.written).written.slice();
}

function* definedFunctions(object: Uint8Array): Generator<string> {
  const linking = customSection(object, 'linking');
  if (linking === null) return;
  // Its version.
  linking.skipNumber();
  while (linking.at < linking.end) {
    const isSymbolTable = linking.byte() === symbolTable;
    const part = linking.part(linking.u32());
    if (isSymbolTable) yield* functionsOf(part);
  }
}

function* functionsOf(table: Reader): Generator<string> {
  const isSet = (flags: number, bit: number): boolean => (flags & bit) !== 0;
  for (let left = table.u32(); left > 0; left--) {
    const kind = table.byte();
    const flags = table.u32();
    const isDefined = !isSet(flags, flag.undefined);
    if (kind === kinds.data) {
      table.skip(table.u32());
      if (isDefined) for (let number = 0; number < 3; number++) table.skipNumber();
    } else {
      table.skipNumber();
      if (kind === kinds.section || !(isDefined || isSet(flags, flag.explicitName))) continue;
      const name = table.name();
      if (kind === kinds.function && isDefined) yield name;
    }
  }
}
