/** Tests an attempt of the fix loop: its command, the processes that the command leaves behind, and its log. */

import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AttemptRequest, runAttempt } from '../../src/fix/attempt/attempt.ts';
import { LogFile } from '../../src/fix/attempt/log-file.ts';
import { createRunMark, findMarkedProcesses } from '../../src/run/processes.ts';
import { createFolder } from '../project.ts';

const returnUnchanged = (text: string) => text;

function runTestAttempt(command: string, extra: Partial<AttemptRequest> = {}) {
  const cwd = createFolder();
  const logPath = path.join(cwd, 'attempt_1.log');
  const request = {
    command,
    cwd,
    logPath,
    timeoutSeconds: 20,
    mark: createRunMark(),
    redact: returnUnchanged,
    ...extra,
  };
  return { request, result: runAttempt(request), log: () => readFileSync(logPath, 'utf8') };
}

// The tests run in parallel, because most of them wait.
describe.skipIf(process.platform === 'win32')('an attempt', { concurrent: true }, () => {
  test('logs both streams in the order in which they were written', async () => {
    const { result, log } = runTestAttempt('for i in 1 2 3; do echo out$i; echo err$i >&2; done; exit 3');
    expect(await result).toMatchObject({ exitCode: 3, timedOut: false, signal: null });
    expect(log()).toBe('out1\nerr1\nout2\nerr2\nout3\nerr3\n');
    expect((await result).text).toBe(log());
  });

  test('runs in bash if bash exists', async () => {
    expect((await runTestAttempt('[[ a == a ]] && set -o pipefail').result).exitCode).toBe(0);
  });

  test('passes the given input, and closes stdin if there is no input', async () => {
    const { result, log } = runTestAttempt('read -r a; read -r b; echo "$a-$b"', { input: 'one\ntwo\n' });
    expect((await result).exitCode).toBe(0);
    expect(log()).toBe('one-two\n');
    expect((await runTestAttempt('read -r a').result).exitCode).toBe(1);
    expect((await runTestAttempt('true', { input: 'x'.repeat(1_000_000) }).result).exitCode).toBe(0);
  });

  // Three seconds without output count as a question.
  describe.skipIf(process.platform !== 'linux')('an attempt that may ask', () => {
    const ask = `require('node:fs').writeSync(1, 'Name? '); require('node:fs').readSync(0, Buffer.alloc(9))`;
    test.each([
      ['a shell that reads', 'echo begun; read -r -p "Name: " name; echo "$name"', 'begun'],
      ['a program that reads', `node -e "${ask}"`, 'Name?'],
    ])('is ended if %s waits for an answer', async (_, command, prompt) => {
      const result = await runTestAttempt(command, { mayAsk: true }).result;
      expect(result).toMatchObject({ prompt, timedOut: false });
      expect(result.exitCode).not.toBe(0);
      expect(result.notes.join()).toMatch(/Stopped at the prompt .*was reading standard input/u);
    });

    test.each([
      ['a pipe between programs', 'sleep 4 | cat; cat <&-; true'],
      ['a shell at the end of a pipe', 'sleep 4 | while read -r x; do :; done'],
      ['a program that passes its input on', 'cat & sleep 4'],
    ])('is not ended if it runs %s', async (_, command) => {
      expect(await runTestAttempt(command, { mayAsk: true }).result).toMatchObject({ prompt: null, exitCode: 0 });
    });
  });

  test('turns a signal into an exit code', async () => {
    expect(await runTestAttempt('kill -9 $$').result).toMatchObject({ exitCode: 137, signal: 'SIGKILL' });
  });

  test('ends a command after its timeout, even if it ignores SIGTERM', async () => {
    const { result, request } = runTestAttempt("trap '' TERM; echo begun; while true; do sleep 1; done", {
      timeoutSeconds: 1,
    });
    expect(await result).toMatchObject({ exitCode: 124, timedOut: true, text: 'begun\n' });
    expect(await findMarkedProcesses(request.mark)).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')('finds processes that leave the group', async () => {
    const { result, request } = runTestAttempt('setsid sleep 300 & setsid --fork sleep 301; echo x; exit 1');
    expect((await result).notes.join()).toMatch(/left processes running, which were stopped: .*sleep 30/u);
    expect(await findMarkedProcesses(request.mark)).toEqual([]);
  });

  test('leaves no process running after a cancellation', async () => {
    const abort = new AbortController();
    const { result, request, log } = runTestAttempt('setsid sleep 300 & echo begun; sleep 300', {
      signal: abort.signal,
      onOutput: () => {
        abort.abort();
        return undefined;
      },
    });
    await expect(result).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await findMarkedProcesses(request.mark)).toEqual([]);
    expect(log()).toContain('begun');
  });

  test('keeps the beginning and the end of a long output', async () => {
    const { result, request } = runTestAttempt('yes 0123456789abcdef | head -c 100000000; echo; echo the end; exit 1', {
      timeoutSeconds: 110,
    });
    const { text } = await result;
    expect(text.length).toBeLessThan(200_000);
    expect(text.startsWith('0123456789abcdef\n')).toBe(true);
    expect(text.endsWith('the end\n')).toBe(true);
    expect(statSync(request.logPath).size).toBeLessThan(65 * 1024 * 1024);
    expect((await result).notes).toEqual([expect.stringMatching(/omits \d+ characters/u)]);
  });
});

describe('a log', () => {
  const redact = (text: string) =>
    text.replaceAll(/-----BEGIN KEY.*?-----END KEY-----/gsu, '[key]').replaceAll('hunter2', '[pw]');

  test('never splits a secret when it shortens the output', () => {
    const file = path.join(createFolder(), 'a.log');
    const log = new LogFile(file, redact);
    const key = `-----BEGIN KEY-----\n${'abcdef\n'.repeat(400)}-----END KEY-----\n`;
    const text = Array.from(
      { length: 200 },
      (_, i) => `${i} ${'x'.repeat(i * 7)} hunter2\n${i % 20 === 0 ? key : ''}`,
    ).join('');
    for (let at = 0; at < text.length; at += 997) log.add(text.slice(at, at + 997));
    expect(log.end()).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(redact(text));
  });

  test('writes long lines that have no newline', () => {
    const file = path.join(createFolder(), 'a.log');
    const log = new LogFile(file, returnUnchanged);
    for (let i = 0; i < 50; i++) log.add('y'.repeat(50_000));
    log.end();
    expect(statSync(file).size).toBe(2_500_000);
  });

  test.skipIf(process.platform === 'win32')('replaces a link and does not follow it', () => {
    const [target, file] = [path.join(createFolder(), 'target'), path.join(createFolder(), 'a.log')];
    writeFileSync(target, 'mine');
    symlinkSync(target, file);
    const log = new LogFile(file, returnUnchanged);
    log.add('text');
    expect(log.end()).toEqual([]);
    expect([readFileSync(target, 'utf8'), readFileSync(file, 'utf8')]).toEqual(['mine', 'text']);
  });

  test('reports a failed write to the log instead of throwing', () => {
    const log = new LogFile(path.join(createFolder(), 'missing', 'a.log'), returnUnchanged);
    log.add('text');
    expect(log.end()).toEqual([expect.stringContaining('ENOENT')]);
    if (!existsSync('/dev/full')) return;
    const full = new LogFile('/dev/full', returnUnchanged);
    full.add('text');
    expect(full.end()).toEqual([expect.stringContaining('ENOSPC')]);
  });
});
