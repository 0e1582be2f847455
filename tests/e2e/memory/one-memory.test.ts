/**
 * The memory of a repository: its linked work trees, folders and packages share it, submodules and nested repositories
 * have separate memories, and a restarted server continues with it. tests/hostile/memory-*.test.ts tests the ownership
 * of a memory.
 */

import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runGit } from '../../hostile/git/strangers.ts';
import { argus } from '../argus.ts';
import { createRepository } from '../fix-loop/fix-loop.ts';
import { type Agent, connect, createProject, type Data } from '../harness.ts';
import { agent } from '../one-agent.ts';
import { formatJunit } from '../runs/reports.ts';

const FAILING_COMMAND = 'node -e "throw new TypeError(\'the flux capacitor is out of tune\')"';

/** Connects to a new server, as after a restart. */
async function connectAnotherServer(): Promise<Agent> {
  const another = await connect('2026-07-28');
  onTestFinished(() => another.close());
  return another;
}

const README_FILES = { 'readme.md': 'a project\n' };

/** Creates a repository and a linked work tree in another folder. */
function createLinkedWorkTree(): { root: string; linked: string } {
  const root = createRepository({ 'src/a.js': '' });
  const linked = path.join(createProject(), 'linked');
  runGit(root, 'worktree', 'add', '-q', linked);
  return { root, linked };
}

const readMemoryPlace = async (projectPath: string) => {
  const { databasePath, memoryRoot } = await agent.data('argus_init', { projectPath });
  return { databasePath, memoryRoot };
};
const memoryPlaceIn = (memoryRoot: string) => ({
  databasePath: path.join(memoryRoot, '.argus', 'argus.db'),
  memoryRoot,
});

/** Runs a failing command and reports a fix. */
async function learnFix(projectPath: string): Promise<void> {
  await agent.data('argus_init', { projectPath });
  const { runId, failures } = await agent.data('argus_run', { projectPath, command: FAILING_COMMAND });
  const [{ caseName }] = failures as [{ caseName: string }];
  await agent.data('argus_report_fix', { projectPath, runId, caseName, fixDescription: 'tuned it' });
}

test('a linked work tree uses the memory of the main work tree', async () => {
  const { root, linked } = createLinkedWorkTree();
  await learnFix(root);
  const folder = path.join(linked, 'src');
  expect(await readMemoryPlace(linked)).toEqual(memoryPlaceIn(root));
  expect(await readMemoryPlace(folder)).toEqual(memoryPlaceIn(root));
  const { failures } = await agent.data('argus_run', { projectPath: linked, command: FAILING_COMMAND });
  expect(failures).toMatchObject([{ known: { suggestedFix: 'tuned it' } }]);
  expect(await agent.data('argus_history', { projectPath: root })).toMatchObject({ total: 2 });
  expect(readdirSync(linked).sort()).toEqual(['.git', 'src']);
  expect(runGit(linked, 'status', '--porcelain')).toBe('');
  const { stdout } = await argus(['doctor', '--project', folder]);
  expect(stdout).toContain(`${folder}, a linked work tree that uses the memory of ${root}`);
});

test('a memory in a subfolder of the repository is named and not used', async () => {
  const root = createRepository({ 'src/a.js': '' });
  const unused = path.join(root, 'src', '.argus', 'argus.db');
  mkdirSync(path.dirname(unused));
  writeFileSync(unused, '');
  const { warnings, databasePath } = await agent.data('argus_init', { projectPath: path.join(root, 'src') });
  expect(databasePath).toBe(path.join(root, '.argus', 'argus.db'));
  expect(warnings).toEqual([
    `${unused} is not used: the folders of a repository share one memory, in ${databasePath}.`,
  ]);
});

test('the work trees of a bare repository share the memory in its folder', async () => {
  const place = createProject();
  const bare = path.join(place, 'shop.git');
  runGit(place, 'clone', '-q', '--bare', createRepository(README_FILES), bare);
  const [one, other] = [path.join(place, 'one'), path.join(place, 'other')];
  for (const tree of [one, other]) runGit(bare, 'worktree', 'add', '-q', tree);
  await learnFix(one);
  expect(await readMemoryPlace(other)).toEqual(memoryPlaceIn(bare));
  expect(await agent.data('argus_history', { projectPath: other })).toMatchObject({ total: 1 });
});

