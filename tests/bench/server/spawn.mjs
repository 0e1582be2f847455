// Time from spawning the server to its first `tools/list`, compared with a minimal server of the same SDK with the same
// number of tools and the same bundling.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { asModules, forNode } from '../../../scripts/lib/bundle-for-node.mjs';
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
// Bundled like the server, but into one file.
await build({
  ...forNode,
  cwd: join(ROOT, 'packages/mcp'),
  input: fileURLToPath(new URL('hello.mjs', import.meta.url)),
  resolve: { modules: [join(ROOT, 'node_modules')] },
  transform: { ...forNode.transform, define: { HELLO_TOOLS: String(tools.length) } },
  output: { ...asModules, file: hello, codeSplitting: false },
});

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
