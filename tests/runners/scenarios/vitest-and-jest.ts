/** Scenarios about the behavior of Vitest and Jest. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { USUAL_TOTALS } from '../runners.ts';
import type { Scenario, Stage } from '../scenario.ts';

/** Returns headline, place and test place of each failed case. */
function describeFailures(failures: Awaited<ReturnType<Stage['run']>>['failures']): Record<string, unknown[]> {
  return Object.fromEntries(
    failures.map(({ caseName, headline, place, testPlace }) => [caseName, [headline, place, testPlace]]),
  );
}

const OWN_REPORTERS = `['./own.mjs', ['junit', { outputFile: 'own.xml' }]]`;
const SHOP_OBJECT = "{ hosts: ['one.example', 'two.example'], name: 'shop', open: true, port: 1 }";

const LATE_FAILURE_TEST = `import { test } from 'vitest';
setTimeout(() => { throw new TypeError('shop is shut'); }, 0);
test('opens', () => new Promise((done) => setTimeout(done, 100)));
`;
const LATE_FAILURE = {
  caseName: 'sum.test.js > (suite)',
  headline: 'TypeError: shop is shut',
  testPlace: 'sum.test.js:2',
};

const namedProject = (name: string, mode: string) =>
  `{ test: { name: '${name}', include: ['*.test.js'], env: { SHOP: '${mode}' } } }`;
const projectsConfig = (...all: string[]) => `export default { test: { projects: [${all.join(', ')}] } };\n`;

const VITEST_SCENARIOS: Scenario[] = [
  {
    name: 'the reporters that a Vitest configuration names go on, whatever else it calls reporters',
    folder: 'vitest',
    files: {
      'own.mjs': 'export default class { onTestRunEnd() { console.log("our own end"); } }',
      'vitest.config.mjs': `export default { test: { coverage: { reporter: ['text', 'lcov'] }, reporters: ${OWN_REPORTERS} } };\n`,
    },
    async play(stage) {
      expect(await stage.run()).toMatchObject({ status: 'failed', totals: USUAL_TOTALS, notes: [] });
      expect(readFileSync(path.join(stage.root, 'own.xml'), 'utf8')).toContain('is wrong');
      const shown = stage.shown.map(([, text]) => text).join('');
      expect(shown.match(/our own end/gu)).toHaveLength(1);
    },
  },
  {
    name: 'an error that Vitest tells of a file is told as if a test had thrown it',
    recording: 'vitest-loading',
    folder: 'vitest',
    files: {
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
    },
    async play(stage) {
      const error = ['Error: MODE is not set', 'mode.js:2'];
      expect(describeFailures((await stage.run()).failures)).toEqual({
        'sum.test.js > mode': [...error, expect.any(String)],
        'load.test.js > (suite)': [...error, 'load.test.js:2'],
        'hook.test.js > (suite)': [...error, 'hook.test.js:4'],
      });
    },
  },
  {
    name: 'the cause of an error in Vitest is told with it',
    recording: 'vitest-causes',
    folder: 'vitest',
    files: {
      'sum.test.js': `import { test } from 'vitest';

const refused = (port) => new Error(\`connect ECONNREFUSED 127.0.0.1:\${port}\`);
test('one address', () => { throw new TypeError('fetch failed', { cause: refused(5432) }); });
test('several addresses', () => {
  throw new TypeError('fetch failed', { cause: new AggregateError([refused(5433), refused(5434)]) });
});
`,
    },
    async play(stage) {
      expect((await stage.run()).failures).toMatchObject([
        { category: 'CONNECTION_REFUSED', headline: expect.stringContaining('ECONNREFUSED 127.0.0.1:5432') },
        { category: 'CONNECTION_REFUSED', headline: expect.stringContaining('ECONNREFUSED 127.0.0.1:5433') },
      ]);
    },
  },
  {
    name: 'the difference that Vitest shows is told where the message has not all values',
    recording: 'vitest-difference',
    folder: 'vitest',
    files: {
      'sum.test.js': `import { expect, test } from 'vitest';

test('snapshot', () => expect('open').toMatchInlineSnapshot('"closed"'));
test('object', () => expect(${SHOP_OBJECT}).toEqual(${SHOP_OBJECT.replace('1 }', '2 }')}));
test('number', () => expect(1).toBe(2));
`,
    },
    async play(stage) {
      const { failures } = await stage.run();
      expect(Object.fromEntries(failures.map(({ caseName, message }) => [caseName, message]))).toEqual({
        'sum.test.js > snapshot': expect.stringMatching(/closed[\s\S]*open/u),
        'sum.test.js > object': expect.stringMatching(/- +"port": 2,\n\+ +"port": 1,/u),
        'sum.test.js > number': undefined,
      });
    },
  },
  {
    name: 'errors of one attempt of a Vitest test are told together, whatever is retried',
    recording: 'vitest-attempts',
    folder: 'vitest',
    files: {
      'sum.test.js': `import { afterEach, expect, test } from 'vitest';

const soft = () => [3, 5].forEach((count, at) => expect.soft(at).toBe(count));
test('soft', soft);
test('retried', { retry: 2 }, soft);
let tries = 0;
test('flaky', { retry: 2 }, () => (tries++ < 1 ? soft() : undefined));
`,
    },
    async play(stage) {
      const run = await stage.run();
      expect(run).toMatchObject({ status: 'failed', totals: { passed: 1, failed: 2, skipped: 0, flaky: 1 } });
      const [first] = run.failures;
      expect(`${first?.headline}\n${first?.message}`).toMatch(/expected \+?0 to be 3[\s\S]*expected 1 to be 5/u);
      expect(JSON.stringify(run.failures).match(/to be 3/gu)).toHaveLength(2);
    },
  },
  {
    name: 'cases of a file in several projects of Vitest are told apart, also where one of them runs alone',
    recording: 'vitest-projects',
    folder: 'vitest',
    files: {
      'vitest.config.js': projectsConfig(namedProject('up', 'open'), namedProject('down', 'shut'), "'./pack'"),
      'sum.test.js': `import { expect, test } from 'vitest';
test('is open', () => expect(process.env.SHOP).toBe('open'));
`,
      'absent.test.js': "import './absent.js';\n",
      'pack/package.json': '{ "name": "pack" }\n',
      'pack/alone.test.js': "import { test } from 'vitest';\ntest('is alone', () => {});\n",
    },
    async play(stage) {
      const cases = async (command: string) => {
        const { runId } = await stage.run({ command });
        return (await stage.cases(runId)).map(({ caseName, status }) => `${caseName}: ${status}`).sort();
      };
      const down = ['absent.test.js > down > (suite): failed', 'sum.test.js > down > is open: failed'];
      const up = ['absent.test.js > up > (suite): failed', 'sum.test.js > up > is open: passed'];
      const alone = 'pack/alone.test.js > is alone: passed';
      expect(await cases('npx vitest run')).toEqual([...down, ...up, alone].sort());
      expect(await cases('npx vitest run --project down')).toEqual(down);
      expect(await cases('npx vitest run --project up')).toEqual(up);
      stage.write({ 'vitest.config.js': projectsConfig(namedProject('up', 'open')) });
      expect(await cases('npx vitest run')).toContain('sum.test.js > is open: passed');
    },
  },
  {
    name: 'an error that no test of Vitest waits for is a failure of its file, also where all tests pass',
    recording: 'vitest-uncaught',
    folder: 'vitest',
    files: { 'sum.test.js': `${LATE_FAILURE_TEST}test('sells', () => { throw new Error('plain'); });\n` },
    async play(stage) {
      const plain = { caseName: 'sum.test.js > sells', headline: 'Error: plain' };
      expect((await stage.run()).failures).toMatchObject([LATE_FAILURE, plain]);
      const ignoring = { command: 'npx vitest run --dangerouslyIgnoreUnhandledErrors' };
      expect((await stage.run(ignoring)).failures).toMatchObject([plain]);
      stage.write({ 'sum.test.js': `${LATE_FAILURE_TEST}test('sells', () => {});\n` });
      expect((await stage.run()).failures).toMatchObject([LATE_FAILURE]);
      expect((await stage.run(ignoring)).failures).toEqual([]);
    },
  },
];

