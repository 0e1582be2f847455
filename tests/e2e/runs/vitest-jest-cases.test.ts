/** argus_run with the real Vitest and Jest: what is particular to them. What holds for each runner: runners.test.ts. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BUNDLE, type Data, environment, runnerProject } from '../harness.ts';
import { PATH } from './installed.ts';
import { agent, opened, totals } from './runners-agent.ts';

test('the reporters that a Vitest configuration names go on, whatever else it calls reporters', async () => {
  const { root } = await opened(runnerProject('vitest'));
  writeFileSync(path.join(root, 'own.mjs'), 'export default class { onTestRunEnd() { console.log("our own end"); } }');
  const reporters = `['./own.mjs', ['junit', { outputFile: 'own.xml' }]]`;
  const settings = `{ coverage: { reporter: ['text', 'lcov'] }, reporters: ${reporters} }`;
  writeFileSync(path.join(root, 'vitest.config.mjs'), `export default { test: ${settings} };\n`);
  const run = await agent.data('argus_run', { projectPath: root });
  expect(run).toMatchObject({ status: 'failed', totals, notes: [] });
  expect(readFileSync(path.join(root, 'own.xml'), 'utf8')).toContain('is wrong');
  const printed = spawnSync(process.execPath, [BUNDLE, 'run', '--project', root], {
    encoding: 'utf8',
    env: environment({ PATH }),
  });
  expect(printed.stdout.match(/our own end/gu)).toHaveLength(1);
});

test('what caused an error in Jest is told with it', async () => {
  const { root } = await opened(runnerProject('jest'));
  const cause = "new Error('connect ECONNREFUSED 127.0.0.1:5432')";
  writeFileSync(
    path.join(root, 'sum.test.js'),
    `test('loads', () => { throw new TypeError('fetch failed', { cause: ${cause} }); });\n`,
  );
  const { failures } = await agent.data('argus_run', { projectPath: root });
  expect(failures, JSON.stringify(failures)).toMatchObject([{ category: 'CONNECTION_REFUSED' }]);
  expect(JSON.stringify(failures)).toContain('ECONNREFUSED 127.0.0.1:5432');
});

/** Headline, place and place in the test of each failed case of a project. */
async function toldOf(root: string): Promise<Record<string, unknown[]>> {
  const { failures } = await agent.data('argus_run', { projectPath: root });
  const told = (failures as Data[]).map(({ caseName, headline, place, testPlace }) => [
    caseName,
    [headline, place, testPlace],
  ]);
  return Object.fromEntries(told);
}

