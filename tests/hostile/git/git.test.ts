/**
 * Repositories that name programs wherever git lets them, and every command and tool that looks at a repository: none of
 * the programs runs. That they do run for somebody who calls git as it is shows that the traps are set.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { argus } from '../../e2e/argus.ts';
import { git, repository } from '../../e2e/fix-loop/fix-loop.ts';
import { connect, type Data, environment, project } from '../../e2e/harness.ts';
import { change, Marker, plain, plant, plantFilter } from '../memory/planted.ts';
import { commandLines, endRun } from './command-lines.ts';

/** Each goes through every command there is. */
vi.setConfig({ testTimeout: 300_000 });

interface Trap {
  /** What Argus is pointed at. */
  root: string;
  marker: Marker;
  /** Calls of git as anybody makes them. */
  naive: string[][];
  /** Programs that these start, at the least. */
  started: string[];
  /** Git does not say there what it tracks, so that no loop is written. */
  refusesLoops?: true;
}

function ofTheRepository(): Trap {
  const [root, marker] = [plain(), new Marker()];
  plant(path.join(root, '.git'), root, marker);
  change(root);
  const naive = [
    ['status'],
    ['diff'],
    ['diff', 'HEAD~1', 'HEAD'],
    ['hash-object', 'notes.md'],
    ['blame', 'check.js'],
    ['log', '-1'],
    ['add', '-A'],
    ['update-ref', 'refs/x', 'HEAD'],
  ];
  const drivers = ['diff.<driver>.command', 'diff.<driver>.textconv', 'gpg.program', 'hook reference-transaction'];
  const filters = [
    'filter.<driver>.clean',
    'filter.<driver>.process',
    'filter.<driver with =>.clean',
    'included',
    'worktree',
  ];
  return { root, marker, naive, started: ['core.fsmonitor', ...drivers, ...filters] };
}

/** The settings of the outer repository only ask to look into the submodule; those of the submodule start programs. */
function ofSubmodule(): Trap {
  const [root, marker] = [plain(), new Marker()];
  git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', plain(), 'sub');
  git(root, 'commit', '-qm', 'sub');
  for (const setting of ['submodule.recurse=true', 'diff.submodule=diff', 'status.submoduleSummary=true']) {
    const [name = '', value = ''] = setting.split('=');
    git(root, 'config', name, value);
  }
  git(path.join(root, 'sub'), 'commit', '-q', '--allow-empty', '-m', 'newer');
  plant(path.join(root, '.git/modules/sub'), path.join(root, 'sub'), marker, ['core.worktree', 'include.path']);
  for (const folder of [root, path.join(root, 'sub')]) change(folder);
  return { root, marker, naive: [['status'], ['add', '-A']], started: ['core.fsmonitor', 'included'] };
}

/** A folder of an ordinary clone that has the form of a bare repository, and says where its work tree is. */
function ofEmbeddedRepository(): Trap {
  const [inner, marker] = [plain(), new Marker()];
  plant(path.join(inner, '.git'), inner, marker);
  change(inner);
  const root = path.join(repository({ 'readme.txt': 'x\n' }), 'evil.git');
  cpSync(path.join(inner, '.git'), root, { recursive: true });
  for (const name of readdirSync(inner)) {
    if (name !== '.git') cpSync(path.join(inner, name), path.join(root, name), { recursive: true });
  }
  execFileSync('git', ['config', '--file', path.join(root, 'config'), 'core.worktree', '.'], { stdio: 'pipe' });
  return { root, marker, naive: [['status'], ['add', '-A']], started: ['core.fsmonitor'], refusesLoops: true };
}

/** What it lacks is fetched from where its settings say, by the program that they say. */
function ofPartialClone(): Trap {
  const [root, marker] = [plain(), new Marker()];
  const blob = git(root, 'rev-parse', 'HEAD~1:check.js');
  const tree = git(root, 'rev-parse', 'HEAD~1^{tree}');
  plant(path.join(root, '.git'), root, marker);
  for (const id of [blob, tree]) rmSync(path.join(root, '.git/objects', id.slice(0, 2), id.slice(2)));
  change(root);
  return {
    root,
    marker,
    naive: [
      ['log', '-p'],
      ['blame', 'check.js'],
    ],
    started: ['remote.<name>.url'],
  };
}

