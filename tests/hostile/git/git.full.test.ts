/**
 * Every command and tool in each repository whose settings name programs, and programs named elsewhere: in the
 * environment, on PATH, and for a transport.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { git } from '../../e2e/fix-loop/fix-loop.ts';
import { project } from '../../e2e/harness.ts';
import { commandLines, linesOf } from './command-lines.ts';
import {
  change,
  expectNoneStarted,
  expectNoneStartedOverMcp,
  Marker,
  plain,
  plant,
  plantFilter,
  startedByGit,
  TRAPS,
} from './traps.ts';

vi.setConfig({ testTimeout: 300_000 });

const isPosix = process.platform !== 'win32';

describe.each(TRAPS)('%s', (_, trap) => {
  test('start programs when plain git is called, and nothing on the command line', async () => {
    const { naive, started, ...it } = trap();
    expect(startedByGit(it.root, it.marker, naive), 'the trap is set').toEqual(expect.arrayContaining(started));
    const ids = await expectNoneStarted(it, commandLines(it.root));
    expect(Object.keys(ids).sort(), 'it did work').toEqual(['incident_id', 'runId', 'solution_id']);
  });

  test('start nothing over MCP', () => expectNoneStartedOverMcp(trap()));
});

test('git variables in the environment of the user start no program', async () => {
  const [root, marker] = [plain(), new Marker()];
  const programs = project();
  plant(project(), programs, marker);
  change(root);
  const program = path.join(programs, 'tools/core-fsmonitor');
  const names = 'EXTERNAL_DIFF PAGER EDITOR SEQUENCE_EDITOR SSH SSH_COMMAND ASKPASS PROXY_COMMAND'.split(' ');
  const env = {
    ...Object.fromEntries(names.map((name) => [`GIT_${name}`, program])),
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: program,
    GIT_CONFIG_KEY_1: 'filter.evil.clean',
    GIT_CONFIG_VALUE_1: program,
    GIT_CONFIG_PARAMETERS: `'diff.external=${program}'`,
  };
  expect(startedByGit(root, marker, ['status'], env), 'the trap is set').toContain('core.fsmonitor');
  await expectNoneStarted({ root, marker }, linesOf(root, 'run', 'fix-problem'), env);
});

test.runIf(isPosix).each([
  ['bytes that are no UTF-8', Buffer.from('x\xff', 'latin1')],
  ['a separator of lines', Buffer.from('x\u2028y')],
])('a filter with %s in its name', async (_, name) => {
  const [root, marker] = [plain(), new Marker()];
  plantFilter(path.join(root, '.git'), name, marker);
  change(root);
  expect(startedByGit(root, marker, ['status']), 'the trap is set').toEqual(['filter']);
  await expectNoneStarted({ root, marker }, linesOf(root, 'run', 'fix-problem'));
});

test('programs in a project that have the names of system programs', async () => {
  const [root, marker] = [plain(), new Marker()];
  writeFileSync(path.join(root, 'argus.yaml'), 'version: 1\ncontainers: [shop-db]\nkubernetes: { namespace: shop }\n');
  for (const folder of ['.', 'bin', 'node_modules/.bin']) {
    mkdirSync(path.join(root, folder), { recursive: true });
    for (const name of ['git', 'docker', 'kubectl', 'bash', 'expect']) {
      writeFileSync(path.join(root, folder, name), `#!/bin/sh\necho ${folder}/${name} >> ${marker.file}\n`, {
        mode: 0o755,
      });
    }
  }
  // The PATH that npx and direnv produce.
  const brought = [path.join(root, 'node_modules/.bin'), './node_modules/.bin', '.', '', 'bin', path.join(root, 'bin')];
  const env = { PATH: [...brought, process.env.PATH ?? ''].join(path.delimiter) };
  expect(startedByGit(root, marker, ['version'], env), 'the trap is set').toEqual(['node_modules/.bin/git']);
  // The questions vary between runs, so that `expect` has to answer them.
  const script = 'if [ -n "$MORE" ]; then read -p "Port [7000]: " port; fi\nread -p "Continue? [Y/n] " go\n';
  writeFileSync(path.join(root, 'ask.sh'), script);
  const asking = ['fix-problem', '--command', 'sh ask.sh', '--auto', '--desired', 'it is well', '--project', root];
  const lines = linesOf(root, 'doctor', 'run', 'generate-inputs', 'fix-problem');
  await expectNoneStarted({ root, marker }, [...lines, asking], env);
});

test('a helper for a transport that a partial clone names', async () => {
  const [root, marker] = [plain(), new Marker()];
  mkdirSync(path.join(root, 'bin'));
  writeFileSync(path.join(root, 'bin/git-remote-evil'), `#!/bin/sh\necho helper >> ${marker.file}\n`, { mode: 0o755 });
  const settings = ['core.repositoryFormatVersion=1', 'extensions.partialClone=evil', 'remote.evil.promisor=true'];
  for (const setting of [...settings, 'remote.evil.vcs=evil', 'remote.evil.url=x', 'protocol.evil.allow=always']) {
    const [name = '', value = ''] = setting.split('=');
    git(root, 'config', name, value);
  }
  const blob = git(root, 'rev-parse', 'HEAD~1:check.js');
  rmSync(path.join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  const env = { PATH: [path.join(root, 'bin'), process.env.PATH ?? ''].join(path.delimiter) };
  expect(startedByGit(root, marker, ['blame check.js'], env), 'the trap is set').toEqual(['helper']);
  await expectNoneStarted({ root, marker }, linesOf(root, 'run', 'fix-problem'), env);
});

test.skipIf(process.getuid?.() !== 0)('ignores the repository of another user and reports that once', async () => {
  const [root, marker] = [plain(), new Marker()];
  plant(path.join(root, '.git'), root, marker);
  change(root);
  execFileSync('chown', ['-R', '12345', root]);
  marker.clear();
  const { stdout, stderr } = await argus(['run', '--json', '--project', root, 'node', 'check.js'], { cwd: root });
  expect(stderr.match(/counts as no git repository: .*dubious ownership/gu)).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject({ success: true });
  // Refused, because git does not answer whether it tracks files in the loop's folder.
  const loop = await argus(['fix-problem', '--command', 'node check.js', '--desired', 'x', '--project', root], {
    cwd: root,
  });
  expect(loop.stderr).toMatch(/git does not say whether it tracks files in \.claude.fixes.*dubious ownership/u);
  expect(existsSync(path.join(root, '.claude'))).toBe(false);
  expect(marker.names).toEqual([]);
});