test('what a file of Jest throws while it is loaded is told as if a test had thrown it', async () => {
  const { root } = await opened(runnerProject('jest'));
  const files = {
    'mode.js': "exports.mode = () => {\n  throw new Error('MODE is not set');\n};\n",
    'load.js': `exports.load = () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:5432') });
};
`,
    'sum.test.js': `test('mode', () => require('./mode.js').mode());
test('load', () => require('./load.js').load());
`,
    'mode.test.js': "require('./mode.js').mode();\ntest('mode', () => {});\n",
    'load.test.js': "require('./load.js').load();\ntest('load', () => {});\n",
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  const refused = 'TypeError: fetch failed: Error: connect ECONNREFUSED 127.0.0.1:5432';
  expect(await toldOf(root)).toEqual({
    'sum.test.js > mode': ['Error: MODE is not set', 'mode.js:2', 'sum.test.js:1'],
    'mode.test.js > (suite)': ['Error: MODE is not set', 'mode.js:2', 'mode.test.js:1'],
    'sum.test.js > load': [refused, 'load.js:2', 'sum.test.js:2'],
    'load.test.js > (suite)': [refused, 'load.js:2', 'load.test.js:1'],
  });
});

test('what a file of Vitest throws while it is loaded is told as if a test had thrown it', async () => {
  const { root } = await opened(runnerProject('vitest'));
  const files = {
    'mode.js': "export function mode() {\n  throw new Error('MODE is not set');\n}\n",
    'sum.test.js': "import { test } from 'vitest';\nimport { mode } from './mode.js';\ntest('mode', mode);\n",
    'load.test.js': "import { mode } from './mode.js';\nmode();\n",
    'hook.test.js': `import { beforeAll, describe, test } from 'vitest';
import { mode } from './mode.js';
describe('shop', () => {
  beforeAll(() => mode());
  test('opens', () => {});
});
`,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  const told = ['Error: MODE is not set', 'mode.js:2'];
  expect(await toldOf(root)).toEqual({
    'sum.test.js > mode': [...told, expect.any(String)],
    'load.test.js > (suite)': [...told, 'load.test.js:2'],
    'hook.test.js > (suite)': [...told, 'hook.test.js:4'],
  });
});

test('what caused an error in Vitest is told with it', async () => {
  const { root } = await opened(runnerProject('vitest'));
  writeFileSync(
    path.join(root, 'sum.test.js'),
    `import { test } from 'vitest';

const refused = (port) => new Error(\`connect ECONNREFUSED 127.0.0.1:\${port}\`);
test('one address', () => { throw new TypeError('fetch failed', { cause: refused(5432) }); });
test('several addresses', () => {
  throw new TypeError('fetch failed', { cause: new AggregateError([refused(5433), refused(5434)]) });
});
`,
  );
  const { failures } = await agent.data('argus_run', { projectPath: root });
  expect(failures, JSON.stringify(failures)).toMatchObject([
    { category: 'CONNECTION_REFUSED', headline: expect.stringContaining('ECONNREFUSED 127.0.0.1:5432') },
    { category: 'CONNECTION_REFUSED', headline: expect.stringContaining('ECONNREFUSED 127.0.0.1:5433') },
  ]);
});

test('what Vitest shows beside a message is told where the message has not all values', async () => {
  const { root } = await opened(runnerProject('vitest'));
  const shop = "{ hosts: ['one.example', 'two.example'], name: 'shop', open: true, port: 1 }";
  writeFileSync(
    path.join(root, 'sum.test.js'),
    `import { expect, test } from 'vitest';

test('snapshot', () => expect('open').toMatchInlineSnapshot('"closed"'));
test('object', () => expect(${shop}).toEqual(${shop.replace('1 }', '2 }')}));
test('number', () => expect(1).toBe(2));
`,
  );
  const { failures } = await agent.data('argus_run', { projectPath: root });
  const told = Object.fromEntries((failures as Data[]).map(({ caseName, message }) => [caseName, message]));
  expect(told).toEqual({
    'sum.test.js > snapshot': expect.stringMatching(/closed[\s\S]*open/u),
    'sum.test.js > object': expect.stringMatching(/- +"port": 2,\n\+ +"port": 1,/u),
    'sum.test.js > number': undefined,
  });
});

test('errors of one attempt of a Vitest test are told together, whatever is retried', async () => {
  const { root } = await opened(runnerProject('vitest'));
  writeFileSync(
    path.join(root, 'sum.test.js'),
    `import { afterEach, expect, test } from 'vitest';

const soft = () => [3, 5].forEach((count, at) => expect.soft(at).toBe(count));
test('soft', soft);
test('retried', { retry: 2 }, soft);
let tries = 0;
test('flaky', { retry: 2 }, () => (tries++ < 1 ? soft() : undefined));
`,
  );
  const run = await agent.data('argus_run', { projectPath: root });
  expect(run).toMatchObject({ status: 'failed', totals: { passed: 1, failed: 2, skipped: 0, flaky: 1 } });
  const errors = (run.failures as Data[]).map(({ headline, message }) => `${headline}\n${message}`);
  expect(errors[0]).toMatch(/expected \+?0 to be 3[\s\S]*expected 1 to be 5/u);
  expect(JSON.stringify(run.failures).match(/to be 3/gu)).toHaveLength(2);
});

test('cases of a file in several projects of Vitest are told apart, also where one of them runs alone', async () => {
  const root = runnerProject('vitest');
  const named = (name: string, mode: string) =>
    `{ test: { name: '${name}', include: ['*.test.js'], env: { SHOP: '${mode}' } } }`;
  const projects = (...all: string[]) => `export default { test: { projects: [${all.join(', ')}] } };\n`;
  const files = {
    'vitest.config.js': projects(named('up', 'open'), named('down', 'shut'), "'./pack'"),
    'sum.test.js': `import { expect, test } from 'vitest';
test('is open', () => expect(process.env.SHOP).toBe('open'));
`,
    'absent.test.js': "import './absent.js';\n",
    'pack/package.json': '{ "name": "pack" }\n',
    'pack/alone.test.js': "import { test } from 'vitest';\ntest('is alone', () => {});\n",
  };
  mkdirSync(path.join(root, 'pack'));
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  await opened(root);
  const cases = async (command: string) => {
    const { runId } = await agent.data('argus_run', { projectPath: root, command });
    const history = await agent.data('argus_history', { projectPath: root, runId });
    return (history.cases as Data[]).map(({ caseName, status }) => `${caseName}: ${status}`).sort();
  };
  const down = ['absent.test.js > down > (suite): failed', 'sum.test.js > down > is open: failed'];
  const up = ['absent.test.js > up > (suite): failed', 'sum.test.js > up > is open: passed'];
  const alone = 'pack/alone.test.js > is alone: passed';
  expect(await cases('npx vitest run')).toEqual([...down, ...up, alone].sort());
  expect(await cases('npx vitest run --project down')).toEqual(down);
  expect(await cases('npx vitest run --project up')).toEqual(up);

  writeFileSync(path.join(root, 'vitest.config.js'), projects(named('up', 'open')));
  expect(await cases('npx vitest run')).toContain('sum.test.js > is open: passed');
});

test.each([
  [
    'where a test fails, too',
    "throw new Error('plain')",
    [{ caseName: 'sum.test.js > sells', headline: 'Error: plain' }],
  ],
  ['where all tests pass', '', []],
])('an error that no test of Vitest waits for is a failure of its file %s', async (_, body, others) => {
  const { root } = await opened(runnerProject('vitest'));
  const text = `import { test } from 'vitest';
setTimeout(() => { throw new TypeError('shop is shut'); }, 0);
test('opens', () => new Promise((done) => setTimeout(done, 100)));
test('sells', () => { ${body} });
`;
  writeFileSync(path.join(root, 'sum.test.js'), text);
  const late = { caseName: 'sum.test.js > (suite)', headline: 'TypeError: shop is shut', testPlace: 'sum.test.js:2' };
  const { failures } = await agent.data('argus_run', { projectPath: root });
  expect(failures).toMatchObject([late, ...others]);
  const ignoring = { projectPath: root, command: 'npx vitest run --dangerouslyIgnoreUnhandledErrors' };
  expect((await agent.data('argus_run', ignoring)).failures).toMatchObject(others);
});

test('what processes the results of a Jest project goes on doing so, and a list of its tests is no run of them', async () => {
  const root = runnerProject('jest');
  const [processor, config] = [path.join(root, 'processor.cjs'), path.join(root, 'jest.config.cjs')];
  writeFileSync(
    processor,
    "module.exports = (results) => { require('node:fs').writeFileSync('own.json', '{}'); return results; };\n",
  );
  writeFileSync(config, "module.exports = { testResultsProcessor: './processor.cjs', reporters: ['default'] };\n");
  await agent.data('argus_init', { projectPath: root });
  const run = await agent.data('argus_run', { projectPath: root, command: 'npx jest' });
  expect(run).toMatchObject({ status: 'failed', totals, notes: [] });
  expect(existsSync(path.join(root, 'own.json'))).toBe(true);
  const list = await agent.data('argus_run', { projectPath: root, command: 'npx jest --listTests' });
  expect(list).toMatchObject({ status: 'passed' });
});
