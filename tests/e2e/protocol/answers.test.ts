/**
 * The content and size of the answers that an agent reads about failures of real runs. Other tests check every field
 * (contract/), every runner (tests/runners) and the shortening of answers (packages/mcp/test/tools/budget.test.ts).
 */

import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject, type Data } from '../harness.ts';
import { agent, openProject } from '../one-agent.ts';
import { formatJunit } from '../runs/reports.ts';

/** Approximate number of characters per token in JSON answers. */
const CHARACTERS_PER_TOKEN = 4;

/** The limit of every answer, except that of a resource. */
const MAX_TOKENS = 6_000;

function estimateTokens(answer: unknown): number {
  return Math.ceil(JSON.stringify(answer).length / CHARACTERS_PER_TOKEN);
}

const SHOP_FILES = {
  'package.json': '{"name":"shop","type":"module","scripts":{"test":"node --test"}}',
  'src/cart.js': 'export function total(prices) {\n  return prices.reduce((sum, price) => sum * price, 1);\n}\n',
};
const TEST_IMPORTS =
  "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { total } from '../src/cart.js';\n";

/** Returns a list of plain data from an answer. */
function readList(answer: Data, name: string): Data[] {
  const list = answer[name];
  return Array.isArray(list) ? list : [];
}

/** Runs the shop's tests and returns the answer with its size in tokens. */
async function runShopTests(tests: string): Promise<{ root: string; answer: Data; size: number }> {
  const root = await openProject({ ...SHOP_FILES, 'test/cart.test.js': tests });
  const whole = await agent.call('argus_run', { projectPath: root });
  if (!whole.success) throw new Error(whole.error.message);
  return { root, answer: whole.data, size: estimateTokens(whole) };
}

/** Reads all pages of a tool's list and checks that each page is within the limit. */
async function readAllPages(tool: string, args: Data, list: string): Promise<{ entries: Data[]; pages: Data[] }> {
  const entries: Data[] = [];
  const pages: Data[] = [];
  do {
    const whole = await agent.call(tool, { ...args, offset: entries.length });
    if (!whole.success) throw new Error(whole.error.message);
    expect(estimateTokens(whole)).toBeLessThanOrEqual(MAX_TOKENS);
    pages.push(whole.data);
    entries.push(...readList(whole.data, list));
  } while (pages.at(-1)?.hasMore === true);
  return { entries, pages };
}

test('the answer of a passed run takes at most 100 tokens', async () => {
  const { answer, size } = await runShopTests(`${TEST_IMPORTS}test('one', () => assert.equal(total([3]), 3));`);
  expect(answer).toMatchObject({ status: 'passed', failures: [], causes: [] });
  expect(size).toBeLessThanOrEqual(100);
});

test('a single failure with its values and its place takes at most 300 tokens', async () => {
  const { answer, size } = await runShopTests(
    `${TEST_IMPORTS}test('adds prices', () => assert.equal(total([3, 4]), 7));`,
  );
  const [failure] = readList(answer, 'failures');
  expect(failure).toMatchObject({
    caseName: 'test/cart.test.js > adds prices',
    category: 'ASSERTION_MISMATCH',
    failureKind: 'assertion',
    headline: expect.stringMatching(/Expected values to be strictly equal: 12 !== 7$/u),
    testPlace: 'test/cart.test.js:4',
  });
  const [cause] = readList(answer, 'causes');
  expect(cause).toMatchObject({ causeId: failure?.causeId, place: 'test/cart.test.js:4', count: 1 });
  expect(size).toBeLessThanOrEqual(300);
});

test('151 failures with the same cause take at most 2,500 tokens and a single call of argus_diagnose', async () => {
  const cases = Array.from({ length: 151 }, (_, at) => `test('reads cart ${at}', () => total());`);
  const { root, answer, size } = await runShopTests(`${TEST_IMPORTS}${cases.join('\n')}\n`);
  expect(answer).toMatchObject({ totals: { failed: 151 } });
  const causes = readList(answer, 'causes');
  expect(causes).toMatchObject([{ count: 151, place: 'src/cart.js:2' }]);
  expect(String(causes[0]?.headline)).toContain("Cannot read properties of undefined (reading 'reduce')");
  expect(size).toBeLessThanOrEqual(2_500);
  const caseName = 'reads cart 150';
  const diagnosis = await agent.data('argus_diagnose', { projectPath: root, runId: answer.runId, caseName });
  expect(diagnosis).toMatchObject({
    failureKind: 'null-dereference',
    place: 'src/cart.js:2',
    testPlace: 'test/cart.test.js:154',
    cause: { causeId: causes[0]?.causeId, count: 151 },
  });
});

