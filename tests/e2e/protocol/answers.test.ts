/**
 * What an agent gets of failures, and how much it has to read for it: golden answers of real runs, with their size.
 * Every field: contract/. Every runner: runners.test.ts.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { type Agent, connect, type Data, ERAS, project } from '../harness.ts';
import { junit } from '../runs/reports.ts';

/** Characters a token has in JSON like this, roughly; no tokenizer is at hand. */
const CHARACTERS_PER_TOKEN = 4;

/** More than any answer but that of a resource may have. */
const MAX_TOKENS = 6_000;

function tokens(answer: unknown): number {
  return Math.ceil(JSON.stringify(answer).length / CHARACTERS_PER_TOKEN);
}

const PACKAGE = '{"name":"shop","type":"module","scripts":{"test":"node --test"}}';
const CART = 'export function total(prices) {\n  return prices.reduce((sum, price) => sum * price, 1);\n}\n';
const HEAD =
  "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { total } from '../src/cart.js';\n";

/** A list of plain data in an answer. */
function listed(answer: Data, name: string): Data[] {
  const list = answer[name];
  return Array.isArray(list) ? list : [];
}

describe.each(ERAS)('%s', (era) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connect(era);
  });
  afterAll(() => agent.close());

  async function run(files: Record<string, string>): Promise<{ root: string; answer: Data; size: number }> {
    const root = project({ 'package.json': PACKAGE, 'src/cart.js': CART, ...files });
    await agent.data('argus_init', { projectPath: root });
    const whole = await agent.call('argus_run', { projectPath: root });
    if (!whole.success) throw new Error(whole.error.message);
    return { root, answer: whole.data, size: tokens(whole) };
  }

  test('green, in 100 tokens', async () => {
    const { answer, size } = await run({
      'test/cart.test.js': `${HEAD}test('one', () => assert.equal(total([3]), 3));`,
    });
    expect(answer).toMatchObject({ status: 'passed', failures: [], causes: [] });
    expect(size).toBeLessThanOrEqual(100);
  });

  test('one failure with its values and its place, in 300 tokens', async () => {
    const { answer, size } = await run({
      'test/cart.test.js': `${HEAD}test('adds prices', () => assert.equal(total([3, 4]), 7));`,
    });
    const [failure] = listed(answer, 'failures');
    expect(failure).toMatchObject({
      caseName: 'test/cart.test.js > adds prices',
      category: 'ASSERTION_MISMATCH',
      failureKind: 'assertion',
      headline: expect.stringMatching(/Expected values to be strictly equal: 12 !== 7$/u),
      testPlace: 'test/cart.test.js:4',
    });
    const [cause] = listed(answer, 'causes');
    expect(cause).toMatchObject({ causeId: failure?.causeId, place: 'test/cart.test.js:4', count: 1 });
    expect(size).toBeLessThanOrEqual(300);
  });

  test('a deleted export, which the report says nothing of', async () => {
    const { answer } = await run({ 'test/cart.test.js': HEAD.replace('{ total }', '{ sum }') });
    expect(listed(answer, 'failures')).toMatchObject([
      {
        failureKind: 'missing-export',
        headline: "SyntaxError: The requested module '../src/cart.js' does not provide an export named 'sum'",
        testPlace: 'test/cart.test.js:3',
      },
    ]);
  });

  test('151 failures of one cause, diagnosed by one call', async () => {
    const cases = Array.from({ length: 151 }, (_, at) => `test('reads cart ${at}', () => total());`);
    const { root, answer, size } = await run({ 'test/cart.test.js': `${HEAD}${cases.join('\n')}\n` });
    expect(answer).toMatchObject({ totals: { failed: 151 } });
    const causes = listed(answer, 'causes');
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

  test('151 failures of as many causes', async () => {
    const cases = Array.from(
      { length: 151 },
      (_, at) =>
        `test('adds cart number ${at}', () => assert.deepEqual({ cart: total([${at + 2}, 4]) }, { cart: 7 }));`,
    );
    const { answer, size } = await run({ 'test/cart.test.js': `${HEAD}${cases.join('\n')}\n` });
    const failures = listed(answer, 'failures');
    const causes = listed(answer, 'causes');
    expect(failures.length + Number(answer.more)).toBe(151);
    expect(causes.length + Number(answer.moreCauses)).toBe(151);
    expect(failures.length).toBeGreaterThanOrEqual(8);
    expect(size).toBeLessThanOrEqual(2_500);
  });

  test('a history of long errors keeps to its limit, and what is cut says where the whole is', async () => {
    const long = (at: number) => `Error: cart ${at} is closed\n${'the shop has said so, at length\n'.repeat(80)}`;
    const report = junit(
      Array.from({ length: 120 }, (_, at) => ({ name: `cart ${at}`, failure: { message: 'closed', text: long(at) } })),
    );
    const root = project({ 'report.xml': report });
    await agent.data('argus_init', { projectPath: root });
    const { runId } = await agent.data('argus_import', { projectPath: root, path: 'report.xml' });
    const page = await agent.data('argus_history', { projectPath: root, runId });
    const cases = listed(page, 'cases');
    expect(cases).toHaveLength(20);
    expect(page).toMatchObject({ total: 120, hasMore: true });
    expect(String(cases[0]?.error)).toMatch(new RegExp(`\\(\\d+ more characters in argus://run/${runId}\\)$`, 'u'));
    expect(String(cases[0]?.error).length).toBeLessThan(520);

    const seen: unknown[] = [];
    for (let more = true; more; ) {
      const whole = await agent.call('argus_history', { projectPath: root, runId, limit: 100, offset: seen.length });
      if (!whole.success) throw new Error(whole.error.message);
      expect(tokens(whole)).toBeLessThanOrEqual(MAX_TOKENS);
      seen.push(...listed(whole.data, 'cases').map(({ caseName }) => caseName));
      more = whole.data.hasMore === true;
    }
    expect(new Set(seen).size).toBe(120);
    expect(seen).toHaveLength(120);
  });

  test('patterns come in whole entries, and the command line has them all', async () => {
    const words = (at: number) => [...String(at)].map((digit) => String.fromCodePoint(97 + Number(digit))).join('');
    const text = (at: number) => `Error: the shelf ${words(at)}tor is empty\n${`shelf ${words(at)}tor `.repeat(60)}`;
    const report = junit(
      Array.from({ length: 60 }, (_, at) => ({ name: `shelf ${at}`, failure: { message: 'empty', text: text(at) } })),
    );
    const root = project({ 'report.xml': report });
    await agent.data('argus_init', { projectPath: root });
    const { runId } = await agent.data('argus_import', { projectPath: root, path: 'report.xml' });
    for (let at = 0; at < 60; at += 1) {
      await agent.data('argus_diagnose', { projectPath: root, runId, caseName: `shelf ${at}` });
    }
    const seen: unknown[] = [];
    for (let more = true; more; ) {
      const whole = await agent.call('argus_patterns', { projectPath: root, offset: seen.length });
      if (!whole.success) throw new Error(whole.error.message);
      expect(tokens(whole)).toBeLessThanOrEqual(MAX_TOKENS);
      expect(whole.data).toMatchObject({ total: 66, builtInCount: 6, learnedCount: 60 });
      seen.push(...listed(whole.data, 'patterns').map(({ id }) => id));
      more = whole.data.hasMore === true;
    }
    expect(new Set(seen).size).toBe(66);
    expect(seen).toHaveLength(66);
    const printed = JSON.parse((await argus(['patterns', '--json', '--project', root])).stdout);
    expect(printed.data.patterns).toHaveLength(66);
  });

  test('the tools of the fix loop and argus_init keep to the limit, and say what to do next', async () => {
    const tests = Array.from(
      { length: 400 },
      (_, at) => `✗ the shop sells what is in cart number ${at} ${'on and on '.repeat(6)}`,
    );
    const root = project({
      'shop.js': `process.stdout.write(${JSON.stringify(tests.join('\n'))});\nprocess.exitCode = 1;\n`,
    });
    const long = 'the shop is closed, as was said at length. '.repeat(300);
    const start = { projectPath: root, command: 'node shop.js', desired: long, backoff: 0, max_attempts: 2 };
    const first = await agent.ask('fix_problem', start);
    expect(tokens(first)).toBeLessThanOrEqual(MAX_TOKENS);
    expect(first).toMatchObject({
      status: 'needs_fix',
      next_action: { arguments: { projectPath: root, loop: first.loop } },
    });
    writeFileSync(path.join(root, 'shop.js'), `${readFileSync(path.join(root, 'shop.js'), 'utf8')}// other\n`);
    const research = Array.from({ length: 60 }, (_, at) => `Alternative: way ${at}, ${'at length '.repeat(40)}`).join(
      '\n',
    );
    const args = { projectPath: root, loop: first.loop };
    const last = await agent.ask('fix_attempt', { ...args, fix: 'another comment', research });
    expect(tokens(last)).toBeLessThanOrEqual(MAX_TOKENS);
    expect(last).toMatchObject({ result: 'failed', next_action: { type: 'ESCALATE_TO_HUMAN' } });
    expect(tokens(await agent.ask('fix_status', args))).toBeLessThanOrEqual(MAX_TOKENS);

    const folders = Array.from({ length: 100 }, (_, depth) => 'in/'.repeat(depth + 1));
    const deep = project({
      '.git/HEAD': 'ref: refs/heads/main\n',
      ...Object.fromEntries(folders.map((folder) => [`${folder}.argus/argus.db`, ''])),
    });
    const opened = await agent.data('argus_init', { projectPath: path.join(deep, folders.at(-1) ?? '') });
    expect(tokens(opened)).toBeLessThanOrEqual(MAX_TOKENS);
    expect(listed(opened, 'warnings').at(-1)).toMatch(/^and \d+ more remarks$/u);
  });

  test('a fix of the same error in another test comes before a tip, in argus_run and argus_diagnose', async () => {
    const refused = (name: string) =>
      junit([{ name, failure: { message: 'connect ECONNREFUSED 127.0.0.1:5432', type: 'Error' } }]);
    const root = project({ 'first.xml': refused('health'), 'second.xml': refused('orders') });
    await agent.data('argus_init', { projectPath: root });
    const first = await agent.data('argus_import', { projectPath: root, path: 'first.xml' });
    const at = { projectPath: root, runId: first.runId, caseName: 'health' };
    await agent.data('argus_diagnose', at);
    const fix = 'Start the database before the tests';
    await agent.data('argus_report_fix', { ...at, fixDescription: fix });

    const second = await agent.data('argus_import', { projectPath: root, path: 'second.xml' });
    const from = { caseName: expect.stringContaining('health') };
    expect(listed(second, 'failures')[0]?.known).toMatchObject({
      patternId: 'builtin-conn-refused',
      suggestedFix: fix,
      suggestedFrom: from,
    });
    for (let time = 0; time < 3; time += 1) {
      const args = { projectPath: root, runId: second.runId, caseName: 'orders' };
      const diagnosis = await agent.data('argus_diagnose', args);
      expect(diagnosis).toMatchObject({
        pattern: { id: 'builtin-conn-refused' },
        suggestedFix: fix,
        suggestedFrom: from,
      });
      expect(listed(diagnosis, 'related')[0]).toMatchObject({ suggestedFix: fix, similarity: 1 });
    }
  });
});

test('the terminal shows message, place and cause', async () => {
  const root = project({
    'package.json': PACKAGE,
    'src/cart.js': CART,
    'test/cart.test.js': `${HEAD}test('a', () => total());\ntest('b', () => total());\n`,
  });
  const { stdout } = await argus(['run', '--project', root]);
  expect(stdout).toContain('2 failures, 1 cause: TypeError');
  expect(stdout).toContain('at src/cart.js:2, test test/cart.test.js:4');
  const runId = /run-[0-9a-f-]{36}/u.exec(stdout)?.[0] ?? '';
  const diagnosed = (await argus(['diagnose', runId, 'a', '--project', root])).stdout;
  expect(diagnosed).toContain('null-dereference');
  expect(diagnosed).toContain('2 failures, 1 cause');
});