const TRAPS: readonly [string, () => Trap][] = [
  ['its own settings and attributes', ofTheRepository],
  ['those of a submodule', ofSubmodule],
  ['a bare repository in a clone', ofEmbeddedRepository],
  ['a partial clone', ofPartialClone],
];

describe.each(TRAPS)('%s', (_, trap) => {
  test('start programs when git is called as it is', () => {
    const { root, marker, naive, started } = trap();
    marker.clear();
    for (const args of naive)
      spawnSync('git', ['--no-pager', ...args], { cwd: root, env: environment(), stdio: 'ignore' });
    expect(marker.names).toEqual(expect.arrayContaining(started));
  });

  test('start nothing on the command line', async () => {
    const { root, marker } = trap();
    const ids: Record<string, string> = {};
    marker.clear();
    endRun(root, { command: 'vitest', output: 'OrderError: the total is wrong' });
    for (const line of commandLines(root)) {
      const args = line.map((word) => ids[word] ?? word);
      const { status, stdout, stderr } = await argus(args, { cwd: root, input: '' });
      expect({ args, ran: marker.names }).toEqual({ args, ran: [] });
      expect(stdout + stderr, args.join(' ')).not.toContain('INTERNAL_ERROR');
      expect(status, `${args.join(' ')}: ${stderr}`).not.toBeNull();
      for (const [, name = '', id = ''] of stdout.matchAll(/"(runId|incident_id|solution_id)":"([^"]+)"/gu))
        ids[name] = id;
      // The test runner wants to hear of this process.
      await new Promise(setImmediate);
    }
    expect(Object.keys(ids).sort(), 'it did work').toEqual(['incident_id', 'runId', 'solution_id']);
  });

  test('start nothing over MCP', async () => {
    const { root, marker, refusesLoops } = trap();
    marker.clear();
    const agent = await connect('2026-07-28', {}, root);
    const called = new Set<string>();
    const call = async (tool: string, args: Data = {}) => {
      const bare = !tool.startsWith('argus_');
      const answer = await (bare ? agent.ask : agent.data)(tool, { projectPath: root, ...args });
      called.add(tool);
      expect({ tool, ran: marker.names }).toEqual({ tool, ran: [] });
      return answer;
    };
    try {
      await call('argus_init');
      const { runId } = await call('argus_run', { command: 'node check.js' });
      await call('argus_import', { path: 'report.xml' });
      const { cases } = await call('argus_history', { runId });
      const { caseName } = named.parse(cases);
      await call('argus_diagnose', { runId, caseName });
      await call('argus_report_fix', { runId, caseName, fixDescription: 'a better answer', success: true });
      await call('argus_patterns');
      await call('argus_tests');
      const problem = { command: 'node check.js', desired: 'well', backoff: 0 };
      if (refusesLoops) {
        const { message } = await agent.askError('fix_problem', { projectPath: root, ...problem });
        expect(message).toContain('cannot use bare repository');
        for (const tool of ['fix_problem', 'fix_attempt', 'fix_status']) called.add(tool);
      } else {
        const { loop } = await call('fix_problem', problem);
        writeFileSync(path.join(root, 'answer.txt'), 'good\n');
        await call('fix_attempt', { loop, fix: 'a better answer', approach: 'direct' });
        await call('fix_status', { loop });
      }
      await call('ranked_solutions', { query_text: 'TypeError: cannot use answer', env: {} });
      const incident = { title: 'unheard of', error_signature: 'zig: no zag', steps: 'turn it', worked: true, env: {} };
      const { incident_id, solution_id } = await call('add_incident', incident);
      await call('add_solution', { incident_id, steps: 'turn it twice', env: {} });
      await call('record_outcome', { solution_id, worked: true, env: {} });
      await agent.read(`argus://run/${runId}`);
      expect(marker.names).toEqual([]);
      const tools = z.array(z.looseObject({ name: z.string() })).parse(await agent.listTools());
      expect(
        tools.map(({ name }) => name).filter((name) => !called.has(name)),
        'call these too',
      ).toEqual([]);
    } finally {
      await agent.close();
    }
  });
});

const named = z.array(z.looseObject({ caseName: z.string() })).transform(([first]) => ({ caseName: first?.caseName }));

