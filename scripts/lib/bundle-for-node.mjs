// How a program for Node is bundled so that it starts fast: options of rolldown, for the server and for what it is
// compared with.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Imported as modules, Node would read each of their properties, and so load what is behind them, at every start. */
const EARLY_BUILTINS = ['child_process', 'fs', 'module', 'os', 'path', 'process', 'string_decoder', 'tty', 'url', 'v8'];

/** What a run does without before its tests start is loaded when it is first called. */
const LATE_BUILTINS = ['crypto', 'fs/promises', 'timers/promises', 'util', 'zlib'];

/** The SDK's default validator is ajv; the other one it ships starts faster. */
const lighterValidator = inPlaceOf(
  '@modelcontextprotocol/server/_shims',
  `export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
  export { default as process } from 'node:process';`,
);

/** zod's messages in fifty languages are a quarter of the bundle, and nobody reads them here in any but English. */
const englishOnly = {
  name: 'english-only',
  load: {
    filter: { id: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ },
    handler: () => "export { default as en } from './en.js';",
  },
};

/** What libraries in CommonJS ask Node for: by `require` it is made ready for modules too, each of its properties. */
const plainBuiltins = {
  name: 'plain-builtins',
  transform: {
    filter: { id: /[\\/]node_modules[\\/]/, code: /\brequire\(["']node:/ },
    handler: (code) => code.replaceAll(/\brequire\((["']node:\w+["'])\)/g, 'globalThis.process.getBuiltinModule($1)'),
  },
};

/** What an `import()` gets of a file that holds more is handed on by a file of its own, for which Node takes as long. */
const withoutDoors = {
  name: 'without-doors',
  generateBundle(_, bundle) {
    for (const [door, { code = '' }] of Object.entries(bundle)) {
      const [, names, file] = /^export\{([^}]*)\}from"([^"]+)";\s*$/.exec(code) ?? [];
      if (file === undefined) continue;
      const taken = names.split(',').map((name) => name.split(' as '));
      const object = taken.map(([inner, outer = inner]) => `${outer}:e.${inner}`).join();
      for (const chunk of Object.values(bundle)) {
        chunk.code = chunk.code?.replaceAll(`import(\`./${door}\`)`, `import(\`${file}\`).then(e=>({${object}}))`);
      }
      delete bundle[door];
    }
  },
};

export const forNode = {
  platform: 'node',
  transform: { target: 'node20' },
  plugins: [
    ...EARLY_BUILTINS.map(early),
    ...LATE_BUILTINS.map(late),
    lighterValidator,
    englishOnly,
    plainBuiltins,
    withoutDoors,
  ],
};

export const asModules = {
  format: 'esm',
  minify: true,
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
};

/** Whether it is one of those: each is only a few names. */
export const isBuiltin = (id) => id.startsWith('\0argus:node:');

/** A plugin: the text stands for the module where that is imported; `require` is left alone. */
function inPlaceOf(id, text, isFor = () => true) {
  const name = `argus:${id}`;
  return {
    name,
    resolveId: (wanted, importer = '', { kind } = {}) =>
      wanted === id && kind === 'import-statement' && isFor(importer) ? `\0${name}` : undefined,
    load: (wanted) => (wanted === `\0${name}` ? text : undefined),
  };
}

/** A plugin: what is imported of it is read of it, and nothing else. */
function early(builtin) {
  const names = valuesOf(builtin).map((name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`);
  const text = `const builtin = process.getBuiltinModule('node:${builtin}');
    export default builtin;
    ${names.join('\n')}`;
  // What the bundler adds itself comes before all else.
  return inPlaceOf(`node:${builtin}`, text, (importer) => !importer.startsWith('\0'));
}

/** A plugin: this program's own code, and a library that only calls it, get functions which load the module. */
function late(builtin) {
  const loaded = require(builtin);
  const functions = valuesOf(builtin).filter((name) => typeof loaded[name] === 'function');
  const text = functions.map(
    (name) => `export const ${name} = (...args) => process.getBuiltinModule('node:${builtin}').${name}(...args);`,
  );
  return inPlaceOf(
    `node:${builtin}`,
    text.join('\n'),
    (importer) => !/[\\/]node_modules[\\/](?!uuid[\\/])/.test(importer),
  );
}

/** The names of what a module has at once: what it has to load first is behind a getter. */
function valuesOf(builtin) {
  const properties = Object.entries(Object.getOwnPropertyDescriptors(require(builtin)));
  return properties
    .filter(([name, { value }]) => value !== undefined && /^[a-z]\w*$/i.test(name))
    .map(([name]) => name);
}
