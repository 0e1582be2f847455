/**
 * Project files that are pipes, endless, or links to devices or to other places: no command hangs, crashes or shows
 * their content.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { getEnvironment } from '../../packages/mcp/src/environment/project-environment.ts';
import { planRun } from '../../packages/mcp/src/run/planning/plan.ts';
import { detectTestCommand } from '../../packages/mcp/src/run/planning/test-command.ts';
import { createFileStream, findReadProblem, readPart, readText } from '../../packages/mcp/src/system/files/read.ts';
import { connect, createProject } from '../e2e/harness.ts';
import { AgentMachine } from '../e2e/hook/desk.ts';

const FOREIGN_TEXT = 'text of another project';
const SPARSE_BYTES = 8 * 1024 ** 3;
/** Far less than the memory that reading an endless file would take. */
const MAX_GROWTH_BYTES = 400 * 1024 ** 2;

const foreignFile = path.join(realpathSync(mkdtempSync(path.join(tmpdir(), 'argus-foreign-'))), 'foreign');
writeFileSync(foreignFile, FOREIGN_TEXT);

const FILE_KINDS: Readonly<Record<string, (file: string) => void>> = {
  'a link to a device': (file) => symlinkSync('/dev/zero', file),
  'a pipe': (file) => execFileSync('mkfifo', [file]),
  'a link to a pipe': (file) => {
    execFileSync('mkfifo', [`${file}.pipe`]);
    symlinkSync(`${file}.pipe`, file);
  },
  'a huge file': (file) => {
    writeFileSync(file, '');
    truncateSync(file, SPARSE_BYTES);
  },
  'a folder': (file) => mkdirSync(file),
  'a link out of the project': (file) => symlinkSync(foreignFile, file),
  'a link to itself': (file) => symlinkSync(path.basename(file), file),
};
const testedKinds = Object.keys(FILE_KINDS).filter((kind) => process.platform !== 'win32' || kind === 'a folder');

/**
 * Kinds that are tested with each command, because the size limit and whether links may lead out depend on the command.
 */
const KINDS_PER_COMMAND = testedKinds.filter((kind) =>
  ['a pipe', 'a huge file', 'a link out of the project'].includes(kind),
);

const createFile = (kind: string, root: string, name: string) => {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  FILE_KINDS[kind]?.(file);
  return file;
};

const FILE_NAMES = [
  ...['package.json', 'package-lock.json', 'deno.json', 'composer.json', 'pnpm-workspace.yaml', 'tsconfig.json'],
  ...['pyproject.toml', 'setup.cfg', 'tox.ini', 'manage.py', 'Cargo.toml', 'Cargo.lock', 'go.mod', 'go.work'],
  ...['pom.xml', 'settings.gradle', 'Gemfile', 'Rakefile', 'CMakeLists.txt', 'Makefile', '.nvmrc', '.taprc'],
  ...['.env', 'README.md', 'AGENTS.md', '.mcp.json', 'test/a.test.js', 'tests/test_a.py', 'spec/a_spec.rb'],
  ...['argus-quarantine.yaml', '.argus-shared/fixes/a.json', 'junit.xml', 'reports/junit.xml', 'reports/commit.txt'],
];

async function expectSmallGrowth<T>(what: string, work: () => Promise<T>): Promise<T> {
  const before = process.memoryUsage().rss;
  const answer = await work();
  expect(process.memoryUsage().rss - before, what).toBeLessThan(MAX_GROWTH_BYTES);
  return answer;
}

describe.each(testedKinds)('%s', (kind) => {
  test('a hostile file is refused by the reader', () => {
    const root = createProject();
    const file = createFile(kind, root, 'file');
    const limit = { maxBytes: 1024 };
    const reading = { ...limit, links: { within: root } };
    expect(() => readText(file, reading)).toThrow();
    expect(() => readText(file, { ...limit, links: 'refused' })).toThrow();
    expect(() => createFileStream(file, reading)).toThrow();
    expect(findReadProblem(file, reading)).toMatch(/not a regular file|larger than|outside the project|ELOOP/u);
    // A part of a huge file can be read.
    if (kind !== 'a huge file') expect(() => readPart(file, reading, 'beginning')).toThrow();
    else expect(readPart(file, reading, 'end')).toHaveLength(1024);
  });

  test('a hostile file stops neither the detection nor the planning of a command', async () => {
    const root = createProject();
    for (const name of FILE_NAMES) createFile(kind, root, name);
    await expectSmallGrowth('planning', async () => {
      detectTestCommand(root);
      expect(getEnvironment(root)).toHaveProperty('os_family');
      for (const command of ['npm test', 'mvn test', 'gradle test', 'cargo test', 'npx tap', 'composer test'])
        expect(planRun({ command, root, dir: '/r', env: {} }).displayCommand).toBe(command);
    });
  });
});

