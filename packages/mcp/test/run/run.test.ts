import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { parseDockerInspect, parsePodList } from '../../src/run/containers.ts';
import { execute, OutputTail } from '../../src/run/execute.ts';
import { parseStatus, readGitFacts } from '../../src/run/git-state.ts';
import { removeAdditions } from '../../src/run/reporters.ts';
import { GoJsonConverter } from '../../src/run/reports/go-json.ts';
import { createFailureText, LibtestReport, parseCargoPackageName } from '../../src/run/reports/libtest.ts';
import { createFolder } from '../project.ts';

describe('execute', () => {
  const defaultOptions = { cwd: tmpdir(), env: process.env, timeoutMs: 20_000 };
  const createNodeCommand = (code: string) => `"${process.execPath}" -e "${code}"`;

  test('returns output and exit code', async () => {
    const chunks: string[] = [];
    const command = createNodeCommand("process.stdout.write('out'); process.stderr.write('err'); process.exitCode = 3");
    const result = await execute({
      ...defaultOptions,
      command,
      onOutput: (text, stream) => void chunks.push(`${stream}:${text}`),
    });
    expect(result).toMatchObject({ exitCode: 3, signal: null, timedOut: false });
    expect(chunks.filter((chunk) => !chunk.endsWith(':')).sort()).toEqual(['stderr:err', 'stdout:out']);
  });

  test('joins characters that are split between chunks', async () => {
    let text = '';
    const command = createNodeCommand(
      "const b = Buffer.from('é'); process.stdout.write(b.subarray(0, 1)); setTimeout(() => process.stdout.write(b.subarray(1)), 50)",
    );
    const onOutput = (piece: string) => {
      text += piece;
      return undefined;
    };
    await execute({ ...defaultOptions, command, onOutput });
    expect(text).toBe('é');
  });

  test.skipIf(process.platform === 'win32')(
    'ends the whole process group after a timeout',
    async () => {
      const cwd = createFolder();
      execFileSync('mkfifo', [path.join(cwd, 'pipe')]);
      // The pipe closes when all processes that opened it have ended.
      const allEnded = once(createReadStream(path.join(cwd, 'pipe')).resume(), 'close');
      const command = "exec 3> pipe; sleep 30 & trap '' TERM; sleep 30";
      const result = await execute({ ...defaultOptions, cwd, command, timeoutMs: 200 });
      expect(result.timedOut).toBe(true);
      await allEnded;
    },
    20_000,
  );

  test('rejects if the caller cancels', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 100);
    await expect(execute({ ...defaultOptions, command: 'sleep 30', signal: abort.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    await expect(execute({ ...defaultOptions, command: 'true', signal: abort.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });

  test.skipIf(process.platform === 'win32')('does not wait for a background process', async () => {
    const result = await execute({ ...defaultOptions, command: 'sleep 3 & exit 1' });
    expect(result.exitCode).toBe(1);
    expect(result.durationMs).toBeLessThan(2_500);
  });

  test.skipIf(process.platform === 'win32')('reads output that arrives while this process is busy', async () => {
    const chunks: string[] = [];
    const onOutput = (text: string) => void chunks.push(text);
    const running = execute({ ...defaultOptions, command: '(sleep 0.4; echo late) & exit 1', onOutput });
    await sleep(200);
    // After a completed read, the event loop runs due timers before it reads the pipe.
    await readFile(import.meta.filename);
    const until = performance.now() + 1_000;
    while (performance.now() < until);
    await running;
    expect(chunks.join('')).toBe('late\n');
  });

  test('limits the length of the kept output', () => {
    const tail = new OutputTail();
    for (let i = 0; i < 100; i++) tail.add(`${'x'.repeat(10_000)}${i}\n`);
    expect(tail.text.length).toBeLessThanOrEqual(64 * 1024);
    expect(tail.lastLine).toMatch(/x99$/u);
  });
});

describe('git', () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd, stdio: 'pipe' });

  test('ignores files that Argus writes', async () => {
    const root = createFolder();
    git(root, 'init', '-q', '-b', 'main');
    writeFileSync(path.join(root, 'a.txt'), 'a');
    expect(await readGitFacts(root)).toMatchObject({ commit: null, branch: 'main', dirty: true });
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'one');
    mkdirSync(path.join(root, '.argus'));
    writeFileSync(path.join(root, '.argus', 'argus.db'), 'x');
    mkdirSync(path.join(root, '.claude', 'fixes'), { recursive: true });
    writeFileSync(path.join(root, '.claude', 'fixes', 'one.md'), 'x');
    const clean = await readGitFacts(root);
    expect(clean).toMatchObject({ branch: 'main', dirty: false });
    expect(clean?.commit).toMatch(/^[0-9a-f]{40}$/u);
    writeFileSync(path.join(root, '.claude', 'settings.json'), '{}');
    expect((await readGitFacts(root))?.dirty).toBe(true);
    git(root, 'checkout', '-q', '--detach');
    expect((await readGitFacts(root))?.branch).toBeNull();
  });

  test('ignores an imported report unless git tracks it', async () => {
    const root = createFolder();
    git(root, 'init', '-q', '-b', 'main');
    writeFileSync(path.join(root, 'kept.xml'), 'a');
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'one');
    const [report, trackedReport] = [path.join(root, 'junit.xml'), path.join(root, 'kept.xml')];
    writeFileSync(report, 'x');
    expect(await readGitFacts(root)).toMatchObject({ dirty: true });
    const clean = await readGitFacts(root, [report, trackedReport]);
    expect(clean).toMatchObject({ dirty: false });
    expect(clean?.tree).toBe(clean?.commits?.[0]?.tree);
    writeFileSync(trackedReport, 'b');
    expect(await readGitFacts(root, [report, trackedReport])).toMatchObject({ dirty: true });
  });

  test.each([
    ['drops a change', ['-s', 'ours'], ['ours.txt']],
    ['keeps all changes', [], undefined],
  ])('lists the files of a merge that %s', async (_, options, files) => {
    const root = createFolder();
    const commit = (name: string) => {
      writeFileSync(path.join(root, name), name);
      git(root, 'add', '.');
      git(root, 'commit', '-q', '-m', name);
    };
    git(root, 'init', '-q', '-b', 'main');
    commit('base.txt');
    git(root, 'checkout', '-q', '-b', 'side');
    commit('side.txt');
    git(root, 'checkout', '-q', 'main');
    commit('ours.txt');
    git(root, 'checkout', '-q', 'side');
    git(root, 'merge', '-q', '-m', 'merge', ...options, 'main');
    expect((await readGitFacts(root))?.commits?.[0]?.files).toEqual(files);
  });

  test('returns null outside a repository', async () => {
    expect(await readGitFacts(createFolder())).toBeNull();
  });

  test('parses the output of git status', () => {
    expect(parseStatus('# branch.oid (initial)\0# branch.head main\0')).toEqual({
      commit: null,
      branch: 'main',
      changed: new Set(),
      tracked: new Set(),
    });
    expect(parseStatus('')).toEqual({ commit: null, branch: null, changed: new Set(), tracked: new Set() });
  });
});

