/**
 * Who may know whom (`npm run lint`). Dependencies point one way:
 *
 *   engine/base ← engine parts ← engine/{trace,recording} ← engine/sweep ← engine/api ← engine/{host,serve,cli} ← electron
 *                                                              ↑ types, rpc, frame
 *                                                           renderer
 */
const models = ['gpus', 'warp', 'isa', 'compile', 'system', 'sm', 'memory', 'cuda'];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
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
        pathNot: '^engine/(api/(types|contract|roofline-points|sweep-heat-map|rpc|frame)|base/(errors|units))\\.ts$',
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
        path: '^(renderer/src|engine/api/(types|roofline-points|sweep-heat-map|rpc|frame)\\.ts|engine/base/(errors|units)\\.ts)',
        pathNot: '\\.test\\.ts$',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'electron-is-thin',
      comment: 'The shell knows how to start the engine and what crosses the bridge, not how anything works.',
      severity: 'error',
      from: { path: '^electron/' },
      to: { path: '^(engine|renderer|test|build)/', pathNot: '^engine/(api|base|host)/' },
    },
    {
      name: 'base-knows-nobody',
      severity: 'error',
      from: { path: '^engine/base/' },
      to: { path: '^engine/', pathNot: '^engine/base/' },
    },
    {
      name: 'models-know-no-storage',
      comment: 'What simulates does not know who stores or shows it; events.ts is the words they share.',
      severity: 'error',
      from: { path: `^engine/(${models.join('|')})/`, pathNot: '\\.test\\.ts$' },
      to: {
        path: '^engine/(trace|api|recording|sweep|host|serve|labs|analysis|cli)',
        pathNot: '^engine/trace/events\\.ts$',
      },
    },
    {
      name: 'nobody-knows-the-front-doors',
      comment: 'Command line, server and process entry are ends: nothing but a front door builds on them.',
      severity: 'error',
      from: { path: '^engine/', pathNot: '^engine/(host|serve|cli)|\\.test\\.ts$' },
      to: { path: '^engine/(host|serve|cli)' },
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
