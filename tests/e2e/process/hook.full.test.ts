/** All processes of the hook end, whatever the agent sends and however many calls it makes. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { findProcesses } from '../fix-loop/fix-loop.ts';
import { createEnvironment, HOOK_PATH } from '../harness.ts';
import { createRepairedMachine, REFUSED_OUTPUT } from '../hook/desk.ts';

const HOOK_CALLS = 1_000;
/** A failure starts another process, which records the failure with the engine. */
const FAILED_CALLS = 25;
const CONCURRENT_CALLS = 4;
const WAIT_OPTIONS = { timeout: 60_000, interval: 100 };

test.runIf(process.platform === 'linux')(
  'no process is left after a thousand calls',
  async () => {
    const { desk } = await createRepairedMachine();
    const env = createEnvironment(desk.user);
    const call = async (index: number) => {
      const isFailure = index % (HOOK_CALLS / FAILED_CALLS) === 0;
      const command = isFailure ? `node --test plums-${index}.test.mjs` : 'ls';
      const child = spawn(process.execPath, [HOOK_PATH], { cwd: desk.root, env, stdio: ['pipe', 'ignore', 'inherit'] });
      const exit = once(child, 'exit');
      // Every tenth agent leaves its pipe open and sends nothing more.
      if (index % 10 !== 1)
        child.stdin.write(JSON.stringify(desk.claude(command, isFailure, REFUSED_OUTPUT, `s${index}`)));
      expect(await exit).toEqual([0, null]);
    };
    const queue = Array.from({ length: HOOK_CALLS }, (_, index) => index);
    const worker = async () => {
      for (let index = queue.pop(); index !== undefined; index = queue.pop()) await call(index);
    };
    await Promise.all(Array.from({ length: CONCURRENT_CALLS }, worker));
    await vi.waitFor(() => expect(findProcesses(`${process.execPath} ${HOOK_PATH}`)).toEqual([]), WAIT_OPTIONS);
    expect(desk.lines().filter(({ t }) => t === 'failed').length).toBeGreaterThanOrEqual(FAILED_CALLS);
  },
  900_000,
);