describe('containers', () => {
  test('parses the output of docker inspect', () => {
    const json = JSON.stringify([
      { Name: '/db', State: { Status: 'exited', OOMKilled: true, ExitCode: 137, Error: '' } },
      { Name: '/api', State: { Status: 'running', OOMKilled: false, ExitCode: 0 } },
    ]);
    expect(parseDockerInspect(json)).toEqual([
      { name: 'db', status: 'exited', oomKilled: true, exitCode: 137 },
      { name: 'api', status: 'running', oomKilled: false, exitCode: null },
    ]);
  });

  test('parses the output of kubectl get pods', () => {
    const started = Date.parse('2026-03-01T10:00:00Z');
    const killed = (finishedAt: string) => ({ terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt } });
    const crash = { waiting: { reason: 'CrashLoopBackOff' } };
    const json = JSON.stringify({
      items: [
        {
          metadata: { name: 'api-1' },
          status: {
            containerStatuses: [
              { name: 'api', state: crash, lastState: killed('2026-03-01T10:00:05Z') },
              { name: 'old', state: { running: {} }, lastState: killed('2026-02-01T00:00:00Z') },
            ],
          },
        },
        { metadata: { name: 'pending' }, status: {} },
      ],
    });
    expect(parsePodList(json, started)).toEqual([
      { name: 'api-1/api', status: 'CrashLoopBackOff', oomKilled: true, exitCode: 137 },
      { name: 'api-1/old', status: 'running', oomKilled: null, exitCode: null },
    ]);
  });
});

