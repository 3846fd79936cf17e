/**
 * Who may know whom (`npm run lint`). The engine's folders stand on floors (build/floors.json), types included: a folder knows those on
 * lower floors, and none beside it or above. The page knows `engine/model` and the contract, Electron knows the API.
 */
const { floors } = require('./build/floors.json');

/** What is shared with the page: plain types and pure functions, but no schemas. */
const shared =
  '^engine/(model/(?!record-schema)(event-kinds/)?[^/]+|api/(types|contract|rpc|frame)|base/(errors|units))\\.ts$';

const onFloors = floors.flatMap((folders, floor) =>
  folders.map((folder) => ({
    name: `floor-of-${folder}`,
    comment: `engine/${folder} knows only what is on lower floors, types included: see build/floors.json.`,
    severity: 'error',
    from: { path: `^engine/${folder}/`, pathNot: '\\.test\\.ts$' },
    to: {
      path: '^engine/[^/]+/',
      pathNot: `^engine/(${[folder, ...floors.slice(0, floor).flat()].join('|')})/`,
    },
  })),
);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...onFloors,
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or miss a third.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unresolved',
      comment: "An import must lead somewhere; one of Electron's own leads into it.",
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^original-fs$' },
    },
    {
      name: 'engine-stands-alone',
      comment: 'The engine is a library with a command line: it knows neither Electron nor a page.',
      severity: 'error',
      from: { path: '^engine/' },
      to: { path: '^(electron|renderer|test|build)/|node_modules/(electron|svelte|pixi\\.js|playwright[^/]*)/' },
    },
    {
      name: 'renderer-knows-the-api-only',
      comment: 'The page holds the types, the client and the framing; it never holds the engine.',
      severity: 'error',
      from: { path: '^renderer/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(engine|electron|test|build)/',
        pathNot: shared,
      },
    },
    {
      name: 'renderer-knows-the-contract-as-type',
      comment: 'The contract holds zod schemas, which the page does not need: import its types.',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { path: '^engine/api/contract\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'page-without-node',
      comment: 'The page is sandboxed: there is no Node in it.',
      severity: 'error',
      from: {
        path: '^(renderer/src|engine/model/|engine/api/(types|rpc|frame)\\.ts|engine/base/(errors|units|limits)\\.ts)',
        pathNot: '\\.test\\.ts$',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'electron-is-thin',
      comment: 'The shell knows how to start the engine and what crosses the bridge, not how anything works.',
      severity: 'error',
      from: { path: '^electron/' },
      to: { path: '^(engine|renderer|test|build)/', pathNot: '^engine/(api|base|host|model)/' },
    },
    {
      name: 'production-code-without-tests',
      severity: 'error',
      from: { path: '^(electron|engine|renderer)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^test/|\\.(test|spec)\\.ts$' },
    },
    {
      name: 'shipped-code-needs-shipped-packages',
      comment: 'devDependencies are not in the packed app.',
      severity: 'error',
      from: { path: '^engine/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.svelte', '.d.ts', '.json'],
    },
  },
};
