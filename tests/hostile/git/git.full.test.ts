/**
 * Runs every command and tool in each repository whose settings name programs, and with programs that are named
 * elsewhere: in the environment, on PATH, and for a transport.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { runGit } from '../../e2e/fix-loop/fix-loop.ts';
import { createProject } from '../../e2e/harness.ts';
import { commandLinesOf, listCommandLines } from './command-lines.ts';
import {
  addFilter,
  addProgramSettings,
  changeFiles,
  createPlainRepository,
  expectNoneStarted,
  expectNoneStartedOverMcp,
  StartedPrograms,
  startPlainGit,
  TRAPS,
} from './traps.ts';

vi.setConfig({ testTimeout: 300_000 });

const isPosix = process.platform !== 'win32';

describe.each(TRAPS)('%s', (_, trap) => {
  test('the settings start programs when plain git is called, and no program on the command line', async () => {
    const { naive, started, ...it } = trap();
    expect(startPlainGit(it.root, it.marker, naive), 'the trap is set').toEqual(expect.arrayContaining(started));
    const ids = await expectNoneStarted(it, listCommandLines(it.root));
    expect(Object.keys(ids).sort(), 'it did work').toEqual(['incident_id', 'runId', 'solution_id']);
  });

  test('the settings start no program over MCP', () => expectNoneStartedOverMcp(trap()));
});

test('git variables in the environment of the user start no program', async () => {
  const [root, marker] = [createPlainRepository(), new StartedPrograms()];
  const programs = createProject();
  addProgramSettings(createProject(), programs, marker);
  changeFiles(root);
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
  expect(startPlainGit(root, marker, ['status'], env), 'the trap is set').toContain('core.fsmonitor');
  await expectNoneStarted({ root, marker }, commandLinesOf(root, 'run', 'fix-problem'), env);
});

test.runIf(isPosix).each([
  ['bytes that are not UTF-8', Buffer.from('x\xff', 'latin1')],
  ['a separator of lines', Buffer.from('x\u2028y')],
])('a filter with %s in its name', async (_, name) => {
  const [root, marker] = [createPlainRepository(), new StartedPrograms()];
  addFilter(path.join(root, '.git'), name, marker);
  changeFiles(root);
  expect(startPlainGit(root, marker, ['status']), 'the trap is set').toEqual(['filter']);
  await expectNoneStarted({ root, marker }, commandLinesOf(root, 'run', 'fix-problem'));
});

test('programs in a project that have the names of system programs are not started', async () => {
  const [root, marker] = [createPlainRepository(), new StartedPrograms()];
  writeFileSync(path.join(root, 'argus.yaml'), 'version: 1\ncontainers: [shop-db]\nkubernetes: { namespace: shop }\n');
  for (const folder of ['.', 'bin', 'node_modules/.bin']) {
    mkdirSync(path.join(root, folder), { recursive: true });
    for (const name of ['git', 'docker', 'kubectl', 'bash', 'expect']) {
      writeFileSync(path.join(root, folder, name), `#!/bin/sh\necho ${folder}/${name} >> ${marker.file}\n`, {
        mode: 0o755,
      });
    }
  }
  // npx and direnv produce such a PATH.
  const brought = [path.join(root, 'node_modules/.bin'), './node_modules/.bin', '.', '', 'bin', path.join(root, 'bin')];
  const env = { PATH: [...brought, process.env.PATH ?? ''].join(path.delimiter) };
  expect(startPlainGit(root, marker, ['version'], env), 'the trap is set').toEqual(['node_modules/.bin/git']);
  // The questions vary between runs, so that `expect` has to answer them.
  const script = 'if [ -n "$MORE" ]; then read -p "Port [7000]: " port; fi\nread -p "Continue? [Y/n] " go\n';
  writeFileSync(path.join(root, 'ask.sh'), script);
  const asking = ['fix-problem', '--command', 'sh ask.sh', '--auto', '--desired', 'it is well', '--project', root];
  const lines = commandLinesOf(root, 'doctor', 'run', 'generate-inputs', 'fix-problem');
  await expectNoneStarted({ root, marker }, [...lines, asking], env);
});

test('a transport helper that a partial clone names is not started', async () => {
  const [root, marker] = [createPlainRepository(), new StartedPrograms()];
  mkdirSync(path.join(root, 'bin'));
  writeFileSync(path.join(root, 'bin/git-remote-evil'), `#!/bin/sh\necho helper >> ${marker.file}\n`, { mode: 0o755 });
  const settings = ['core.repositoryFormatVersion=1', 'extensions.partialClone=evil', 'remote.evil.promisor=true'];
  for (const setting of [...settings, 'remote.evil.vcs=evil', 'remote.evil.url=x', 'protocol.evil.allow=always']) {
    const [name = '', value = ''] = setting.split('=');
    runGit(root, 'config', name, value);
  }
  const blob = runGit(root, 'rev-parse', 'HEAD~1:check.js');
  rmSync(path.join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  const env = { PATH: [path.join(root, 'bin'), process.env.PATH ?? ''].join(path.delimiter) };
  expect(startPlainGit(root, marker, ['blame check.js'], env), 'the trap is set').toEqual(['helper']);
  await expectNoneStarted({ root, marker }, commandLinesOf(root, 'run', 'fix-problem'), env);
});

test.skipIf(process.getuid?.() !== 0)('ignores the repository of another user and reports that once', async () => {
  const [root, marker] = [createPlainRepository(), new StartedPrograms()];
  addProgramSettings(path.join(root, '.git'), root, marker);
  changeFiles(root);
  execFileSync('chown', ['-R', '12345', root]);
  marker.clear();
  const { stdout, stderr } = await argus(['run', '--json', '--project', root, 'node', 'check.js'], { cwd: root });
  expect(stderr.match(/is not used as a git repository: .*dubious ownership/gu)).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject({ success: true });
  // The loop is refused, because git does not report whether it tracks files in the loop's folder.
  const loop = await argus(['fix-problem', '--command', 'node check.js', '--desired', 'x', '--project', root], {
    cwd: root,
  });
  expect(loop.stderr).toMatch(/git did not answer whether it tracks files in \.claude.fixes.*dubious ownership/u);
  expect(existsSync(path.join(root, '.claude'))).toBe(false);
  expect(marker.names).toEqual([]);
});
