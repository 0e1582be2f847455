/**
 * A system without free file descriptors or memory: the program reports that, and never exits as if tests had failed.
 */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createEnvironment, createProject, PROGRAM_PATH } from '../e2e/harness.ts';

/** Runs the built program under a limit of the shell. */
function runWithLimit(limit: string, ...args: string[]) {
  const script = `${limit} && exec "$0" "$@"`;
  const options = { encoding: 'utf8', env: createEnvironment(), cwd: createProject() } as const;
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script, process.execPath, PROGRAM_PATH, ...args], options);
  return { status, stdout, stderr };
}

/** Returns true if Node itself failed, because it had too few file descriptors to read the program. */
const hasNodeFailed = ({ status, stderr }: ReturnType<typeof runWithLimit>) =>
  status === null || stderr.includes(`open '${PROGRAM_PATH}'`);

test.skipIf(process.platform === 'win32').each([['run', 'true'], ['history']])(
  'argus %s with few file descriptors exits with 2 and a message, or as it does with more descriptors',
  (...args) => {
    const seen = new Set<number | null>();
    for (let descriptors = 17; descriptors <= 30; descriptors += 1) {
      const ended = runWithLimit(`ulimit -n ${descriptors}`, ...args);
      if (hasNodeFailed(ended)) continue;
      seen.add(ended.status);
      expect([0, 2], `${descriptors}: ${ended.stderr}`).toContain(ended.status);
      if (ended.status === 2) expect(ended.stderr).toMatch(/EMFILE|cannot open more files/u);
    }
    expect([...seen].sort()).toEqual([0, 2]);
  },
);

test.skipIf(process.platform !== 'linux')('argus run reports too little memory for the engine', () => {
  const { status, stderr } = runWithLimit('ulimit -v 3000000', 'run', 'true');
  expect([status, stderr]).toEqual([2, expect.stringContaining('The system has no memory left')]);
});
