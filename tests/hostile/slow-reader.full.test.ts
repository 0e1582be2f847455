/** A command that prints more than fits in memory, to a reader that is slow, stops reading, or exits. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { BUNDLE, environment, project } from '../e2e/harness.ts';

const PRINTED_BYTES = 400_000_000;
const PRINTS = `yes 0123456789012345678901234567890123456789 | head -c ${PRINTED_BYTES}`;

/** Mostly used by Node and the engine that records the run. Buffering the output would exceed it. */
const MAX_RESIDENT_KILOBYTES = 320 * 1024;

function start(root: string, command: string, ...options: string[]): ChildProcess {
  const args = [BUNDLE, 'run', '--project', root, ...options, '--', 'sh', '-c', command];
  return spawn(process.execPath, args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Peak resident memory of the process. */
function peakKilobytes({ pid }: ChildProcess): number {
  return Number(/^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function runs(root: string): Promise<unknown[]> {
  return JSON.parse((await argus(['history', '--project', root, '--json'])).stdout).data.runs;
}

describe.runIf(process.platform === 'linux')('of 400 MB of output', () => {
  test('all of it arrives at a slow reader, and memory stays small', async () => {
    const root = project();
    const child = start(root, PRINTS);
    let bytes = 0;
    let peak = 0;
    let chunks = 0;
    for await (const chunk of child.stdout ?? []) {
      bytes += chunk.length;
      chunks += 1;
      if (chunks % 50 !== 1) continue;
      // The pause makes the reader slower than the command.
      await sleep(20);
      if (bytes < PRINTED_BYTES) peak = Math.max(peak, peakKilobytes(child));
    }
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(0);
    expect(bytes).toBeGreaterThan(PRINTED_BYTES);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(MAX_RESIDENT_KILOBYTES);
    expect(await runs(root)).toHaveLength(1);
  });

  test('a reader that stops reading delays neither the timeout nor the recording', async () => {
    const root = project();
    const child = start(root, PRINTS, '--timeout', '2');
    await expect.poll(() => runs(root)).toMatchObject([{ status: 'failed' }]);
    expect(peakKilobytes(child)).toBeLessThan(MAX_RESIDENT_KILOBYTES);
    child.stdout?.resume();
    expect((await once(child, 'exit'))[0]).toBe(1);
  });

  test('the run continues when a reader of notes exits', async () => {
    const root = project();
    const child = start(root, `${PRINTS} >&2; echo done`);
    child.stderr?.once('data', () => child.stderr?.destroy());
    let printed = '';
    for await (const chunk of child.stdout ?? []) printed += chunk;
    expect(printed).toMatch(/^done\n/u);
    expect(await runs(root)).toHaveLength(1);
  });
});
