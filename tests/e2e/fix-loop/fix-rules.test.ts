/**
 * fix-problem at the command line with real commands: a loop for each way in which a loop can end.
 * crates/core/src/fix_loop/tests tests all rules, fix-git.full.test.ts git, tests/e2e/process killed loops, and
 * fix-agent.test.ts fixers.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject } from '../harness.ts';
import {
  CHECK_LOOP,
  createRepository,
  FAILING_FILES,
  fixProblem,
  loopOn,
  readLoopFile,
  readState,
  runGit,
  startFixProblem,
  waitForFileCommand,
  writeAnswer,
  writeProjectFile,
} from './fix-loop.ts';

test('a command that succeeds immediately needs a single attempt', async () => {
  const root = createRepository({ ...FAILING_FILES, 'answer.txt': 'good\n' });
  const { status, stdout, stderr } = await fixProblem(root, CHECK_LOOP);
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^## Command Execution Complete ✅\n\n### Summary\n- \*\*Command\*\*: `node check.js`\n- \*\*Result\*\*: SUCCESS\n- \*\*Attempts Used\*\*: 1\/5\n/u,
  );
  expect(stdout).toContain(
    '| Attempt | Exit Code | Error Type | Fix Applied | Duration |\n|---------|-----------|------------|-------------|----------|\n| 1 | 0 | - | - | ',
  );
  expect(stderr).toContain('all is well');
  expect(readState(root)).toMatchObject({
    version: 1,
    status: 'success',
    current_attempt: 1,
    attempts: [{ number: 1, exit_code: 0 }],
  });
  expect(readLoopFile(root, 'attempt_1.log')).toBe('all is well\n');
  expect(runGit(root, 'status', '--porcelain')).toBe('');
});

test('a change that fixes the command is learned, and the next loop mentions it', async () => {
  const root = createRepository(FAILING_FILES);
  const first = await fixProblem(root, CHECK_LOOP);
  expect(first.status).toBe(3);
  expect(first.stdout).toMatch(/^# Fix for attempt 2 of 5: Direct Fix\n/u);
  expect(first.stdout).toContain('TypeError');
  expect(first.stdout).toBe(readLoopFile(root, 'brief.md'));
  expect(readState(root)).toMatchObject({
    status: 'needs_fix',
    current_attempt: 2,
    attempts: [{ exit_code: 1, fix_applied: null }],
  });

  writeAnswer(root, 'good');
  const second = await fixProblem(root, ['--resume', '--fix', 'The answer is good now']);
  expect(second.status, second.stderr).toBe(0);
  expect(second.stdout).toContain(
    '1. **Attempt 1**: The answer is good now\n   - Files: `answer.txt` modified (+1 -1)',
  );
  const made = { fix_applied: 'The answer is good now', fix_verified: true, approach: 'direct' };
  expect(readState(root)).toMatchObject({
    status: 'success',
    attempts: [{ ...made, files: [{ path: 'answer.txt' }] }, { exit_code: 0 }],
  });
  expect(readLoopFile(root, 'attempt_1_fix.md')).toContain('-bad\n+good');
  expect(JSON.parse(readLoopFile(root, 'report.json'))).toMatchObject({ result: 'success', attempts: [{}, {}] });

  const known = await argus(['solutions', 'TypeError: cannot use answer from port 4711', '--project', root, '--json']);
  expect(JSON.parse(known.stdout)).toMatchObject({ recommended_solution: { worked: 1, failed: 0 } });
  expect(known.stdout).toContain('The answer is good now');
  const patterns = await argus(['patterns', '--source', 'learned', '--project', root, '--json']);
  expect(JSON.parse(patterns.stdout)).toMatchObject({ data: { patterns: [{ resolutions: 1 }] } });

  writeAnswer(root, 'bad');
  const next = await fixProblem(root, [...CHECK_LOOP, '--json']);
  expect(next.status).toBe(3);
  expect(readState(root).attempts).toHaveLength(1);
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
  const root = createProject(FAILING_FILES);
  const args = [...CHECK_LOOP, '--circuit-breaker', '2'];
  expect((await fixProblem(root, args)).status).toBe(3);
  writeAnswer(root, 'worse');
  const second = await fixProblem(root, args);
  expect(second.status).toBe(1);
  expect(second.stdout).toMatch(/^## Command Execution Failed ❌ - Escalate to Human\n/u);
  expect(second.stdout).toContain('- **Reason**: circuit_breaker_opened\n- **Attempts Used**: 2/5');
  expect(second.stdout).toMatch(
    /- \*\*State\*\*: OPEN\n- \*\*Trigger\*\*: Same error repeated 2 times\n- \*\*Error Hash\*\*: [0-9a-f]{8,}/u,
  );
  expect(second.stdout).toMatch(/\| 2 \| 1 \| TypeError \| - \| Circuit opened \|/u);
  expect(readLoopFile(root, 'attempt_1.log'), 'the texts differ').not.toBe(readLoopFile(root, 'attempt_2.log'));
  const { circuit_breaker } = readState(root);
  expect(circuit_breaker.state).toBe('OPEN');
  expect(new Set(circuit_breaker.error_hashes).size).toBe(1);

  writeAnswer(root, 'good');
  for (const again of [args, ['--resume', '--fix', 'x']]) {
    const { status, stdout } = await fixProblem(root, again);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^> Nothing was run\. .* its circuit is open.*--reset-circuit\.\n\n## Command/u);
  }
  expect(readState(root).attempts).toHaveLength(2);
  const reset = await fixProblem(root, ['--reset-circuit']);
  expect(reset.status, reset.stderr).toBe(0);
  expect(reset.stderr).not.toContain('Nothing changed');
  expect(readState(root)).toMatchObject({ status: 'success', circuit_breaker: { state: 'CLOSED' } });
});

test('after the last attempt, a new call starts a new loop', async () => {
  const root = createProject({
    'check.js': "throw new Error('problem ' + require('node:fs').readFileSync('answer.txt', 'utf8'))",
    'answer.txt': 'one\n',
  });
  const args = [...CHECK_LOOP, '--max-attempts', '2'];
  expect((await fixProblem(root, args)).status).toBe(3);
  const before = readState(root);
  for (const decision of ['--accept', '--reject', '--reset-circuit']) {
    const { status, stderr } = await fixProblem(root, [decision]);
    expect({ status, stderr }, 'there is nothing to decide').toEqual({
      status: 2,
      stderr: expect.stringMatching(/^INVALID_INPUT: .+/mu),
    });
  }
  expect(readState(root)).toEqual(before);
  writeAnswer(root, 'two');
  const last = await fixProblem(root, args);
  expect(last.status).toBe(1);
  expect(last.stdout).toContain('- **Reason**: max_attempts_reached\n- **Attempts Used**: 2/2');
  expect(readState(root).attempts).toHaveLength(2);
  expect((await fixProblem(root, args)).status).toBe(3);
  expect(readState(root).attempts).toHaveLength(1);
});

test('refuses an attempt without a change, and a work tree that failed before', async () => {
  const root = createProject({ 'a.txt': 'a\n' });
  const args = loopOn('echo a > a.txt; echo "Error: no" >&2; exit 1');
  await fixProblem(root, args);
  const unchanged = await fixProblem(root, ['--resume', '--fix', 'I changed everything']);
  expect(unchanged.status).toBe(3);
  expect(unchanged.stderr).toMatch(/Nothing changed since the last attempt/u);
  writeProjectFile(root, 'a.txt', 'b\n');
  await fixProblem(root, args);
  expect(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'the command undid it').toBe('a\n');
  writeProjectFile(root, 'a.txt', 'b\n');
  const again = await fixProblem(root, args);
  expect(again.status).toBe(3);
  expect(again.stderr).toMatch(/the same as before attempt 2/u);
  expect(readState(root).attempts).toHaveLength(2);
});

test('a change outside the project counts if it is declared', async () => {
  const root = createProject();
  const flag = path.join(createProject(), 'service');
  const command = `test -e ${flag} || { echo "TypeError: no service"; exit 1; }`;
  expect((await fixProblem(root, loopOn(command))).status).toBe(3);
  writeFileSync(flag, '');
  const { status, stdout } = await fixProblem(root, ['--resume', '--outside', 'started the service']);
  expect(status).toBe(0);
  expect(stdout).toContain('outside the work tree: started the service');
});

describe('a passing run with weaker tests', () => {
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

  test('a passing run with weaker tests is suspicious until a person decides, and a rejected fix is not suggested', async () => {
    const root = createProject(FILES);
    expect((await fixProblem(root, args)).status).toBe(3);
    writeProjectFile(root, 'sum.test.js', SKIPPED);
    const cheat = await fixProblem(root, ['--resume', '--fix', 'skip a test']);
    expect(cheat.status).toBe(1);
    expect(cheat.stdout).toContain('- **Result**: SUSPICIOUS');
    expect(cheat.stdout).toContain('### Suspicious Changes\n- `sum.test.js:');
    expect(cheat.stdout).toMatch(/\| Suspicious \|\n\| 2 \| 0 \| - \| - \| Passed, suspicious \|/u);
    expect(readState(root).status).toBe('suspicious');

    const again = await fixProblem(root, args);
    expect(again.status, 'a new call does not forget it').toBe(1);
    expect(readState(root).attempts).toHaveLength(2);
    expect(again.stdout).toMatch(
      /^> Nothing was run\. .* its green run is suspicious.*--resume --fix TEXT\. .*--accept or --reject\.\n\n## Command/u,
    );
    expect(JSON.parse((await fixProblem(root, [...args, '--json'])).stdout).warnings[0]).toMatch(
      /^Nothing was run\. This is/u,
    );
    expect(readLoopFile(root, 'report.md')).not.toContain('Nothing was run. This is');

    writeProjectFile(root, 'sum.test.js', TEST);
    expect(await fixProblem(root, ['--accept'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('The work tree has changed since the run that would be accepted.'),
    });
    writeProjectFile(root, 'sum.test.js', SKIPPED);
    const rejected = await fixProblem(root, ['--reject', 'the test is right']);
    expect(rejected).toMatchObject({ status: 3, stderr: expect.not.stringContaining('Nothing changed') });
    expect(rejected.stdout, 'what fails is still known').toMatch(/^- \*\*Location\*\*: sum\.test\.js:\d+/mu);
    expect(rejected.stdout).toMatch(/^- \*\*Suspicious\*\*: `sum\.test\.js:\d+` test skipped: `test\.skip\(/mu);
    expect(rejected.stdout).toContain('it was suspicious; a human rejected it: the test is right');

    writeProjectFile(root, 'sum.test.js', TEST);
    writeProjectFile(root, 'sum.js', 'exports.sum = (a, b) => a + b;\n');
    const honest = await fixProblem(root, ['--resume']);
    expect(honest.status, honest.stderr).toBe(0);
    expect(honest.stdout).toContain('### Fixes Applied\n1. **Attempt 2**: ');
    expect(honest.stdout).not.toMatch(/skip a test/u);
    const exported = (await argus(['memory', 'export', '--project', root])).stdout;
    expect(exported).toMatch(/a \+ b.*"worked":true/u);
    expect(exported).not.toMatch(/skip|sum\.test\.js: modified/u);
    const known = await argus([
      'solutions',
      String(readState(root).attempts[0]?.headline),
      '--project',
      root,
      '--json',
    ]);
    const inBothMemories = expect.objectContaining({ worked: 1, failed: 0, steps: expect.stringContaining('a + b') });
    expect(JSON.parse(known.stdout).ranked_solutions).toEqual([inBothMemories, inBothMemories]);
  });

  test('a passing run is suspicious if the tests change while the loop waits', async () => {
    const root = createProject(FILES);
    const up = path.join(createProject(), 'up');
    const down = `test -e ${up} || { touch ${up}; echo "Error: connect ECONNREFUSED 127.0.0.1:1"; exit 1; }`;
    const running = startFixProblem(root, [...loopOn(`${down}; node sum.test.js`), '--backoff', '0.5']);
    await running.prints(/waiting 0\.5 s/u, 'stderr');
    writeProjectFile(root, 'sum.test.js', SKIPPED);
    const { status, stderr } = await running.done;
    expect(status, stderr).toBe(1);
    expect(readState(root).status).toBe('suspicious');
  });
});

describe('a given error', () => {
  const TEXT = 'TypeError: cannot use answer from port 4711\n    at Object.<anonymous> (check.js:6:7)';
  const args = ['--desired', 'it is well', '--test', 'node check.js', '--backoff', '0'];

  test('a given error gets a brief, and then a change is verified', async () => {
    const root = createRepository(FAILING_FILES);
    const first = await fixProblem(root, ['-', ...args], { input: TEXT });
    expect(first.status).toBe(3);
    expect(first.stdout).toMatch(/^# Fix for attempt 1 of 3: Direct Fix\n/u);
    expect(readState(root)).toMatchObject({ mode: 'error', status: 'needs_fix', attempts: [] });
    writeAnswer(root, 'good');
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

  test('a given error goes to a human after three approaches', async () => {
    const root = createProject(FAILING_FILES);
    expect((await fixProblem(root, [TEXT, ...args, '--circuit-breaker', '9'])).status).toBe(3);
    const briefs = ['Defensive Approach', 'Alternative Pattern'];
    for (const [index, approach] of briefs.entries()) {
      writeAnswer(root, `try ${index}`);
      const { stdout } = await fixProblem(root, ['--resume', '--fix', `try ${index}`]);
      expect(stdout).toContain(approach);
      expect(stdout).toContain('Do not try these again.');
    }
    writeAnswer(root, 'try 3');
    const { status, stdout } = await fixProblem(root, ['--resume', '--fix', 'try 3']);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^## Fix Failed ❌ - Escalate to Human\n/u);
    expect(stdout).toMatch(
      /1\. \*\*Direct Fix\*\*: try 0 - (?:now|still) fails with .*\n2\. \*\*Defensive Approach\*\*: try 1 - .*\n3\. \*\*Alternative Pattern\*\*: try 3 - /u,
    );
    expect(stdout).toContain('### Raw Error Output\n```');
    expect(stdout).toContain('- **Classification**: fixable');
  });

  test('a given error does not count as fixed without a verification', async () => {
    const root = createProject(FAILING_FILES);
    const given = [TEXT, '--desired', 'it is well'];
    expect((await fixProblem(root, given)).status).toBe(3);
    writeAnswer(root, 'good');
    expect(await fixProblem(root, given)).toMatchObject({ status: 3, stdout: expect.stringContaining('NOT VERIFIED') });
    const verified = await fixProblem(root, ['--resume', '--test', 'node check.js']);
    expect(verified.status, verified.stderr).toBe(0);
    expect(verified.stdout).toContain('PASS ✅');
  });

  test('a given error is verified by the tests of the project, or in words', async () => {
    const scripts = JSON.stringify({ scripts: { test: 'node check.js' } });
    const root = createProject({ ...FAILING_FILES, 'package.json': scripts });
    const given = [TEXT, '--desired', 'it is well', '--backoff', '0'];
    expect((await fixProblem(root, given)).stdout).toContain('- **Verified by**: `npm test`');
    writeAnswer(root, 'good');
    expect((await fixProblem(root, given)).stdout).toContain('- **Command**: `npm test`\n- **Result**: PASS ✅');

    const other = createProject(FAILING_FILES);
    expect((await fixProblem(other, given)).status).toBe(3);
    writeAnswer(other, 'good');
    expect((await fixProblem(other, given)).status).toBe(3);
    const said = await fixProblem(other, ['--resume', '--verified', 'ran check.js by hand']);
    expect(said.status, said.stderr).toBe(0);
    expect(said.stdout).toContain('- **Command**: none; the author of the fix verified it: ran check.js by hand');
  });

  test('a given error cannot use --auto, because it asks no questions', async () => {
    const refused = await fixProblem(createProject(FAILING_FILES), [TEXT, ...args, '--auto']);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('an error has no prompts') });
  });
});

test('a later call changes the time limit and the description, but not the number of attempts', async () => {
  const root = createProject(FAILING_FILES);
  expect((await fixProblem(root, CHECK_LOOP)).status).toBe(3);
  const { stderr } = await fixProblem(root, [...CHECK_LOOP, '--timeout', '300', '--max-attempts', '9']);
  expect(stderr).toContain('max_attempts stays 5, because it cannot change during a loop.');
  expect(stderr).not.toContain('circuit_breaker stays');
  expect(readState(root)).toMatchObject({ max_attempts: 5, timeout_seconds: 300 });
  expect(await fixProblem(root, ['--resume', '--timeout', '999999999'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('timeout must be from 1 to 604800'),
  });
  expect(readState(root)).toMatchObject({ timeout_seconds: 300 });
  writeAnswer(root, 'good');
  expect((await fixProblem(root, ['--resume', '--desired', 'it is very well'])).status).toBe(0);
  expect(readState(root)).toMatchObject({ desired: 'it is very well' });
});

// The tests run concurrently, because some of them wait.
describe('a loop', { concurrent: true }, () => {
  // Takes 3 s, because a command counts as waiting only after 3 s of silence.
  test.skipIf(process.platform !== 'linux')('needs inputs for a question that a shell does not print', async () => {
    const root = createProject({
      'setup.sh': 'read -r -p "Project name: " name\ntest -n "$name" && echo "made $name"\n',
    });
    const { status, stdout } = await fixProblem(root, loopOn('bash setup.sh'));
    expect(status).toBe(4);
    expect(stdout).toContain('The command waits for an answer to a prompt that it did not print.');
    expect(stdout).toContain('Stopped at a prompt that it did not print: ');
    expect(readState(root)).toMatchObject({ status: 'needs_inputs' });
    expect((await fixProblem(root, ['--resume'])).status).toBe(4);
    expect(existsSync(path.join(root, '.claude/inputs/setup-inputs.yaml'))).toBe(false);
  });

  test('SIGTERM ends the wait between two attempts', async () => {
    const command = 'echo "Error: connect ECONNREFUSED 127.0.0.1:1"; exit 1';
    const running = startFixProblem(createProject(), [...loopOn(command), '--backoff', '60']);
    await running.prints(/waiting 60 s/u, 'stderr');
    running.signal('SIGTERM');
    expect(await running.done).toMatchObject({ status: 130, stderr: expect.stringContaining('CANCELLED') });
  });

  test('a running loop is busy for another call on its command, but not for other commands', async () => {
    const root = createProject();
    const args = loopOn(`echo begun; ${waitForFileCommand('end')}`);
    const first = startFixProblem(root, args);
    await first.prints(/begun\n/u, 'stderr');
    const second = await fixProblem(root, args);
    expect(second).toMatchObject({ status: 2, stdout: '' });
    expect(second.stderr).toMatch(/^LOOP_BUSY: This fix loop is in use by process \d+/mu);
    expect((await fixProblem(root, loopOn('true'))).status).toBe(0);
    writeFileSync(path.join(root, 'end'), '');
    expect((await first.done).status).toBe(0);
  });

  test('a loop does not read the user’s file for interactive shells', async () => {
    const root = createProject({ 'home/.bashrc': 'echo "from .bashrc"\n' });
    // Bash reads .bashrc if it takes itself for a remote shell, which it detects by a socket as stdin and a SHLVL below
    // 2.
    const env = { HOME: path.join(root, 'home'), SHLVL: '0' };
    expect(await fixProblem(root, loopOn('echo run'), { env })).toMatchObject({ status: 0 });
    expect(readLoopFile(root, 'attempt_1.log')).toBe('run\n');
  });
});