test('a submodule has a separate memory for all its work trees, and so does a nested repository', async () => {
  const root = createRepository(README_FILES);
  runGit(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', createRepository(README_FILES), 'lib');
  const inner = path.join(root, 'vendor', 'inner');
  mkdirSync(path.dirname(inner));
  cpSync(createRepository(README_FILES), inner, { recursive: true });
  const lib = path.join(root, 'lib');
  const linked = path.join(createProject(), 'lib');
  runGit(lib, 'worktree', 'add', '-q', linked);
  expect(await readMemoryPlace(lib)).toEqual(memoryPlaceIn(lib));
  expect(await readMemoryPlace(linked)).toEqual(memoryPlaceIn(lib));
  expect(await readMemoryPlace(inner)).toEqual(memoryPlaceIn(inner));
  expect(await readMemoryPlace(path.dirname(inner))).toEqual(memoryPlaceIn(root));
});

test('cases with equal names in different packages are different cases', async () => {
  const report = formatJunit([{ name: 'adds', classname: 'test/sum.js', failure: { message: 'expected 1 to be 2' } }]);
  const files = Object.fromEntries(['a', 'b'].map((name) => [`packages/${name}/report.xml`, report]));
  const root = createRepository({ 'package.json': '{}', ...files });
  const names: unknown[] = [];
  for (const name of ['a', 'b']) {
    const projectPath = path.join(root, 'packages', name);
    expect(await readMemoryPlace(projectPath)).toEqual(memoryPlaceIn(root));
    const imported = await agent.data('argus_import', { projectPath, path: 'report.xml' });
    const run = await agent.data('argus_run', { projectPath, command: FAILING_COMMAND });
    names.push(...[imported, run].flatMap(({ failures }) => (failures as Data[]).map(({ caseName }) => caseName)));
  }
  const whole = [`packages/a > ${FAILING_COMMAND}`, `packages/b > ${FAILING_COMMAND}`];
  expect(names).toEqual(['packages/a/test/sum.js > adds', whole[0], 'packages/b/test/sum.js > adds', whole[1]]);
  expect(await agent.data('argus_history', { projectPath: root })).toMatchObject({ total: 4 });
});

test('a folder is tested with the command of its project, and a package with its own command', async () => {
  const script = (name: string) => JSON.stringify({ name, scripts: { test: `node -e "console.log('${name}')"` } });
  const root = createRepository({
    'package.json': script('shop'),
    'packages/a/package.json': script('a'),
    'src/deep/x.js': '',
    'tools/argus.yaml': 'test: { command: node --version }\n',
    'tools/inner/x.js': '',
  });
  const commands = async (folder: string) => {
    const projectPath = path.join(root, folder);
    const { testCommand } = await agent.data('argus_init', { projectPath });
    const { runId } = await agent.data('argus_run', { projectPath });
    const { cases } = await agent.data('argus_history', { projectPath, runId });
    return { testCommand, cases: (cases as Data[]).map(({ caseName }) => caseName) };
  };
  expect(await commands('src/deep')).toEqual({ testCommand: 'npm test', cases: ['npm test'] });
  expect(await commands('packages/a')).toEqual({ testCommand: 'npm test', cases: ['packages/a > npm test'] });
  const ofTools = { testCommand: 'node --version', cases: ['tools > node --version'] };
  expect(await commands('tools/inner')).toEqual(ofTools);
  // A command that is given in the call runs in the caller's folder.
  const projectPath = path.join(root, 'src', 'deep');
  expect(await agent.data('argus_run', { projectPath, command: 'node x.js' })).toMatchObject({ status: 'passed' });
});

const WORKSPACE_FILES: Readonly<Record<string, Record<string, string>>> = {
  npm: { 'package.json': '{"workspaces": ["packages/*"]}', 'packages/a/package.json': '{}' },
  yarn: { 'package.json': '{"workspaces": {"packages": ["./packages/a"]}}', 'packages/a/package.json': '{}' },
  pnpm: { 'pnpm-workspace.yaml': "packages:\n  - 'packages/**'\n", 'packages/a/package.json': '{}' },
  Deno: { 'deno.jsonc': '{"workspace": ["./packages/a"], /* one */}', 'packages/a/deno.json': '{}' },
  Cargo: { 'Cargo.toml': '[workspace]\nmembers = ["packages/*"]\n', 'packages/a/Cargo.toml': '[package]\n' },
  uv: {
    'pyproject.toml': '[tool.uv.workspace]\nmembers = ["packages/*"]\n',
    'packages/a/pyproject.toml': '[project]\n',
  },
  Go: { 'go.work': 'go 1.22\n\nuse (\n\t./packages/a // one\n)\n', 'packages/a/go.mod': 'module a\n' },
  Maven: {
    'pom.xml': '<project><modules><module>packages</module></modules></project>',
    'packages/pom.xml': '<project><modules>\n<module> a </module></modules></project>',
    'packages/a/pom.xml': '<project/>',
  },
  Gradle: { 'settings.gradle.kts': 'include(":packages:a",\n  ":b")\n', 'packages/a/build.gradle.kts': '' },
};

test.each(Object.entries(WORKSPACE_FILES))(
  'outside of git a package of a workspace uses its memory: %s',
  async (_, files) => {
    const outside = { 'other/package.json': '{}', 'packages/a/src/x.txt': '' };
    const root = createProject({ ...files, ...outside });
    expect(await readMemoryPlace(path.join(root, 'packages', 'a', 'src'))).toEqual(memoryPlaceIn(root));
    const other = path.join(root, 'other');
    expect(await readMemoryPlace(other), 'no member').toEqual(memoryPlaceIn(other));
  },
);

test('outside of git, a plain folder belongs to the nearest parent with project files or a memory', async () => {
  const [plain, marked] = [
    createProject({ 'x/y/z.txt': '' }),
    createProject({ 'go.mod': 'module m\n', 'x/y/z.txt': '' }),
  ];
  const deep = (root: string) => path.join(root, 'x', 'y');
  expect(await readMemoryPlace(deep(marked))).toEqual(memoryPlaceIn(marked));
  expect(await readMemoryPlace(deep(plain))).toEqual(memoryPlaceIn(deep(plain)));
  await learnFix(plain);
  expect(await readMemoryPlace(deep(plain))).toEqual(memoryPlaceIn(plain));
});

test('a restarted server opens a project that has a memory by any of its folders', async () => {
  const { root, linked } = createLinkedWorkTree();
  await learnFix(root);
  for (const projectPath of [root, path.join(root, 'src'), linked]) {
    const another = await connectAnotherServer();
    const { runs } = await another.data('argus_history', { projectPath });
    const [{ id: runId }] = runs as [{ id: string }];
    const { caseName } = ((await another.data('argus_history', { projectPath, runId })).cases as [Data])[0];
    const args = { projectPath, runId, caseName };
    expect(await another.data('argus_diagnose', args)).toMatchObject({ suggestedFix: 'tuned it' });
  }
  const run = await (await connectAnotherServer()).data('argus_run', { projectPath: linked, command: FAILING_COMMAND });
  expect(run.failures).toMatchObject([{ known: { suggestedFix: 'tuned it' } }]);
});

test('an unopened project without a memory has no session, and calls create no files', async () => {
  const { root, linked } = createLinkedWorkTree();
  const tools = ['argus_run', 'argus_history', 'argus_patterns'];
  for (const projectPath of [root, path.join(root, 'src'), linked, path.join(root, 'gone')]) {
    for (const tool of tools) expect((await agent.error(tool, { projectPath })).code).toBe('SESSION_NOT_FOUND');
  }
  await agent.data('argus_init', { projectPath: linked });
  expect(await agent.data('argus_history', { projectPath: root }), 'open by another folder').toMatchObject({
    total: 0,
  });
  expect((await argus(['doctor', '--project', linked])).status).toBe(0);
  expect((await argus(['history', '--project', path.join(root, 'src')])).status).toBe(0);
  expect([root, path.join(root, 'src'), linked].map((folder) => existsSync(path.join(folder, '.argus')))).toEqual(
    Array(3).fill(false),
  );
});

test('a configuration that a call names also applies to the other folders', async () => {
  const root = createRepository({ 'src/a.js': '', 'config/own.yaml': 'history: { database: own.db }\n' });
  await agent.data('argus_init', { projectPath: root, configFile: 'config/own.yaml' });
  await agent.data('argus_run', { projectPath: path.join(root, 'src'), command: FAILING_COMMAND });
  expect(readdirSync(root)).toContain('own.db');
  expect(existsSync(path.join(root, '.argus'))).toBe(false);
});
