// Measures the time from spawning the server to its first `tools/list`, compared with a minimal server of the same SDK
// that has the same number of tools and the same bundling.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { esModuleOptions, nodeBundleOptions } from '../../../scripts/lib/bundle-for-node.mjs';
import { formatGoal, formatRatio, formatTable, measureInterleaved, OUT, ROOT, writeReport } from '../measure.mjs';
import { StdioClient } from './stdio-client.mjs';

const ROUNDS = Number(process.argv[2] ?? 21);
const serverPath = join(ROOT, 'packages', 'mcp', 'dist', 'cli.mjs');
const helloPath = join(OUT, 'hello.mjs');

async function listTools(file) {
  const client = new StdioClient(process.execPath, [file], { cwd: OUT });
  await client.initialize();
  const { tools } = await client.request('tools/list');
  return { client, tools };
}

const timeList = (file) => async () => {
  const start = performance.now();
  const { client } = await listTools(file);
  const seconds = (performance.now() - start) / 1000;
  await client.close();
  return seconds;
};

mkdirSync(OUT, { recursive: true });
const { client, tools } = await listTools(serverPath);
await client.close();
// Bundled like the server, but into a single file.
await build({
  ...nodeBundleOptions,
  cwd: join(ROOT, 'packages/mcp'),
  input: fileURLToPath(new URL('hello.mjs', import.meta.url)),
  resolve: { modules: [join(ROOT, 'node_modules')] },
  transform: { ...nodeBundleOptions.transform, define: { HELLO_TOOLS: String(tools.length) } },
  output: { ...esModuleOptions, file: helloPath, codeSplitting: false },
});

const emptyPath = join(OUT, 'empty.mjs');
writeFileSync(emptyPath, '');
const startBareNode = () => {
  const start = performance.now();
  spawnSync(process.execPath, [emptyPath]);
  return (performance.now() - start) / 1000;
};

const measured = await measureInterleaved(
  { argus: timeList(serverPath), hello: timeList(helloPath), node: startBareNode },
  ROUNDS,
);
const ratio = measured.ratio('argus', 'hello');
const ms = (name) => (measured.seconds(name) * 1000).toFixed(0);
writeReport(
  'spawn',
  'Spawn to first tools/list',
  `${tools.length} tools on both sides; medians of ${ROUNDS} interleaved starts. An empty file in Node: ${ms('node')} ms.`,
  formatTable([
    ['argus-mcp, ms', 'SDK hello-world, ms', 'ratio', 'goal'],
    [ms('argus'), ms('hello'), formatRatio(ratio), formatGoal(ratio, '<=', 1.2)],
  ]),
);