const COMMAND_LINES: readonly (readonly string[])[] = [
  ['run', '--', 'false'],
  ['doctor'],
  ['history'],
  ['import', 'junit.xml'],
  ['import', '**/*.xml'],
  ['learn', '--from-git'],
  ['learn', '--from-ci', 'reports'],
  ['gate'],
  ['share', '--check'],
  ['install'],
  ['generate-inputs', 'README.md'],
  ['fix-problem', '--command', 'false', '--desired', 'it passes'],
];

describe.each(KINDS_PER_COMMAND)('%s', (kind) => {
  // Takes long, because it runs a dozen commands that each read the git state.
  test('a hostile file stops no command', async () => {
    const desk = new AgentMachine();
    desk.commit({ 'a.js': '' });
    await desk.print('run', 'true');
    for (const name of FILE_NAMES) createFile(kind, desk.root, name);
    for (const command of COMMAND_LINES) {
      const what = command.join(' ');
      const printed = await expectSmallGrowth(what, () => desk.print(...command));
      expect(printed, what).not.toContain(FOREIGN_TEXT);
    }
    const event = () => desk.ended('npx vitest run', true, 'Tests  1 failed');
    expect(await expectSmallGrowth('hook', event)).toBe('');
    expect((await desk.data('history')).runs[0]).toMatchObject({ status: 'failed', command: 'npx vitest run' });
  });

  test('a hostile file stops no tool', async () => {
    const root = createProject({ 'src/a.js': '' });
    for (const name of FILE_NAMES) createFile(kind, root, name);
    const agent = await connect('2026-07-28', {}, root);
    const calls: readonly [tool: string, args: Record<string, unknown>][] = [
      ['argus_init', {}],
      ['argus_run', { command: 'false' }],
      ['argus_import', { path: 'junit.xml' }],
      ['argus_import', { path: '**/*.xml' }],
    ];
    for (const [tool, args] of calls) {
      const answer = await expectSmallGrowth(tool, () => agent.call(tool, { projectPath: root, ...args }));
      expect(JSON.stringify(answer), tool).not.toContain(FOREIGN_TEXT);
    }
    const loop = { projectPath: root, command: 'false', desired: 'it passes' };
    const state = await expectSmallGrowth('fix_problem', () => agent.ask('fix_problem', loop));
    expect(state).toMatchObject({ status: 'needs_fix' });
    expect(JSON.stringify(state)).not.toContain(FOREIGN_TEXT);
    await agent.close();
  });

  test.each(['argus.yaml', '.git'])('as %s stops no command', async (name) => {
    const root = createProject({ 'package.json': '{"scripts":{"test":"node --test"}}' });
    createFile(kind, root, name);
    const desk = new AgentMachine(root);
    for (const command of [['doctor'], ['run', '--', 'true'], ['history']]) {
      const printed = await expectSmallGrowth(command.join(' '), () => desk.print(...command));
      expect(printed).not.toContain(FOREIGN_TEXT);
    }
    expect(await expectSmallGrowth('hook', () => desk.ended('npx vitest run', true, 'Tests  1 failed'))).toBe('');
  });
});

test('a link within the work tree is followed, even out of the folder of a package', () => {
  const root = createProject({
    '.git/HEAD': 'ref: refs/heads/trunk',
    'shared.json': '{}',
    'packages/a/own.json': '[]',
  });
  const folder = path.join(root, 'packages/a');
  symlinkSync('../../shared.json', path.join(folder, 'tsconfig.json'));
  symlinkSync('own.json', path.join(folder, 'package.json'));
  const reading = { maxBytes: 1024, links: { within: folder } };
  expect(readText(path.join(folder, 'tsconfig.json'), reading)).toBe('{}');
  expect(readText(path.join(folder, 'package.json'), reading)).toBe('[]');
  symlinkSync(path.dirname(foreignFile), path.join(folder, 'away'));
  expect(() => readText(path.join(folder, 'away/foreign'), reading)).toThrow('points outside the project');
});

test('a file whose size the system reports as 0 is read to its end', () => {
  if (process.platform !== 'linux') return;
  expect(readText('/proc/version', { maxBytes: 1024 ** 2 })).toBe(readFileSync('/proc/version', 'utf8'));
  expect(() => readText('/proc/version', { maxBytes: 10 })).toThrow('larger than 10 bytes');
});

test('reports behind a link to another folder are ignored', async () => {
  const elsewhere = createProject({ 'junit.xml': '<testsuite><testcase name="adds"/></testsuite>' });
  const root = createProject({ 'argus.yaml': 'test:\n  report: "**/*.xml"\n' });
  symlinkSync(elsewhere, path.join(root, 'linked'));
  const desk = new AgentMachine(root);
  expect((await desk.data('run', `touch ${elsewhere}/junit.xml`)).totals).toMatchObject({ passed: 1 });
  expect(await desk.print('history')).not.toContain('adds');
});
