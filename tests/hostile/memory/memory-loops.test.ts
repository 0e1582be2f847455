/** Fix loops that a repository brings, and places for loops that lead out of it. */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { loopFolder } from '../../e2e/fix-loop/fix-loop.ts';
import { connect, project } from '../../e2e/harness.ts';
import { cloneOf, modeOf, type User, unpacked, user } from '../git/strangers.ts';

const isPosix = process.platform !== 'win32';

function fixProblem(root: string, command: string, env: User = user(), more: string[] = []) {
  const args = ['fix-problem', '--command', command, '--desired', 'done', '--project', root, ...more];
  return argus(args, { env, cwd: root });
}

test.each([
  ['clone', cloneOf, /git tracks files/u],
  ['archive', unpacked, /was not begun by this user/u],
])('a loop that a repository brings does not run its command (%s)', async (_, bring, reason) => {
  const root = project({ 'readme.md': 'a project\n' });
  const mark = path.join(project(), 'mark');
  await fixProblem(root, `touch '${mark}'; false`);
  expect(existsSync(mark), 'the stranger began it').toBe(true);
  rmSync(mark);
  const brought = bring(root);
  const env = user();
  const resume = ['fix-problem', '--resume', '--fix', 'changed it', '--project', brought];
  expect(await argus(resume, { env, cwd: brought })).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(reason),
  });
  const agent = await connect('2026-07-28', env, brought);
  onTestFinished(() => agent.close());
  const loop = { projectPath: brought, loop: path.basename(loopFolder(brought)) };
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
  const another = project();
  await fixProblem(another, command);
  const [outside, root] = [project({ precious: 'mine\n' }), project()];
  const link = path.join(root, place.replace('LOOP', path.basename(loopFolder(another))));
  mkdirSync(path.dirname(link), { recursive: true });
  symlinkSync(place.endsWith('.log') ? path.join(outside, 'precious') : outside, link);
  expect(await fixProblem(root, command)).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/is a link that leads out of the project|was not begun by this user/u),
  });
  expect(readdirSync(outside)).toEqual(['precious']);
  expect(readFileSync(path.join(outside, 'precious'), 'utf8')).toBe('mine\n');
});

test('a loop of the user continues, and only its owner can read its files', async () => {
  const root = project();
  const env = user();
  expect((await fixProblem(root, 'test -e done', env)).status).toBe(3);
  if (isPosix) {
    const fixes = path.join(root, '.claude', 'fixes');
    const files = readdirSync(fixes, { recursive: true }).map(String);
    expect(files.filter((file) => (modeOf(path.join(fixes, file)) & 0o077) !== 0)).toEqual([]);
    expect(modeOf(fixes)).toBe(0o700);
  }
  cpSync(path.join(loopFolder(root), 'state.json'), path.join(root, 'done'));
  expect((await fixProblem(root, 'test -e done', env, ['--resume', '--fix', 'made it'])).status).toBe(0);
});
