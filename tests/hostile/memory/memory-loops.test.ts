/** Fix loops that a repository brings, and places for loops that lead out of it. */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { loopFolder } from '../../e2e/fix-loop/fix-loop.ts';
import { connect, project } from '../../e2e/harness.ts';
import { cloneOf, modeOf, unpacked, user } from '../git/strangers.ts';

/** A project in which a stranger began a loop whose command leaves a mark. */
async function strangersLoop(): Promise<{ root: string; mark: string }> {
  const root = project({ 'readme.md': 'a project\n' });
  const mark = path.join(project(), 'mark');
  const command = `touch '${mark}'; false`;
  await argus(['fix-problem', '--command', command, '--desired', 'done', '--project', root], {
    env: user(),
    cwd: root,
  });
  expect(existsSync(mark)).toBe(true);
  return { root, mark };
}

test.each(['clone', 'archive'])('a loop that a repository brings does not run its command (%s)', async (kind) => {
  const { root, mark } = await strangersLoop();
  const brought = kind === 'clone' ? cloneOf(root) : unpacked(root);
  rmSync(mark);
  const env = user();
  const resumed = await argus(['fix-problem', '--resume', '--fix', 'changed it', '--project', brought], {
    env,
    cwd: brought,
  });
  expect(resumed.status).toBe(2);
  expect(resumed.stderr).toMatch(kind === 'clone' ? /git tracks files/u : /was not begun by this user/u);
  const names = readdirSync(path.join(brought, '.claude', 'fixes'));
  const loop = names.find((name) => /^[0-9a-f]{8}$/u.test(name)) ?? '';
  const agent = await connect('2026-07-28', env, brought);
  onTestFinished(() => agent.close());
  for (const [tool, args] of [
    ['fix_attempt', { projectPath: brought, loop, fix: 'changed it' }],
    ['fix_status', { projectPath: brought, loop }],
  ] as const) {
    expect((await agent.askError(tool, args)).code).toMatch(/^STATE_/u);
  }
  expect(existsSync(mark)).toBe(false);
});

test.each(['.claude', path.join('.claude', 'fixes')])('%s as a link out of the project', async (name) => {
  const outside = project({ 'settings.json': '{}' });
  const root = project();
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  symlinkSync(outside, path.join(root, name));
  const loop = await argus(['fix-problem', '--command', 'false', '--desired', 'done', '--project', root], {
    env: user(),
    cwd: root,
  });
  expect({ status: loop.status, stderr: loop.stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining('is a link that leads out of the project'),
  });
  expect(readdirSync(outside)).toEqual(['settings.json']);
});

const COMMAND = 'echo a line of the log; false';

/** The folder of a loop on that command, as a repository would bring it. */
async function nameOfLoop(): Promise<string> {
  const root = project();
  await argus(['fix-problem', '--command', COMMAND, '--desired', 'done', '--project', root], {
    env: user(),
    cwd: root,
  });
  return path.relative(root, loopFolder(root));
}

test.skipIf(process.platform === 'win32').each(['attempt_1.log', 'lock', 'copies', 'earlier', ''])(
  'the folder of a loop with a link in it, or as a link, and without a state (%s)',
  async (name) => {
    const [outside, root] = [project({ precious: 'mine\n' }), project()];
    const folder = path.join(root, await nameOfLoop());
    mkdirSync(name === '' ? path.dirname(folder) : folder, { recursive: true });
    const target = name.endsWith('.log') ? path.join(outside, 'precious') : outside;
    symlinkSync(target, path.join(folder, name));
    const begin = ['fix-problem', '--command', COMMAND, '--desired', 'done', '--project', root];
    const { status, stderr } = await argus(begin, { env: user(), cwd: root });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/is a link that leads out of the project|was not begun by this user/u),
    });
    expect(readdirSync(outside)).toEqual(['precious']);
    expect(readFileSync(path.join(outside, 'precious'), 'utf8')).toBe('mine\n');
  },
);

test('an own loop goes on in another process, and its files are for its owner', async () => {
  const root = project();
  const env = user();
  const begin = ['fix-problem', '--command', 'test -e done', '--desired', 'done', '--project', root];
  expect((await argus(begin, { env, cwd: root })).status).toBe(3);
  const fixes = path.join(root, '.claude', 'fixes');
  const [hash = ''] = readdirSync(fixes).filter((found) => /^[0-9a-f]{8}$/u.test(found));
  if (process.platform !== 'win32') {
    const open = readdirSync(fixes, { recursive: true })
      .map(String)
      .filter((file) => (modeOf(path.join(fixes, file)) & 0o077) !== 0);
    expect(open).toEqual([]);
    expect(modeOf(fixes)).toBe(0o700);
  }
  cpSync(path.join(root, '.claude', 'fixes', hash, 'state.json'), path.join(root, 'done'));
  expect((await argus([...begin, '--resume', '--fix', 'made it'], { env, cwd: root })).status).toBe(0);
});
