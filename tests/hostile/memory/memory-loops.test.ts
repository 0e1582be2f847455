/** Fix loops that come with a repository, and loop folders that lead out of the repository. */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { findLoopFolder } from '../../e2e/fix-loop/fix-loop.ts';
import { connect, createProject } from '../../e2e/harness.ts';
import {
  cloneWithEverything,
  copyAsArchive,
  createUserEnvironment,
  readFileMode,
  type UserEnvironment,
} from '../git/strangers.ts';

const isPosix = process.platform !== 'win32';

function fixProblem(
  root: string,
  command: string,
  env: UserEnvironment = createUserEnvironment(),
  more: string[] = [],
) {
  const args = ['fix-problem', '--command', command, '--desired', 'done', '--project', root, ...more];
  return argus(args, { env, cwd: root });
}

test.each([
  ['clone', cloneWithEverything, /git tracks files/u],
  ['archive', copyAsArchive, /was not started by this user/u],
])('a loop that comes with a repository does not run its command (%s)', async (_, bring, reason) => {
  const root = createProject({ 'readme.md': 'a project\n' });
  const mark = path.join(createProject(), 'mark');
  await fixProblem(root, `touch '${mark}'; false`);
  expect(existsSync(mark), 'the stranger began it').toBe(true);
  rmSync(mark);
  const brought = bring(root);
  const env = createUserEnvironment();
  const resume = ['fix-problem', '--resume', '--fix', 'changed it', '--project', brought];
  expect(await argus(resume, { env, cwd: brought })).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(reason),
  });
  const agent = await connect('2026-07-28', env, brought);
  onTestFinished(() => agent.close());
  const loop = { projectPath: brought, loop: path.basename(findLoopFolder(brought)) };
  expect((await agent.askError('fix_attempt', { ...loop, fix: 'changed it' })).code).toMatch(/^STATE_/u);
  expect((await agent.askError('fix_status', loop)).code).toMatch(/^STATE_/u);
  expect(existsSync(mark)).toBe(false);
});

test
  .runIf(isPosix)
  .each([
    '.claude',
    '.claude/fixes',
    '.claude/fixes/LOOP',
    '.claude/fixes/LOOP/lock',
    '.claude/fixes/LOOP/copies',
    '.claude/fixes/LOOP/earlier',
    '.claude/fixes/LOOP/attempt_1.log',
  ])('no loop is written where %s is a link out of the project', async (place) => {
  const command = 'echo a line of the log; false';
  const another = createProject();
  await fixProblem(another, command);
  const [outside, root] = [createProject({ precious: 'mine\n' }), createProject()];
  const link = path.join(root, place.replace('LOOP', path.basename(findLoopFolder(another))));
  mkdirSync(path.dirname(link), { recursive: true });
  symlinkSync(place.endsWith('.log') ? path.join(outside, 'precious') : outside, link);
  expect(await fixProblem(root, command)).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/is a link that points outside the project|was not started by this user/u),
  });
  expect(readdirSync(outside)).toEqual(['precious']);
  expect(readFileSync(path.join(outside, 'precious'), 'utf8')).toBe('mine\n');
});

test('a loop of the user continues, and only its owner can read its files', async () => {
  const root = createProject();
  const env = createUserEnvironment();
  expect((await fixProblem(root, 'test -e done', env)).status).toBe(3);
  if (isPosix) {
    const fixes = path.join(root, '.claude', 'fixes');
    const files = readdirSync(fixes, { recursive: true }).map(String);
    expect(files.filter((file) => (readFileMode(path.join(fixes, file)) & 0o077) !== 0)).toEqual([]);
    expect(readFileMode(fixes)).toBe(0o700);
  }
  cpSync(path.join(findLoopFolder(root), 'state.json'), path.join(root, 'done'));
  expect((await fixProblem(root, 'test -e done', env, ['--resume', '--fix', 'made it'])).status).toBe(0);
});
