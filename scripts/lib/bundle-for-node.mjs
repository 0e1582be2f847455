// Options of rolldown for bundling a Node program so that it starts fast, for the server and for the program with which
// it is compared.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Modules that are read through `process.getBuiltinModule`. With an import, Node would read each property of the module
 * at every start and load the code behind it.
 */
const EARLY_BUILTINS = ['child_process', 'fs', 'module', 'os', 'path', 'process', 'string_decoder', 'tty', 'url', 'v8'];

/**
 * Modules that a run does not need before its tests start. Each is loaded at the first call of one of its functions.
 */
const LATE_BUILTINS = ['crypto', 'fs/promises', 'timers/promises', 'util', 'zlib'];

/** The SDK's default validator is ajv, but the other validator in the SDK starts faster. */
const useLighterValidator = replaceModule(
  '@modelcontextprotocol/server/_shims',
  `export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
  export { default as process } from 'node:process';`,
);

/**
 * Removes zod's messages in other languages, which are a quarter of the bundle, because only the English messages are
 * used.
 */
const keepEnglishMessages = {
  name: 'english-only',
  load: {
    filter: { id: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ },
    handler: () => "export { default as en } from './en.js';",
  },
};

/**
 * Replaces `require` of Node's modules in CommonJS libraries, because `require` also prepares the module for imports by
 * reading each property.
 */
const replaceBuiltinRequire = {
  name: 'plain-builtins',
  transform: {
    filter: { id: /[\\/]node_modules[\\/]/, code: /\brequire\(["']node:/ },
    handler: (code) => code.replaceAll(/\brequire\((["']node:\w+["'])\)/g, 'globalThis.process.getBuiltinModule($1)'),
  },
};

/**
 * Removes files that only re-export from a larger file for an `import()`, because loading such a file takes as long as
 * loading the larger file.
 */
const removeReexportFiles = {
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

export const nodeBundleOptions = {
  platform: 'node',
  transform: { target: 'node20' },
  plugins: [
    ...EARLY_BUILTINS.map(readPropertiesEarly),
    ...LATE_BUILTINS.map(loadFunctionsLate),
    useLighterValidator,
    keepEnglishMessages,
    replaceBuiltinRequire,
    removeReexportFiles,
  ],
};

export const esModuleOptions = {
  format: 'esm',
  minify: true,
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
};

/** Returns true for built-in modules that were replaced, which contain only a few names. */
export const isReplacedBuiltin = (id) => id.startsWith('\0argus:node:');

/** Creates a plugin that replaces an imported module by the given text. `require` is not affected. */
function replaceModule(id, text, isFor = () => true) {
  const name = `argus:${id}`;
  return {
    name,
    resolveId: (wanted, importer = '', { kind } = {}) =>
      wanted === id && kind === 'import-statement' && isFor(importer) ? `\0${name}` : undefined,
    load: (wanted) => (wanted === `\0${name}` ? text : undefined),
  };
}

/** Creates a plugin that reads only the imported properties of a built-in module. */
function readPropertiesEarly(builtin) {
  const names = listValueProperties(builtin).map(
    (name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`,
  );
  const text = `const builtin = process.getBuiltinModule('node:${builtin}');
    export default builtin;
    ${names.join('\n')}`;
  // Code that the bundler itself adds runs before everything else.
  return replaceModule(`node:${builtin}`, text, (importer) => !importer.startsWith('\0'));
}

/**
 * Creates a plugin that replaces the functions of a module by functions that load the module when called. The plugin
 * applies to this program's code and to `uuid`, which only calls such functions.
 */
function loadFunctionsLate(builtin) {
  const loaded = require(builtin);
  const functions = listValueProperties(builtin).filter((name) => typeof loaded[name] === 'function');
  const text = functions.map(
    (name) => `export const ${name} = (...args) => process.getBuiltinModule('node:${builtin}').${name}(...args);`,
  );
  return replaceModule(
    `node:${builtin}`,
    text.join('\n'),
    (importer) => !/[\\/]node_modules[\\/](?!uuid[\\/])/.test(importer),
  );
}

/**
 * Returns the names of the properties that a module has immediately. Properties behind a getter would load further
 * code.
 */
function listValueProperties(builtin) {
  const properties = Object.entries(Object.getOwnPropertyDescriptors(require(builtin)));
  return properties
    .filter(([name, { value }]) => value !== undefined && /^[a-z]\w*$/i.test(name))
    .map(([name]) => name);
}
