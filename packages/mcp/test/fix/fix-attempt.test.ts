/** An attempt: its command, the processes that it leaves, and its log. */

import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AttemptRequest, runAttempt } from '../../src/fix/attempt/attempt.ts';
import { LogFile } from '../../src/fix/attempt/log-file.ts';
import { findMarked, newMark } from '../../src/run/processes.ts';
import { folder } from '../project.ts';

const same = (text: string) => text;

function attempt(command: string, extra: Partial<AttemptRequest> = {}) {
  const cwd = folder();
  const logPath = path.join(cwd, 'attempt_1.log');
  const request = { command, cwd, logPath, timeoutSeconds: 20, mark: newMark(), redact: same, ...extra };
  return { request, result: runAttempt(request), log: () => readFileSync(logPath, 'utf8') };
}

// Run in parallel, because most of these tests wait.
describe.skipIf(process.platform === 'win32')('an attempt', { concurrent: true }, () => {
  test('logs both streams in the order in which they were written', async () => {
    const { result, log } = attempt('for i in 1 2 3; do echo out$i; echo err$i >&2; done; exit 3');
    expect(await result).toMatchObject({ exitCode: 3, timedOut: false, signal: null });
    expect(log()).toBe('out1\nerr1\nout2\nerr2\nout3\nerr3\n');
    expect((await result).text).toBe(log());
  });

  test('runs in bash if bash exists', async () => {
    expect((await attempt('[[ a == a ]] && set -o pipefail').result).exitCode).toBe(0);
  });

  test('passes the input, and nothing without an input', async () => {
    const { result, log } = attempt('read -r a; read -r b; echo "$a-$b"', { input: 'one\ntwo\n' });
    expect((await result).exitCode).toBe(0);
    expect(log()).toBe('one-two\n');
    expect((await attempt('read -r a').result).exitCode).toBe(1);
    expect((await attempt('true', { input: 'x'.repeat(1_000_000) }).result).exitCode).toBe(0);
  });

  // Three seconds of silence count as a question.
  describe.skipIf(process.platform !== 'linux')('that may ask', () => {
    const ask = `require('node:fs').writeSync(1, 'Name? '); require('node:fs').readSync(0, Buffer.alloc(9))`;
    test.each([
      ['a shell that reads', 'echo begun; read -r -p "Name: " name; echo "$name"', 'begun'],
      ['a program that reads', `node -e "${ask}"`, 'Name?'],
    ])('is ended at the question of %s', async (_, command, prompt) => {
      const result = await attempt(command, { mayAsk: true }).result;
      expect(result).toMatchObject({ prompt, timedOut: false });
      expect(result.exitCode).not.toBe(0);
      expect(result.notes.join()).toMatch(/Ended at a question, .*waits for its standard input/u);
    });

    test.each([
      ['a pipe between programs', 'sleep 4 | cat; cat <&-; true'],
      ['a shell at the end of a pipe', 'sleep 4 | while read -r x; do :; done'],
      ['a program that passes its input on', 'cat & sleep 4'],
    ])('continues with %s', async (_, command) => {
      expect(await attempt(command, { mayAsk: true }).result).toMatchObject({ prompt: null, exitCode: 0 });
    });
  });

  test('turns a signal into an exit code', async () => {
    expect(await attempt('kill -9 $$').result).toMatchObject({ exitCode: 137, signal: 'SIGKILL' });
  });

  test('ends a command after its timeout, even if it ignores SIGTERM', async () => {
    const { result, request } = attempt("trap '' TERM; echo begun; while true; do sleep 1; done", {
      timeoutSeconds: 1,
    });
    expect(await result).toMatchObject({ exitCode: 124, timedOut: true, text: 'begun\n' });
    expect(await findMarked(request.mark)).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')('finds processes that leave the group', async () => {
    const { result, request } = attempt('setsid sleep 300 & setsid --fork sleep 301; echo x; exit 1');
    expect((await result).notes.join()).toMatch(/Left running by the command and ended: .*sleep 30/u);
    expect(await findMarked(request.mark)).toEqual([]);
  });

  test('leaves no process after a cancellation', async () => {
    const abort = new AbortController();
    const { result, request, log } = attempt('setsid sleep 300 & echo begun; sleep 300', {
      signal: abort.signal,
      onOutput: () => {
        abort.abort();
        return undefined;
      },
    });
    await expect(result).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await findMarked(request.mark)).toEqual([]);
    expect(log()).toContain('begun');
  });

  test('keeps the beginning and the end of a long output', async () => {
    const { result, request } = attempt('yes 0123456789abcdef | head -c 100000000; echo; echo the end; exit 1', {
      timeoutSeconds: 110,
    });
    const { text } = await result;
    expect(text.length).toBeLessThan(200_000);
    expect(text.startsWith('0123456789abcdef\n')).toBe(true);
    expect(text.endsWith('the end\n')).toBe(true);
    expect(statSync(request.logPath).size).toBeLessThan(65 * 1024 * 1024);
    expect((await result).notes).toEqual([expect.stringMatching(/leaves out \d+ characters/u)]);
  });
});

describe('a log', () => {
  const redact = (text: string) =>
    text.replaceAll(/-----BEGIN KEY.*?-----END KEY-----/gsu, '[key]').replaceAll('hunter2', '[pw]');

  test('never cuts a secret in two', () => {
    const file = path.join(folder(), 'a.log');
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

  test('writes long lines without a newline', () => {
    const file = path.join(folder(), 'a.log');
    const log = new LogFile(file, same);
    for (let i = 0; i < 50; i++) log.add('y'.repeat(50_000));
    log.end();
    expect(statSync(file).size).toBe(2_500_000);
  });

  test.skipIf(process.platform === 'win32')('replaces a link and does not follow it', () => {
    const [target, file] = [path.join(folder(), 'target'), path.join(folder(), 'a.log')];
    writeFileSync(target, 'mine');
    symlinkSync(target, file);
    const log = new LogFile(file, same);
    log.add('text');
    expect(log.end()).toEqual([]);
    expect([readFileSync(target, 'utf8'), readFileSync(file, 'utf8')]).toEqual(['mine', 'text']);
  });

  test('reports a failed write and does not throw', () => {
    const log = new LogFile(path.join(folder(), 'missing', 'a.log'), same);
    log.add('text');
    expect(log.end()).toEqual([expect.stringContaining('ENOENT')]);
    if (!existsSync('/dev/full')) return;
    const full = new LogFile('/dev/full', same);
    full.add('text');
    expect(full.end()).toEqual([expect.stringContaining('ENOSPC')]);
  });
});