test('every command of the command line is among those that are tried', async () => {
  const commands = [...(await argus(['--help'])).stdout.matchAll(/^ {2}([a-z-]+) /gmu)].map(([, name = '']) => name);
  const tried = new Set([...commandLines('.').map(([name = '']) => name), 'help']);
  expect(commands.length).toBeGreaterThan(10);
  expect(
    commands.filter((name) => !tried.has(name)),
    'add these to commandLines',
  ).toEqual([]);
});

test('what the user has in the environment for git starts nothing either', async () => {
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
  spawnSync('git', ['status'], { cwd: root, env: { ...environment(), ...env } });
  expect(marker.names, 'the trap is set').toContain('core.fsmonitor');
  marker.clear();
  for (const args of commandLines(root).filter(([name]) => ['doctor', 'run', 'fix-problem'].includes(name ?? ''))) {
    await argus(args, { cwd: root, env });
    expect({ args, ran: marker.names }).toEqual({ args, ran: [] });
  }
});

test.skipIf(process.platform === 'win32').each([
  ['bytes that are no UTF-8', Buffer.from('x\xff', 'latin1')],
  ['a separator of lines', Buffer.from('x\u2028y')],
])('a filter with %s in its name', async (_, name) => {
  const [root, marker] = [plain(), new Marker()];
  plantFilter(path.join(root, '.git'), name, marker);
  change(root);
  spawnSync('git', ['status'], { cwd: root, env: environment() });
  expect(marker.names, 'the trap is set').toEqual(['filter']);
  marker.clear();
  for (const args of commandLines(root).filter(([name]) => ['doctor', 'run', 'fix-problem'].includes(name ?? ''))) {
    const { stdout, stderr } = await argus(args, { cwd: root });
    expect({ args, ran: marker.names }).toEqual({ args, ran: [] });
    expect(stdout + stderr).not.toContain('INTERNAL_ERROR');
  }
});

test('programs that a project brings under the names of others', async () => {
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
  // As npx and direnv leave it.
  const brought = [path.join(root, 'node_modules/.bin'), './node_modules/.bin', '.', '', 'bin', path.join(root, 'bin')];
  const env = { PATH: [...brought, process.env.PATH ?? ''].join(path.delimiter) };
  spawnSync('git', ['version'], { cwd: root, env: { ...environment(), ...env } });
  expect(marker.names, 'the trap is set').toEqual(['node_modules/.bin/git']);
  marker.clear();
  // It asks now one thing and now another, so that expect has to answer.
  const script = 'if [ -n "$MORE" ]; then read -p "Port [7000]: " port; fi\nread -p "Continue? [Y/n] " go\n';
  writeFileSync(path.join(root, 'ask.sh'), script);
  const asking = ['fix-problem', '--command', 'sh ask.sh', '--auto', '--desired', 'it is well', '--project', root];
  for (const args of [...commandLines(root), asking]) {
    await argus(args, { cwd: root, env });
    expect({ args, ran: marker.names }).toEqual({ args, ran: [] });
  }
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
  spawnSync('git', ['blame', 'check.js'], { cwd: root, env: { ...environment(), ...env } });
  expect(marker.names, 'the trap is set').toEqual(['helper']);
  marker.clear();
  for (const args of commandLines(root).filter(([name]) => ['run', 'fix-problem'].includes(name ?? ''))) {
    await argus(args, { cwd: root, env });
    expect({ args, ran: marker.names }).toEqual({ args, ran: [] });
  }
});

test.skipIf(process.getuid?.() !== 0)('the repository of another user is none, and that is said once', async () => {
  const [root, marker] = [plain(), new Marker()];
  plant(path.join(root, '.git'), root, marker);
  change(root);
  execFileSync('chown', ['-R', '12345', root]);
  marker.clear();
  const { stdout, stderr } = await argus(['run', '--json', '--project', root, 'node', 'check.js'], { cwd: root });
  expect(stderr.match(/counts as no git repository: .*dubious ownership/gu)).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject({ success: true });
  // Nobody can tell whether it tracks files where a loop would be written.
  const loop = await argus(['fix-problem', '--command', 'node check.js', '--desired', 'x', '--project', root], {
    cwd: root,
  });
  expect(loop.stderr).toMatch(/git does not say whether it tracks files in \.claude.fixes.*dubious ownership/u);
  expect(existsSync(path.join(root, '.claude'))).toBe(false);
  expect(marker.names).toEqual([]);
});