const REFUSED_ERROR = "new Error('connect ECONNREFUSED 127.0.0.1:5432')";

const JEST_SCENARIOS: Scenario[] = [
  {
    name: 'an error that Jest tells of a file is told as if a test had thrown it, with its cause',
    recording: 'jest-loading',
    folder: 'jest',
    files: {
      'mode.js': "exports.mode = () => {\n  throw new Error('MODE is not set');\n};\n",
      'load.js': `exports.load = () => {\n  throw new TypeError('fetch failed', { cause: ${REFUSED_ERROR} });\n};\n`,
      'sum.test.js': `test('mode', () => require('./mode.js').mode());
test('load', () => require('./load.js').load());
`,
      'mode.test.js': "require('./mode.js').mode();\ntest('mode', () => {});\n",
      'load.test.js': "require('./load.js').load();\ntest('load', () => {});\n",
    },
    async play(stage) {
      const refused = 'TypeError: fetch failed: Error: connect ECONNREFUSED 127.0.0.1:5432';
      const { failures } = await stage.run();
      expect(failures.filter(({ category }) => category === 'CONNECTION_REFUSED')).toHaveLength(2);
      expect(describeFailures(failures)).toEqual({
        'sum.test.js > mode': ['Error: MODE is not set', 'mode.js:2', 'sum.test.js:1'],
        'mode.test.js > (suite)': ['Error: MODE is not set', 'mode.js:2', 'mode.test.js:1'],
        'sum.test.js > load': [refused, 'load.js:2', 'sum.test.js:2'],
        'load.test.js > (suite)': [refused, 'load.js:2', 'load.test.js:1'],
      });
    },
  },
  {
    name: 'what processes the results of a Jest project goes on, and a list of its tests is no run of them',
    folder: 'jest',
    files: {
      'processor.cjs':
        "module.exports = (results) => { require('node:fs').writeFileSync('own.json', '{}'); return results; };\n",
      'jest.config.cjs': "module.exports = { testResultsProcessor: './processor.cjs', reporters: ['default'] };\n",
    },
    async play(stage) {
      expect(await stage.run({ command: 'npx jest' })).toMatchObject({
        status: 'failed',
        totals: USUAL_TOTALS,
        notes: [],
      });
      expect(existsSync(path.join(stage.root, 'own.json'))).toBe(true);
      expect(await stage.run({ command: 'npx jest --listTests' })).toMatchObject({ status: 'passed' });
    },
  },
];

export const VITEST_AND_JEST_SCENARIOS: Scenario[] = [...VITEST_SCENARIOS, ...JEST_SCENARIOS];
