/**
 * `argus doctor` starts every configured entry as its agent would, but never starts a program that comes with a
 * project.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject, createUser, PROGRAM_PATH } from '../harness.ts';

const createEntry = (...args: string[]) => JSON.stringify({ mcpServers: { argus: { command: 'node', args } } });

async function runDoctorStartChecks(files: Record<string, string>) {
  const root = createProject(files);
  const env = { ...createUser(), XDG_CONFIG_HOME: '' };
  const { stdout } = await argus(['doctor', '--json'], { cwd: root, env });
  const checks: { name: string; state: string; detail: string }[] = JSON.parse(stdout).data.checks;
  return { root, checks: checks.filter(({ name }) => name.startsWith('start')) };
}

test('doctor starts an entry and names the time limit of the agent', async () => {
  const { checks } = await runDoctorStartChecks({
    '.mcp.json': createEntry(PROGRAM_PATH),
    '.kiro/settings/mcp.json': createEntry(PROGRAM_PATH),
  });
  expect(checks).toEqual([
    {
      name: 'start by Claude Code',
      state: 'ok',
      detail: expect.stringMatching(/answers after \d+ ms; .* waits 30 s$/u),
    },
    { name: 'start by Kiro', state: 'ok', detail: expect.stringMatching(/answers after \d+ ms$/u) },
  ]);
});

test('doctor reports an entry whose program is missing', async () => {
  const gone = path.join(createProject(), 'argus-mcp', 'dist', 'cli.mjs');
  const { checks } = await runDoctorStartChecks({ '.cursor/mcp.json': createEntry(gone) });
  expect(checks).toMatchObject([{ state: 'problem', detail: expect.stringContaining('ends without an answer') }]);
});

test.each([
  ['a program of the project', ['./argus-mcp/dist/cli.mjs']],
  ['more code than the program', ['--import', './x.mjs', PROGRAM_PATH]],
])('does not start %s', async (_name, args) => {
  const spy = 'import { writeFileSync } from "node:fs";\nwriteFileSync("ran", "");\n';
  const { root, checks } = await runDoctorStartChecks({
    '.mcp.json': createEntry(...args),
    'argus-mcp/dist/cli.mjs': spy,
    'x.mjs': spy,
  });
  expect(checks).toMatchObject([{ state: 'note', detail: expect.stringContaining('was not started') }]);
  expect(existsSync(path.join(root, 'ran'))).toBe(false);
});