test('converts go test -json to the output of go test', () => {
  const event = (fields: object) => `${JSON.stringify({ Package: 'example.com/m', ...fields })}\n`;
  const output = (text: string, name?: string) => event({ Action: 'output', Test: name, Output: text });
  const stream = [
    event({ Action: 'run', Test: 'TestGood' }),
    output('=== RUN   TestGood\n', 'TestGood'),
    output('    m_test.go:3: noise\n', 'TestGood'),
    output('--- PASS: TestGood (0.00s)\n', 'TestGood'),
    event({ Action: 'pass', Test: 'TestGood' }),
    output('=== RUN   TestBad\n', 'TestBad'),
    output('=== RUN   TestBad/sub\n', 'TestBad/sub'),
    output('    m_test.go:7: got 2\n', 'TestBad/sub'),
    output('    m_test.go:5: noise of a passing subtest\n', 'TestBad/good'),
    output('--- FAIL: TestBad (0.00s)\n', 'TestBad'),
    event({ Action: 'pass', Test: 'TestBad/good' }),
    output('    --- FAIL: TestBad/sub (0.00s)\n', 'TestBad/sub'),
    event({ Action: 'fail', Test: 'TestBad/sub' }),
    event({ Action: 'fail', Test: 'TestBad' }),
    output('FAIL\n'),
    output('FAIL\texample.com/m\t0.01s\n'),
    event({ Action: 'fail' }),
    'not json\n',
  ].join('');
  const text = new GoJsonConverter({ isVerbose: false, printsPassedOutput: false, printsFinalResult: true });
  const pieces = stream.match(/[\s\S]{1,37}/gu) ?? [];
  const printed = pieces.map((piece) => text.add(piece)).join('') + text.end(1);
  expect(printed).toBe(
    [
      '--- FAIL: TestBad (0.00s)',
      '    --- FAIL: TestBad/sub (0.00s)',
      '        m_test.go:7: got 2',
      'FAIL',
      'FAIL\texample.com/m\t0.01s',
      'not json',
      'FAIL',
      '',
    ].join('\n'),
  );
});

test('removes the warning with which an older nextest rejects an added setting', () => {
  const warning =
    'warning: in config file /r/argus-nextest.toml provided by tool `argus`, ignoring unknown configuration key: profile.default.junit.report-skipped\n';
  expect(removeAdditions(`${warning}one\n`, { addedArguments: [], dir: '/r' })).toBe('one\n');
});

test('converts the output of cargo test to a report', () => {
  const report = new LibtestReport('my-crate');
  report.add('   Compiling m v0.1.0\n     Running unittests src/lib.rs (target/debug/deps/my_crate-0f)\n', 'stderr');
  const stdout = `
running 3 tests
test net::good ... ok
test net::bad ... FAILED
test slow ... ignored, takes long

failures:

---- net::bad stdout ----

thread 'net::bad' panicked at src/lib.rs:9:5:
assertion \`left == right\` failed
  left: 1
 right: 2


failures:
    net::bad

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
`;
  for (const piece of stdout.match(/[\s\S]{1,11}/gu) ?? []) report.add(piece, 'stdout');
  expect(JSON.parse(report.end() ?? '')).toMatchObject({
    results: {
      tests: [
        {
          name: 'net::bad',
          status: 'failed',
          message: expect.stringMatching(/^thread 'net::bad' panicked[\s\S]* right: 2$/u),
        },
        { name: 'net::good', suite: ['my-crate'], status: 'passed' },
        { name: 'slow', suite: ['my-crate'], status: 'skipped' },
      ],
    },
  });
  expect(new LibtestReport().end()).toBeNull();
});

test.each([
  ['a thread for each test', ['net::bad', 'net::worse'], 'test net::bad ... FAILED\ntest net::worse ... FAILED\n'],
  ['a single thread', ['main', 'main'], 'test net::bad ... connecting\nFAILED\ntest net::worse ... waiting\nFAILED\n'],
])('assigns panics to tests that print immediately, with %s', (_, threads, results) => {
  const report = new LibtestReport('my-crate');
  report.add(`\nrunning 3 tests\ntest net::good ... ok\n${results}\nfailures:\n\nfailures:\n    net::bad\n`, 'stdout');
  report.add(
    `
thread '${threads[0]}' (7) panicked at src/lib.rs:9:5:
assertion \`left == right\` failed
  left: 1
 right: 2
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace

thread '${threads[1]}' (8) panicked at src/lib.rs:12:5:
no route
error: test failed, to rerun pass \`--lib\`
`,
    'stderr',
  );
  expect(JSON.parse(report.end() ?? '').results.tests).toMatchObject([
    { name: 'net::bad', message: expect.stringMatching(/lib\.rs:9:5:\n.* failed\n {2}left: 1\n right: 2$/u) },
    { name: 'net::good', status: 'passed' },
    { name: 'net::worse', message: expect.stringMatching(/lib\.rs:12:5:\nno route$/u) },
  ]);
});