test('a page of long errors stays within the limit, and a shortened error names the resource with the full text', async () => {
  const long = (at: number) => `Error: cart ${at} is closed\n${'the shop has said so, at length\n'.repeat(80)}`;
  const cases = Array.from({ length: 50 }, (_, at) => ({
    name: `cart ${at}`,
    failure: { message: 'closed', text: long(at) },
  }));
  const root = await openProject({ 'report.xml': formatJunit(cases) });
  const { runId } = await agent.data('argus_import', { projectPath: root, path: 'report.xml' });
  const page = await agent.data('argus_history', { projectPath: root, runId });
  expect(page).toMatchObject({ total: 50, hasMore: true });
  expect(page.cases).toHaveLength(20);
  const error = String(readList(page, 'cases')[0]?.error);
  expect(error).toMatch(new RegExp(`\\(\\d+ more characters in argus://run/${runId}\\)$`, 'u'));
  expect(error.length).toBeLessThan(520);
  const { entries, pages } = await readAllPages('argus_history', { projectPath: root, runId, limit: 100 }, 'cases');
  expect(pages.length).toBeGreaterThan(1);
  expect(new Set(entries.map(({ caseName }) => caseName)).size).toBe(50);
  expect(entries).toHaveLength(50);
});

test('a page of patterns has only complete entries, and the command line prints all patterns', async () => {
  const things = ['belt', 'wheel', 'lamp', 'horn', 'seat', 'door', 'roof', 'hood'];
  const cases = things.map((name) => ({ name, failure: { message: `Error: the ${name} of the car is missing` } }));
  const root = await openProject({ 'report.xml': formatJunit(cases) });
  const { runId } = await agent.data('argus_import', { projectPath: root, path: 'report.xml' });
  for (const caseName of things) {
    const fixDescription = `Order another ${caseName}. ${'Wait for it. '.repeat(400)}`;
    await agent.data('argus_report_fix', { projectPath: root, runId, caseName, fixDescription });
  }
  const { entries, pages } = await readAllPages('argus_patterns', { projectPath: root }, 'patterns');
  expect(pages.length).toBeGreaterThan(1);
  for (const page of pages) expect(page).toMatchObject({ total: 14, builtInCount: 6, learnedCount: 8 });
  expect(new Set(entries.map(({ id }) => id)).size).toBe(14);
  expect(entries).toHaveLength(14);
  const printed = JSON.parse((await argus(['patterns', '--json', '--project', root])).stdout);
  expect(printed.data.patterns).toHaveLength(14);
});

test('the tools of the fix loop stay within the limit and return the complete next action', async () => {
  const output = Array.from(
    { length: 400 },
    (_, at) => `✗ the shop sells what is in cart number ${at} ${'on and on '.repeat(6)}`,
  );
  const root = createProject({
    'shop.js': `process.stdout.write(${JSON.stringify(output.join('\n'))});\nprocess.exitCode = 1;\n`,
  });
  const long = 'the shop is closed, as was said at length. '.repeat(300);
  const start = { projectPath: root, command: 'node shop.js', desired: long, backoff: 0, max_attempts: 2 };
  const first = await agent.ask('fix_problem', start);
  const args = { projectPath: root, loop: first.loop };
  expect(first).toMatchObject({ status: 'needs_fix', next_action: { arguments: args } });
  appendFileSync(path.join(root, 'shop.js'), 'process.exitCode = 2;\n');
  const ways = Array.from({ length: 60 }, (_, at) => `Alternative: way ${at}, ${'at length '.repeat(40)}`);
  const last = await agent.ask('fix_attempt', { ...args, fix: 'another exit code', research: ways.join('\n') });
  expect(last).toMatchObject({ result: 'failed', next_action: { type: 'ESCALATE_TO_HUMAN' } });
  for (const answer of [first, last, await agent.ask('fix_status', args)])
    expect(estimateTokens(answer)).toBeLessThanOrEqual(MAX_TOKENS);
});

test('argus_init counts the warnings that it omits', async () => {
  const folders = Array.from({ length: 30 }, (_, depth) => 'in/'.repeat(depth + 1));
  const unused = Object.fromEntries(folders.map((folder) => [`${folder}.argus/argus.db`, '']));
  const root = createProject({ '.git/HEAD': 'ref: refs/heads/main\n', ...unused });
  const answer = await agent.data('argus_init', { projectPath: path.join(root, folders.at(-1) ?? '') });
  expect(estimateTokens(answer)).toBeLessThanOrEqual(MAX_TOKENS);
  expect(readList(answer, 'warnings').at(-1)).toMatch(/^and \d+ more notes$/u);
});
