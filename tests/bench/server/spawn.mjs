// From spawning the server to its first `tools/list`, against a hello-world of the same SDK with as many tools, bundled
// the same way.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { goal, interleaved, OUT, ROOT, report, table, times } from '../measure.mjs';
import { StdioClient } from './stdio-client.mjs';

const ROUNDS = Number(process.argv[2] ?? 21);
const server = join(ROOT, 'packages', 'mcp', 'dist', 'cli.mjs');
const hello = join(OUT, 'hello.mjs');

async function listed(file) {
  const client = new StdioClient(process.execPath, [file], { cwd: OUT });
  await client.initialize();
  const { tools } = await client.request('tools/list');
  return { client, tools };
}

const timed = (file) => async () => {
  const start = performance.now();
  const { client } = await listed(file);
  const seconds = (performance.now() - start) / 1000;
  await client.close();
  return seconds;
};

mkdirSync(OUT, { recursive: true });
const { client, tools } = await listed(server);
await client.close();
// As the server's own bundle: one minified file, the lighter validator, no native part.
await build({
  entryPoints: [join(fileURLToPath(new URL('.', import.meta.url)), 'hello.mjs')],
  outfile: hello,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  nodePaths: [join(ROOT, 'node_modules')],
  define: { HELLO_TOOLS: String(tools.length) },
  // CommonJS packages in the bundle ask for node's own modules.
  banner: {
    js: "import { createRequire as own } from 'node:module'; const require = own(import.meta.url);",
  },
  plugins: [lighterValidator(), englishOnly()],
  logLevel: 'error',
});

/** The SDK's default validator is ajv; a server that cares about its start takes the other one. */
function lighterValidator() {
  const contents = `
    export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
    export { default as process } from 'node:process';`;
  return {
    name: 'lighter-validator',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({ path: 'shims', namespace: 'bench' }));
      onLoad({ filter: /^shims$/, namespace: 'bench' }, () => ({
        contents,
        resolveDir: join(ROOT, 'packages', 'mcp'),
      }));
    },
  };
}

function englishOnly() {
  return {
    name: 'english-only',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: "export { default as en } from './en.js';",
      }));
    },
  };
}

const empty = join(OUT, 'empty.mjs');
writeFileSync(empty, '');
const bare = () => {
  const start = performance.now();
  spawnSync(process.execPath, [empty]);
  return (performance.now() - start) / 1000;
};

const measured = await interleaved({ argus: timed(server), hello: timed(hello), node: bare }, ROUNDS);
const ratio = measured.ratio('argus', 'hello');
const ms = (name) => (measured.seconds(name) * 1000).toFixed(0);
report(
  'spawn',
  'Spawn to first tools/list',
  `${tools.length} tools on both sides; medians of ${ROUNDS} interleaved starts. An empty file in Node: ${ms('node')} ms.`,
  table([
    ['argus-mcp, ms', 'SDK hello-world, ms', 'ratio', 'goal'],
    [ms('argus'), ms('hello'), times(ratio), goal(ratio, '<=', 1.2)],
  ]),
);