test('orders the tests of a binary by their names, because threads finish in any order', () => {
  const report = new LibtestReport();
  report.add('running 2 tests\ntest b ... ok\ntest a::c ... FAILED\ntest result: FAILED. 1 passed; \n', 'stdout');
  report.add('running 2 tests\ntest a::b ... ok\ntest a::a ... ok\ntest result: ok. 2 passed; \n', 'stdout');
  const { tests } = JSON.parse(report.end() ?? '').results;
  expect(tests.map(({ name }: { name: string }) => name)).toEqual(['a::c', 'b', 'a::a', 'a::b']);
});

test.each([
  ['running 2 tests\ntest a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\n', false],
  ['running 2 tests\ntest a ... ok\n', true],
  // With --nocapture, a test may print the output of another binary.
  ['running 1 test\nrunning 1 test\ntest result: ok. 1 passed; \ntest a ... ok\ntest result: ok. 1 passed; \n', false],
])('detects whether a test binary ended early: %j', (printed, hasEndedEarly) => {
  const report = new LibtestReport();
  report.add(printed, 'stdout');
  report.end();
  expect(report.hasEndedEarly).toBe(hasEndedEarly);
});

test('reports the panic of a failed documentation example at the first line of the example', () => {
  const report = new LibtestReport();
  report.add(
    `
running 1 test
test src/cart.rs - cart::total (line 12) ... FAILED

failures:

---- src/cart.rs - cart::total (line 12) stdout ----
Test executable failed (exit status: 101).

stdout:
adding

stderr:

thread 'main' (31) panicked at /tmp/rustdoctestQ0/doctest_bundle_2024.rs:553:1:
assertion \`left == right\` failed
  left: 1
 right: 2


failures:
    src/cart.rs - cart::total (line 12)
`,
    'stdout',
  );
  const [failed] = JSON.parse(report.end() ?? '').results.tests;
  expect(failed).toMatchObject({ name: 'src/cart.rs - cart::total (line 12)', stdout: ['adding\n'] });
  expect(failed.message).toBe(
    "thread 'main' (31) panicked at src/cart.rs:12:1:\nassertion `left == right` failed\n  left: 1\n right: 2",
  );
});

test('maps a panic in a documentation example to a line of the source', () => {
  const source = `/// Adds.
///
/// \`\`\`
/// let one = 1;
/// # let two = 2;
/// assert_eq!(one, 2);
/// \`\`\`
pub fn total() {}

/// \`\`\`
/// assert!(true);
/// assert!(false);
/// \`\`\`
pub fn whole() {
    panic!("in the source");
}
`;
  const findPanicPlace = (begin: number, place: string) => {
    const output = `Test executable failed (exit status: 101).\n\nstderr:\n\nthread 'main' (3) panicked at ${place}:\nassertion failed`;
    const { message } = createFailureText(`src/cart.rs - total (line ${begin})`, output, () => source);
    return /panicked at (\S+):$/mu.exec(message)?.[1];
  };
  expect(findPanicPlace(3, 'src/cart.rs:5:1')).toBe('src/cart.rs:6:1');
  expect(findPanicPlace(10, 'src/cart.rs:4:1'), 'two lines can have panicked').toBe('src/cart.rs:10:1');
  expect(findPanicPlace(10, 'src/cart.rs:15:5'), 'the panic is in a called function').toBe('src/cart.rs:15:5');
  expect(findPanicPlace(10, 'src/other.rs:2:5')).toBe('src/other.rs:2:5');
});

test('reads the package name of a Cargo.toml', () => {
  expect(parseCargoPackageName('[workspace]\n\n[package]\nversion = "1"\nname = "a-b"\n\n[dependencies]\n')).toBe(
    'a-b',
  );
  expect(parseCargoPackageName('[package]\nname = "last"')).toBe('last');
  expect(parseCargoPackageName('[[bin]]\nname = "tool"\n')).toBeUndefined();
});
