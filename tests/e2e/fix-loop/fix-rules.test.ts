/**
 * What fix-problem does with each kind of error, at the command line with real commands: the contract's rules.
 * Processes: fix-processes.test.ts. Git: fix-git.test.ts. Fixers: fix-agent.test.ts.
 */

import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { CHECK, fileOf, fixProblem, git, loopFolder, repository, startFixProblem, stateOf, until } from './fix-loop.ts';

const RUN = ['--command', 'node check.js', '--desired', 'it is well', '--backoff', '0'];
const failing = () => repository({ 'check.js': CHECK, 'answer.txt': 'bad\n' });
const answer = (root: string, text: string) => writeFileSync(path.join(root, 'answer.txt'), `${text}\n`);

test('success at once', async () => {
  const root = repository({ 'check.js': CHECK, 'answer.txt': 'good\n' });
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

test('a failure, a change, success; and what was learned', async () => {
  const root = failing();
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
  expect(stateOf(root)).toMatchObject({
    status: 'success',
    attempts: [
      {
        fix_applied: 'The answer is good now',
        fix_verified: true,
        approach: 'direct',
        files: [{ path: 'answer.txt' }],
      },
      { exit_code: 0 },
    ],
  });
  expect(fileOf(root, 'attempt_1_fix.md')).toContain('-bad\n+good');
  expect(JSON.parse(fileOf(root, 'report.json'))).toMatchObject({ result: 'success', attempts: [{}, {}] });

  const known = await argus(['solutions', 'TypeError: cannot use answer from port 4711', '--project', root, '--json']);
  expect(JSON.parse(known.stdout)).toMatchObject({ recommended_solution: { worked: 1, failed: 0 } });
  expect(known.stdout).toContain('The answer is good now');
  const patterns = await argus(['patterns', '--source', 'learned', '--project', root, '--json']);
  expect(JSON.parse(patterns.stdout)).toMatchObject({ data: { patterns: [{ resolutions: 1 }] } });
});

test('the same error opens the circuit, whatever changes in its text', async () => {
  const root = failing();
  expect((await fixProblem(root, RUN)).status).toBe(3);
  answer(root, 'worse');
  const second = await fixProblem(root, RUN);
  expect(second.status, second.stderr).toBe(3);
  expect(second.stdout).toContain('# Fix for attempt 3 of 5: Defensive Approach');
  expect(second.stdout).toContain('None of these again.');
  answer(root, 'still worse');
  const third = await fixProblem(root, ['--resume']);
  expect(third.status).toBe(1);
  expect(third.stdout).toMatch(/^## Command Execution Failed ❌ - Escalate to Human\n/u);
  expect(third.stdout).toContain('- **Reason**: circuit_breaker_opened\n- **Attempts Used**: 3/5');
  expect(third.stdout).toMatch(
    /- \*\*State\*\*: OPEN\n- \*\*Trigger\*\*: Same error repeated 3 times\n- \*\*Error Hash\*\*: [0-9a-f]{8,}/u,
  );
  expect(third.stdout).toMatch(/\| 3 \| 1 \| TypeError \| - \| Circuit opened \|/u);
  const { circuit_breaker } = stateOf(root);
  expect(circuit_breaker.state).toBe('OPEN');
  expect(new Set(circuit_breaker.error_hashes).size).toBe(1);

  answer(root, 'good');
  for (const args of [RUN, ['--resume'], ['--resume', '--fix', 'x']]) {
    expect((await fixProblem(root, args)).status, 'open stays open').toBe(1);
  }
  expect(stateOf(root).attempts).toHaveLength(3);
  const reset = await fixProblem(root, ['--resume', '--reset-circuit']);
  expect(reset.status, reset.stderr).toBe(0);
  expect(stateOf(root)).toMatchObject({ status: 'success', circuit_breaker: { state: 'CLOSED' } });
});

test('attempts run out', async () => {
  const root = repository({
    'n.txt': '1\n',
    'check.js':
      "throw new Error('problem ' + ['one', 'two', 'three'][require('node:fs').readFileSync('n.txt', 'utf8').length - 2])",
  });
  const args = ['--command', 'node check.js', '--desired', 'x', '--max-attempts', '2', '--backoff', '0'];
  expect((await fixProblem(root, args)).status).toBe(3);
  writeFileSync(path.join(root, 'n.txt'), '11\n');
  const last = await fixProblem(root, args);
  expect(last.status).toBe(1);
  expect(last.stdout).toContain('- **Reason**: max_attempts_reached\n- **Attempts Used**: 2/2');
  expect(stateOf(root).attempts).toHaveLength(2);

  const fresh = await fixProblem(root, args);
  expect(fresh.status, 'a new loop').toBe(3);
  expect(stateOf(root).attempts).toHaveLength(1);
  expect(readdirSync(path.join(loopFolder(root), 'earlier'))).toHaveLength(1);
});

test('nothing changed is refused, the same fix too', async () => {
  const root = failing();
  await fixProblem(root, RUN);
  const unchanged = await fixProblem(root, ['--resume', '--fix', 'I changed everything']);
  expect(unchanged.status).toBe(3);
  expect(unchanged.stderr).toMatch(/Nothing changed since the last attempt/u);
  answer(root, 'worse');
  await fixProblem(root, ['--resume']);
  answer(root, 'bad');
  const back = await fixProblem(root, ['--resume']);
  expect(back.status).toBe(3);
  expect(back.stderr).toMatch(/as it was before attempt 1/u);
  expect(stateOf(root).attempts).toHaveLength(2);
});

test('the same fix to what the command undoes is refused', async () => {
  const root = repository({ 'a.txt': 'a\n' });
  const args = ['--command', 'echo a > a.txt; echo "Error: no" >&2; exit 1', '--desired', 'x', '--backoff', '0'];
  await fixProblem(root, args);
  writeFileSync(path.join(root, 'a.txt'), 'b\n');
  await fixProblem(root, args);
  writeFileSync(path.join(root, 'a.txt'), 'b\n');
  const again = await fixProblem(root, args);
  expect(again.status).toBe(3);
  expect(again.stderr).toMatch(/tried|before attempt 2/u);
  expect(stateOf(root).attempts).toHaveLength(2);
});

test('a change outside the project counts when it is declared', async () => {
  const root = repository({ a: '' });
  const flag = path.join(repository({ b: '' }), 'service');
  const args = [
    '--command',
    `test -e ${flag} || { echo "TypeError: no service"; exit 1; }`,
    '--desired',
    'x',
    '--backoff',
    '0',
  ];
  expect((await fixProblem(root, args)).status).toBe(3);
  writeFileSync(flag, '');
  const { status, stdout } = await fixProblem(root, ['--resume', '--outside', 'started the service']);
  expect(status).toBe(0);
  expect(stdout).toContain('outside the work tree: started the service');
});

test('a permanent error is handed over at once', async () => {
  const root = repository({ a: '' });
  const { status, stdout } = await fixProblem(root, [
    '--command',
    'echo "Error: 401 Unauthorized: Invalid API key" >&2; exit 1',
    '--desired',
    'x',
  ]);
  expect(status).toBe(1);
  expect(stdout).toContain('- **Reason**: permanent_error\n- **Attempts Used**: 1/5');
  expect(stateOf(root)).toMatchObject({ status: 'escalated', attempts: [{ error_class: 'permanent' }] });
});

test('a transient error is tried again after a delay that doubles, with nothing changed', async () => {
  const root = repository({ a: '' });
  const command =
    'echo x >> .git/count; test $(wc -l < .git/count) -ge 3 || { echo "Error: connect ECONNREFUSED 127.0.0.1:54$(wc -l < .git/count)"; exit 1; }';
  const { status, stdout, stderr } = await fixProblem(root, [
    '--command',
    command,
    '--desired',
    'x',
    '--backoff',
    '0.2',
    '--circuit-breaker',
    '5',
  ]);
  expect(status, stderr).toBe(0);
  expect(stderr).toMatch(/waiting 0\.2 s before attempt 2.*waiting 0\.4 s before attempt 3/su);
  expect(stdout).toContain('- **Attempts Used**: 3/5');
  expect(stateOf(root)).toMatchObject({
    attempts: [{ error_class: 'transient', fix_applied: null }, { error_class: 'transient' }, {}],
  });
});

describe('a green run by weaker tests', () => {
  const files = {
    'package.json': '{"name":"p","scripts":{"test":"node --test"}}',
    'sum.js': 'exports.sum = (a, b) => a - b;\n',
    'sum.test.js':
      "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { sum } = require('./sum.js');\ntest('adds', () => {\n  assert.strictEqual(sum(1, 2), 3);\n});\n",
  };
  const args = ['--command', 'npm test', '--desired', 'tests pass', '--backoff', '0'];

  test.each([
    ['deleted', (root: string) => rmSync(path.join(root, 'sum.test.js'))],
    [
      'skipped',
      (root: string) =>
        writeFileSync(path.join(root, 'sum.test.js'), files['sum.test.js'].replace('test(', 'test.skip(')),
    ],
    [
      'without its assertion',
      (root: string) =>
        writeFileSync(path.join(root, 'sum.test.js'), files['sum.test.js'].replace(/ {2}assert.*\n/u, '')),
    ],
  ])('a test %s is suspicious', async (_name, cheat) => {
    const root = repository(files);
    expect((await fixProblem(root, args)).status).toBe(3);
    cheat(root);
    const { status, stdout } = await fixProblem(root, ['--resume']);
    expect(status).toBe(1);
    expect(stdout).toContain('- **Result**: SUSPICIOUS');
    expect(stdout).toContain('### Suspicious Changes\n- `sum.test.js:');
    expect(stdout).toMatch(/\| Suspicious \|\n\| 2 \| 0 \| - \| - \| Passed, suspicious \|/u);
    expect(stateOf(root).status).toBe('suspicious');
    expect((await fixProblem(root, args)).status, 'a new call does not forget it').toBe(1);
    expect(stateOf(root).attempts).toHaveLength(2);

    git(root, 'checkout', '-q', 'sum.test.js');
    writeFileSync(path.join(root, 'sum.js'), 'exports.sum = (a, b) => a + b;\n');
    const honest = await fixProblem(root, ['--resume', '--reject', '--fix', 'Add instead of subtract']);
    expect(honest.status, honest.stderr).toBe(0);
    const known = await argus(['solutions', String(stateOf(root).attempts[0]?.headline), '--project', root, '--json']);
    const { ranked_solutions } = JSON.parse(known.stdout);
    // In both memories, and the cheat in neither.
    const honestly = expect.objectContaining({
      worked: 1,
      failed: 0,
      steps: expect.stringContaining('Add instead of'),
    });
    expect(ranked_solutions).toEqual([honestly, honestly]);
  });

  test('what a human rejected is offered nowhere, also not as a part of what came after it', async () => {
    const root = repository(files);
    expect((await fixProblem(root, args)).status).toBe(3);
    writeFileSync(path.join(root, 'sum.test.js'), files['sum.test.js'].replace('test(', 'test.skip('));
    expect((await fixProblem(root, ['--resume', '--fix', 'skip a test'])).status).toBe(1);

    const again = await fixProblem(root, args);
    expect(again.stdout).toMatch(
      /^> Nothing was run now: .* its green run is suspicious.*--accept or --reject\.\n\n## Command/u,
    );
    expect(JSON.parse((await fixProblem(root, [...args, '--json'])).stdout).warnings[0]).toMatch(
      /^Nothing was run now/u,
    );
    expect(fileOf(root, 'report.md')).not.toContain('Nothing was run now');

    const skipped = readFileSync(path.join(root, 'sum.test.js'), 'utf8');
    writeFileSync(path.join(root, 'sum.test.js'), files['sum.test.js']);
    const late = await fixProblem(root, ['--accept']);
    expect({ status: late.status, said: late.stderr }).toEqual({
      status: 2,
      said: expect.stringContaining('The work tree is not as it was in the run that would be accepted.'),
    });
    writeFileSync(path.join(root, 'sum.test.js'), skipped);
    const rejected = await fixProblem(root, ['--reject', 'the test is right']);
    expect({ status: rejected.status, said: rejected.stderr }).toEqual({
      status: 3,
      said: expect.not.stringContaining('Nothing changed'),
    });
    expect(rejected.stdout, 'what fails is still known').toMatch(/^- \*\*Location\*\*: sum\.test\.js:\d+/mu);
    expect(rejected.stdout).toMatch(/^- \*\*Weakened Test\*\*: `sum\.test\.js:\d+` test skipped: `test\.skip\(/mu);
    expect(rejected.stdout).toContain('it made the tests weaker; a human rejected it: the test is right');
    writeFileSync(path.join(root, 'sum.test.js'), files['sum.test.js']);
    writeFileSync(path.join(root, 'sum.js'), 'exports.sum = (a, b) => a + b;\n');
    const honest = await fixProblem(root, ['--resume']);
    expect(honest.status, honest.stderr).toBe(0);
    expect(honest.stdout).toContain('### Fixes Applied\n1. **Attempt 2**: ');
    expect(honest.stdout).not.toMatch(/skip a test/u);
    const exported = (await argus(['memory', 'export', '--project', root])).stdout;
    expect(exported).toMatch(/a \+ b.*"worked":true/u);
    expect(exported).not.toMatch(/skip|sum\.test\.js: modified/u);
  });

  test('an open circuit is said before its old results', async () => {
    const root = failing();
    const loop = ['--command', 'node check.js', '--desired', 'x', '--backoff', '0', '--circuit-breaker', '1'];
    expect((await fixProblem(root, loop)).status).toBe(1);
    const again = await fixProblem(root, loop);
    expect(again.stdout).toMatch(/^> Nothing was run now: .* its circuit is open.*--reset-circuit\.\n\n## Command/u);
    expect(stateOf(root).attempts).toHaveLength(1);
    const reset = await fixProblem(root, ['--reset-circuit']);
    expect(reset.stderr).not.toContain('Nothing changed');
  });

  test('a loop that is over is the history of the next one', async () => {
    const root = failing();
    const loop = ['--command', 'node check.js', '--desired', 'x', '--backoff', '0'];
    expect((await fixProblem(root, loop)).status).toBe(3);
    writeFileSync(path.join(root, 'answer.txt'), 'good\n');
    expect((await fixProblem(root, ['--resume', '--fix', 'a better answer'])).status).toBe(0);
    writeFileSync(path.join(root, 'answer.txt'), 'bad\n');
    const next = await fixProblem(root, loop);
    expect(next.status).toBe(3);
    expect(stateOf(root).attempts).toHaveLength(1);
    const { warnings } = JSON.parse((await fixProblem(root, ['--resume', '--json'])).stdout);
    expect(warnings.join()).toMatch(/ended with success after 2 attempts; it is in .*\/earlier\/.*a better answer/u);
  });

  test('also where nobody declared a change, while an error was waited for to pass', async () => {
    const root = repository(files);
    const command =
      'test -e .git/up || { touch .git/up; echo "Error: connect ECONNREFUSED 127.0.0.1:1"; exit 1; }; npm test';
    const { child, output } = startFixProblem(root, ['--command', command, '--desired', 'x', '--backoff', '2']);
    await until(() => output().stderr.includes('waiting 2 s'));
    rmSync(path.join(root, 'sum.test.js'));
    const [status] = await once(child, 'exit');
    expect(status, output().stderr).toBe(1);
    expect(stateOf(root).status).toBe('suspicious');
  });

  test.each(['--accept', '--reject', '--reset-circuit'])(
    '%s where nothing is to decide runs nothing',
    async (decision) => {
      const root = failing();
      expect((await fixProblem(root, ['--command', 'node check.js', '--desired', 'x'])).status).toBe(3);
      const before = stateOf(root);
      const { status, stderr } = await fixProblem(root, [decision]);
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/^INVALID_INPUT: .+/mu) });
      expect(stateOf(root)).toEqual(before);
    },
  );

  test('a human may accept it', async () => {
    const root = repository(files);
    await fixProblem(root, args);
    rmSync(path.join(root, 'sum.test.js'));
    await fixProblem(root, ['--resume']);
    expect((await fixProblem(root, ['--resume', '--accept', 'the feature is gone'])).status).toBe(0);
    expect(stateOf(root).status).toBe('success');
  });
});

describe('an error that is given', () => {
  const TEXT = 'TypeError: cannot use answer from port 4711\n    at Object.<anonymous> (check.js:6:7)';
  const args = ['--desired', 'it is well', '--test', 'node check.js', '--backoff', '0'];

  test('a brief, a change, the verification', async () => {
    const root = failing();
    const first = await fixProblem(root, [TEXT, ...args]);
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

  test('three approaches, then a human', async () => {
    const root = failing();
    expect((await fixProblem(root, [TEXT, ...args, '--circuit-breaker', '9'])).status).toBe(3);
    const approaches = ['Defensive Approach', 'Alternative Pattern'];
    for (const [index, approach] of approaches.entries()) {
      answer(root, `try ${index}`);
      expect((await fixProblem(root, ['--resume', '--fix', `try ${index}`])).stdout).toContain(approach);
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

  test('without a verification it is not called fixed', async () => {
    const root = failing();
    const given = [TEXT, '--desired', 'it is well'];
    expect((await fixProblem(root, given)).status).toBe(3);
    answer(root, 'good');
    const { status, stdout } = await fixProblem(root, given);
    expect(status).toBe(3);
    expect(stdout).toContain('NOT VERIFIED');
    const verified = await fixProblem(root, ['--resume', '--test', 'node check.js']);
    expect(verified.status, verified.stderr).toBe(0);
    expect(verified.stdout).toContain('PASS ✅');
  });

  test('an error that begins like an option, one from stdin, one with a namespace', async () => {
    const root = repository({ a: '' });
    const dashes = await fixProblem(root, [
      '--- FAIL: TestX (0.00s)\n    x_test.go:7: got 1, want 2',
      '--desired',
      'passes',
    ]);
    expect(dashes.status, dashes.stderr).toBe(3);
    rmSync(path.join(root, '.claude'), { recursive: true });
    const piped = await fixProblem(root, ['-', '--desired', 'passes'], { input: 'ReferenceError: x is not defined' });
    expect(piped.stdout).toContain('ReferenceError');
    expect(existsSync(path.join(root, '.claude/fixes'))).toBe(true);
  });
});

test('what may be changed on the way, and what stays', async () => {
  const root = failing();
  expect((await fixProblem(root, RUN)).status).toBe(3);
  const { stderr } = await fixProblem(root, [
    ...RUN,
    '--timeout',
    '300',
    '--max-attempts',
    '9',
    '--circuit-breaker',
    '3',
  ]);
  expect(stderr).toContain('max_attempts stays 5, as the loop began.');
  expect(stderr).not.toContain('circuit_breaker stays');
  expect(stateOf(root)).toMatchObject({ max_attempts: 5, timeout_seconds: 300 });
  const refused = await fixProblem(root, ['--resume', '--timeout', '999999999']);
  expect(refused).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('timeout must be from 1 to 604800'),
  });
  expect(stateOf(root)).toMatchObject({ timeout_seconds: 300 });
  answer(root, 'good');
  expect((await fixProblem(root, ['--resume', '--desired', 'it is very well'])).status).toBe(0);
  expect(stateOf(root)).toMatchObject({ desired: 'it is very well' });
});

test('--json', async () => {
  const root = failing();
  const { status, stdout } = await fixProblem(root, [...RUN, '--json']);
  expect(status).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    exit_status: 3,
    stopped: 'needs_fix',
    status: 'needs_fix',
    exit_code: 1,
    attempt: 1,
    failure: { type: 'TypeError', class: 'fixable', hash: expect.any(String) },
    circuit: { state: 'CLOSED', same_in_a_row: 1 },
    approach: { name: 'direct' },
    context: expect.any(Array),
    research_query: expect.stringContaining('TypeError'),
  });
});
