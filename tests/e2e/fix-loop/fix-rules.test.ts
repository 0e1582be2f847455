/**
 * fix-problem at the command line with real commands: a loop for each possible end. All rules of a loop:
 * crates/core/src/fix_loop/tests. Processes: fix-processes.test.ts. Git: fix-git.full.test.ts. Fixers: fix-agent.test.ts.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { project } from '../harness.ts';
import {
  answer,
  FAILING,
  fileOf,
  fixProblem,
  git,
  loopOn,
  RUN,
  repository,
  startFixProblem,
  stateOf,
  write,
} from './fix-loop.ts';

test('a command that succeeds immediately needs a single attempt', async () => {
  const root = repository({ ...FAILING, 'answer.txt': 'good\n' });
  const { status, stdout, stderr } = await fixProblem(root, RUN);
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^## Command Execution Complete ✅\n\n### Summary\n- \*\*Command\*\*: `node check.js`\n- \*\*Result\*\*: SUCCESS\n- \*\*Attempts Used\*\*: 1\/5\n/u,
  );
  expect(stdout).toContain(
    '| Attempt | Exit Code | Error Type | Fix Applied | Duration |\n|---------|-----------|------------|-------------|----------|\n| 1 | 0 | - | - | ',
  );
  expect(stderr).toContain('all is well');
  expect(stateOf(root)).toMatchObject({
    version: 1,
    status: 'success',
    current_attempt: 1,
    attempts: [{ number: 1, exit_code: 0 }],
  });
  expect(fileOf(root, 'attempt_1.log')).toBe('all is well\n');
  expect(git(root, 'status', '--porcelain')).toBe('');
});

test('a change that fixes the command is learned, and the next loop mentions it', async () => {
  const root = repository(FAILING);
  const first = await fixProblem(root, RUN);
  expect(first.status).toBe(3);
  expect(first.stdout).toMatch(/^# Fix for attempt 2 of 5: Direct Fix\n/u);
  expect(first.stdout).toContain('TypeError');
  expect(first.stdout).toBe(fileOf(root, 'brief.md'));
  expect(stateOf(root)).toMatchObject({
    status: 'needs_fix',
    current_attempt: 2,
    attempts: [{ exit_code: 1, fix_applied: null }],
  });

  answer(root, 'good');
  const second = await fixProblem(root, ['--resume', '--fix', 'The answer is good now']);
  expect(second.status, second.stderr).toBe(0);
  expect(second.stdout).toContain(
    '1. **Attempt 1**: The answer is good now\n   - Files: `answer.txt` modified (+1 -1)',
  );
  const made = { fix_applied: 'The answer is good now', fix_verified: true, approach: 'direct' };
  expect(stateOf(root)).toMatchObject({
    status: 'success',
    attempts: [{ ...made, files: [{ path: 'answer.txt' }] }, { exit_code: 0 }],
  });
  expect(fileOf(root, 'attempt_1_fix.md')).toContain('-bad\n+good');
  expect(JSON.parse(fileOf(root, 'report.json'))).toMatchObject({ result: 'success', attempts: [{}, {}] });

  const known = await argus(['solutions', 'TypeError: cannot use answer from port 4711', '--project', root, '--json']);
  expect(JSON.parse(known.stdout)).toMatchObject({ recommended_solution: { worked: 1, failed: 0 } });
  expect(known.stdout).toContain('The answer is good now');
  const patterns = await argus(['patterns', '--source', 'learned', '--project', root, '--json']);
  expect(JSON.parse(patterns.stdout)).toMatchObject({ data: { patterns: [{ resolutions: 1 }] } });

  answer(root, 'bad');
  const next = await fixProblem(root, [...RUN, '--json']);
  expect(next.status).toBe(3);
  expect(stateOf(root).attempts).toHaveLength(1);
  expect(JSON.parse(next.stdout)).toMatchObject({
    warnings: [
      expect.stringMatching(/ended with success after 2 attempts; it is in .*\/earlier\/.*The answer is good now/u),
    ],
    exit_status: 3,
    stopped: 'needs_fix',
    status: 'needs_fix',
    exit_code: 1,
    attempt: 1,
    failure: { type: 'TypeError', class: 'fixable', hash: expect.any(String), source: 'runtime' },
    circuit: { state: 'CLOSED', same_in_a_row: 1 },
    approach: { name: 'direct' },
    context: expect.any(Array),
    research_query: expect.stringContaining('TypeError'),
  });
});

test('equal errors open the circuit, which stays open until it is reset', async () => {
  const root = project(FAILING);
  const args = [...RUN, '--circuit-breaker', '2'];
  expect((await fixProblem(root, args)).status).toBe(3);
  answer(root, 'worse');
  const second = await fixProblem(root, args);
  expect(second.status).toBe(1);
  expect(second.stdout).toMatch(/^## Command Execution Failed ❌ - Escalate to Human\n/u);
  expect(second.stdout).toContain('- **Reason**: circuit_breaker_opened\n- **Attempts Used**: 2/5');
  expect(second.stdout).toMatch(
    /- \*\*State\*\*: OPEN\n- \*\*Trigger\*\*: Same error repeated 2 times\n- \*\*Error Hash\*\*: [0-9a-f]{8,}/u,
  );
  expect(second.stdout).toMatch(/\| 2 \| 1 \| TypeError \| - \| Circuit opened \|/u);
  expect(fileOf(root, 'attempt_1.log'), 'the texts differ').not.toBe(fileOf(root, 'attempt_2.log'));
  const { circuit_breaker } = stateOf(root);
  expect(circuit_breaker.state).toBe('OPEN');
  expect(new Set(circuit_breaker.error_hashes).size).toBe(1);

  answer(root, 'good');
  for (const again of [args, ['--resume', '--fix', 'x']]) {
    const { status, stdout } = await fixProblem(root, again);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^> Nothing was run now: .* its circuit is open.*--reset-circuit\.\n\n## Command/u);
  }
  expect(stateOf(root).attempts).toHaveLength(2);
  const reset = await fixProblem(root, ['--reset-circuit']);
  expect(reset.status, reset.stderr).toBe(0);
  expect(reset.stderr).not.toContain('Nothing changed');
  expect(stateOf(root)).toMatchObject({ status: 'success', circuit_breaker: { state: 'CLOSED' } });
});

test('after the last attempt a new call starts a new loop', async () => {
  const root = project({
    'check.js': "throw new Error('problem ' + require('node:fs').readFileSync('answer.txt', 'utf8'))",
    'answer.txt': 'one\n',
  });
  const args = [...RUN, '--max-attempts', '2'];
  expect((await fixProblem(root, args)).status).toBe(3);
  const before = stateOf(root);
  for (const decision of ['--accept', '--reject', '--reset-circuit']) {
    const { status, stderr } = await fixProblem(root, [decision]);
    expect({ status, stderr }, 'there is nothing to decide').toEqual({
      status: 2,
      stderr: expect.stringMatching(/^INVALID_INPUT: .+/mu),
    });
  }
  expect(stateOf(root)).toEqual(before);
  answer(root, 'two');
  const last = await fixProblem(root, args);
  expect(last.status).toBe(1);
  expect(last.stdout).toContain('- **Reason**: max_attempts_reached\n- **Attempts Used**: 2/2');
  expect(stateOf(root).attempts).toHaveLength(2);
  expect((await fixProblem(root, args)).status).toBe(3);
  expect(stateOf(root).attempts).toHaveLength(1);
});

test('refuses an attempt without a change, and a work tree that failed before', async () => {
  const root = project({ 'a.txt': 'a\n' });
  const args = loopOn('echo a > a.txt; echo "Error: no" >&2; exit 1');
  await fixProblem(root, args);
  const unchanged = await fixProblem(root, ['--resume', '--fix', 'I changed everything']);
  expect(unchanged.status).toBe(3);
  expect(unchanged.stderr).toMatch(/Nothing changed since the last attempt/u);
  write(root, 'a.txt', 'b\n');
  await fixProblem(root, args);
  expect(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'the command undid it').toBe('a\n');
  write(root, 'a.txt', 'b\n');
  const again = await fixProblem(root, args);
  expect(again.status).toBe(3);
  expect(again.stderr).toMatch(/as it was before attempt 2/u);
  expect(stateOf(root).attempts).toHaveLength(2);
});

test('a change outside the project counts when it is declared', async () => {
  const root = project();
  const flag = path.join(project(), 'service');
  const command = `test -e ${flag} || { echo "TypeError: no service"; exit 1; }`;
  expect((await fixProblem(root, loopOn(command))).status).toBe(3);
  writeFileSync(flag, '');
  const { status, stdout } = await fixProblem(root, ['--resume', '--outside', 'started the service']);
  expect(status).toBe(0);
  expect(stdout).toContain('outside the work tree: started the service');
});

describe('a green run by weaker tests', () => {
  const TEST = `const { test } = require('node:test');
const assert = require('node:assert');
const { sum } = require('./sum.js');
test('adds', () => {
  assert.strictEqual(sum(1, 2), 3);
});
`;
  const SKIPPED = TEST.replace('test(', 'test.skip(');
  const FILES = { 'sum.js': 'exports.sum = (a, b) => a - b;\n', 'sum.test.js': TEST };
  const args = loopOn('node sum.test.js');

  test('is suspicious until a person decides, and a rejected fix is not suggested', async () => {
    const root = project(FILES);
    expect((await fixProblem(root, args)).status).toBe(3);
    write(root, 'sum.test.js', SKIPPED);
    const cheat = await fixProblem(root, ['--resume', '--fix', 'skip a test']);
    expect(cheat.status).toBe(1);
    expect(cheat.stdout).toContain('- **Result**: SUSPICIOUS');
    expect(cheat.stdout).toContain('### Suspicious Changes\n- `sum.test.js:');
    expect(cheat.stdout).toMatch(/\| Suspicious \|\n\| 2 \| 0 \| - \| - \| Passed, suspicious \|/u);
    expect(stateOf(root).status).toBe('suspicious');

    const again = await fixProblem(root, args);
    expect(again.status, 'a new call does not forget it').toBe(1);
    expect(stateOf(root).attempts).toHaveLength(2);
    expect(again.stdout).toMatch(
      /^> Nothing was run now: .* its green run is suspicious.*--resume --fix TEXT\. .*--accept or --reject\.\n\n## Command/u,
    );
    expect(JSON.parse((await fixProblem(root, [...args, '--json'])).stdout).warnings[0]).toMatch(
      /^Nothing was run now/u,
    );
    expect(fileOf(root, 'report.md')).not.toContain('Nothing was run now');

    write(root, 'sum.test.js', TEST);
    expect(await fixProblem(root, ['--accept'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('The work tree is not as it was in the run that would be accepted.'),
    });
    write(root, 'sum.test.js', SKIPPED);
    const rejected = await fixProblem(root, ['--reject', 'the test is right']);
    expect(rejected).toMatchObject({ status: 3, stderr: expect.not.stringContaining('Nothing changed') });
    expect(rejected.stdout, 'what fails is still known').toMatch(/^- \*\*Location\*\*: sum\.test\.js:\d+/mu);
    expect(rejected.stdout).toMatch(/^- \*\*Suspicious\*\*: `sum\.test\.js:\d+` test skipped: `test\.skip\(/mu);
    expect(rejected.stdout).toContain('it was suspicious; a human rejected it: the test is right');

    write(root, 'sum.test.js', TEST);
    write(root, 'sum.js', 'exports.sum = (a, b) => a + b;\n');
    const honest = await fixProblem(root, ['--resume']);
    expect(honest.status, honest.stderr).toBe(0);
    expect(honest.stdout).toContain('### Fixes Applied\n1. **Attempt 2**: ');
    expect(honest.stdout).not.toMatch(/skip a test/u);
    const exported = (await argus(['memory', 'export', '--project', root])).stdout;
    expect(exported).toMatch(/a \+ b.*"worked":true/u);
    expect(exported).not.toMatch(/skip|sum\.test\.js: modified/u);
    const known = await argus(['solutions', String(stateOf(root).attempts[0]?.headline), '--project', root, '--json']);
    const inBothMemories = expect.objectContaining({ worked: 1, failed: 0, steps: expect.stringContaining('a + b') });
    expect(JSON.parse(known.stdout).ranked_solutions).toEqual([inBothMemories, inBothMemories]);
  });

  test('is suspicious when the tests change while the loop waits', async () => {
    const root = project(FILES);
    const up = path.join(project(), 'up');
    const down = `test -e ${up} || { touch ${up}; echo "Error: connect ECONNREFUSED 127.0.0.1:1"; exit 1; }`;
    const running = startFixProblem(root, [...loopOn(`${down}; node sum.test.js`), '--backoff', '0.5']);
    await running.prints(/waiting 0\.5 s/u, 'stderr');
    write(root, 'sum.test.js', SKIPPED);
    const { status, stderr } = await running.done;
    expect(status, stderr).toBe(1);
    expect(stateOf(root).status).toBe('suspicious');
  });
});

describe('a given error', () => {
  const TEXT = 'TypeError: cannot use answer from port 4711\n    at Object.<anonymous> (check.js:6:7)';
  const args = ['--desired', 'it is well', '--test', 'node check.js', '--backoff', '0'];

  test('gets a brief, then a change is verified', async () => {
    const root = repository(FAILING);
    const first = await fixProblem(root, ['-', ...args], { input: TEXT });
    expect(first.status).toBe(3);
    expect(first.stdout).toMatch(/^# Fix for attempt 1 of 3: Direct Fix\n/u);
    expect(stateOf(root)).toMatchObject({ mode: 'error', status: 'needs_fix', attempts: [] });
    answer(root, 'good');
    const second = await fixProblem(root, [TEXT.replace('4711', '999'), ...args]);
    expect(second.status, second.stderr).toBe(0);
    expect(second.stdout).toMatch(/^## Fix Applied ✅\n\n### Error Summary\n- \*\*Type\*\*: TypeError/u);
    expect(second.stdout).toContain(
      '- **Approach**: Attempt 1 - Direct Fix\n- **Files Modified**:\n  - `answer.txt`: modified (+1 -1)',
    );
    expect(second.stdout).toContain(
      '### Verification\n- **Command**: `node check.js`\n- **Result**: PASS ✅\n- **Retries Used**: 0/3',
    );
    expect((await argus(['solutions', TEXT, '--project', root])).stdout).toContain('answer.txt');
  });

  test('goes to a human after three approaches', async () => {
    const root = project(FAILING);
    expect((await fixProblem(root, [TEXT, ...args, '--circuit-breaker', '9'])).status).toBe(3);
    const briefs = ['Defensive Approach', 'Alternative Pattern'];
    for (const [index, approach] of briefs.entries()) {
      answer(root, `try ${index}`);
      const { stdout } = await fixProblem(root, ['--resume', '--fix', `try ${index}`]);
      expect(stdout).toContain(approach);
      expect(stdout).toContain('None of these again.');
    }
    answer(root, 'try 3');
    const { status, stdout } = await fixProblem(root, ['--resume', '--fix', 'try 3']);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^## Fix Failed ❌ - Escalate to Human\n/u);
    expect(stdout).toMatch(
      /1\. \*\*Direct Fix\*\*: try 0 - (?:now|still) fails with .*\n2\. \*\*Defensive Approach\*\*: try 1 - .*\n3\. \*\*Alternative Pattern\*\*: try 3 - /u,
    );
    expect(stdout).toContain('### Raw Error Output\n```');
    expect(stdout).toContain('- **Classification**: fixable');
  });

  test('does not count as fixed without a verification', async () => {
    const root = project(FAILING);
    const given = [TEXT, '--desired', 'it is well'];
    expect((await fixProblem(root, given)).status).toBe(3);
    answer(root, 'good');
    expect(await fixProblem(root, given)).toMatchObject({ status: 3, stdout: expect.stringContaining('NOT VERIFIED') });
    const verified = await fixProblem(root, ['--resume', '--test', 'node check.js']);
    expect(verified.status, verified.stderr).toBe(0);
    expect(verified.stdout).toContain('PASS ✅');
  });

  test('is verified by the tests of the project, or in words', async () => {
    const scripts = JSON.stringify({ scripts: { test: 'node check.js' } });
    const root = project({ ...FAILING, 'package.json': scripts });
    const given = [TEXT, '--desired', 'it is well', '--backoff', '0'];
    expect((await fixProblem(root, given)).stdout).toContain('- **Verified by**: `npm test`');
    answer(root, 'good');
    expect((await fixProblem(root, given)).stdout).toContain('- **Command**: `npm test`\n- **Result**: PASS ✅');

    const other = project(FAILING);
    expect((await fixProblem(other, given)).status).toBe(3);
    answer(other, 'good');
    expect((await fixProblem(other, given)).status).toBe(3);
    const said = await fixProblem(other, ['--resume', '--verified', 'ran check.js by hand']);
    expect(said.status, said.stderr).toBe(0);
    expect(said.stdout).toContain('- **Command**: none; verified by who fixed it: ran check.js by hand');
  });

  test('refuses auto, because it asks no questions', async () => {
    const refused = await fixProblem(project(FAILING), [TEXT, ...args, '--auto']);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('an error asks nothing') });
  });
});

test('a later call changes the time limit and the description, but not the number of attempts', async () => {
  const root = project(FAILING);
  expect((await fixProblem(root, RUN)).status).toBe(3);
  const { stderr } = await fixProblem(root, [...RUN, '--timeout', '300', '--max-attempts', '9']);
  expect(stderr).toContain('max_attempts stays 5, as the loop began.');
  expect(stderr).not.toContain('circuit_breaker stays');
  expect(stateOf(root)).toMatchObject({ max_attempts: 5, timeout_seconds: 300 });
  expect(await fixProblem(root, ['--resume', '--timeout', '999999999'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('timeout must be from 1 to 604800'),
  });
  expect(stateOf(root)).toMatchObject({ timeout_seconds: 300 });
  answer(root, 'good');
  expect((await fixProblem(root, ['--resume', '--desired', 'it is very well'])).status).toBe(0);
  expect(stateOf(root)).toMatchObject({ desired: 'it is very well' });
});
