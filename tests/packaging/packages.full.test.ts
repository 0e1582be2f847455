/**
 * The published packages: their contents, and that they install and run in an empty folder without Rust. tests/e2e
 * tests the tools.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const workFolder = realpathSync(mkdtempSync(join(tmpdir(), 'argus-packaging-')));
const MEBIBYTE = 1024 * 1024;
/** Programs that an installed package needs. Rust and tools of the project are left out on purpose. */
const NEEDED_PROGRAMS = ['node', 'npm', 'npx', 'sh', 'git', 'ps'];

const PackOutput = z.array(
  z.object({
    filename: z.string(),
    size: z.number(),
    unpackedSize: z.number(),
    files: z.array(z.object({ path: z.string() })),
  }),
);
const AnswerSchema = z.object({ success: z.literal(true), data: z.record(z.string(), z.unknown()) });
type PackedFile = z.infer<typeof PackOutput>[number];

let programPath = '';
const tarballs: string[] = [];
const packedFiles = new Map<string, PackedFile>();

beforeAll(() => {
  programPath = createProgramFolder();
  for (const workspace of ['argus-engine', 'argus-mcp']) {
    const out = runNpm(
      projectRoot,
      'pack',
      '--json',
      '--ignore-scripts',
      '--pack-destination',
      workFolder,
      '--workspace',
      workspace,
    );
    const [file] = PackOutput.parse(JSON.parse(out));
    if (!file) throw new Error(`npm pack of ${workspace} made nothing`);
    packedFiles.set(workspace, file);
    tarballs.push(join(workFolder, file.filename));
  }
});

afterAll(() => rmSync(workFolder, { recursive: true, force: true }));

const TEXT_FILES =
  /^(?:LICENSE|README\.md|CHANGELOG\.md|package\.json|docs\/[\w-]+\.md|dist\/THIRD-PARTY-NOTICES\.txt)$/u;
const CODE_FILES = /^dist\/(?!reporters\/).+\.(?:mjs|wasm|d\.ts|json|html)$/u;
const REPORTER_FILES =
  /^dist\/reporters\/(?:(?:installed\/)?[\w-]+\.(?:cjs|mjs|py|d\.[cm]ts)|ruby\/\w+\.rb|python\/(?:path\/)?\w+\.py|lua\/\w+\.lua|php\/\w+\.php)$/u;

test.each([
  // The size limit allows for every use case being compiled for two databases.
  ['argus-engine', 3.2, 7.9, []],
  ['argus-mcp', 3.7, 9.9, ['CHANGELOG.md', 'dist/reporters/hook.cjs', 'dist/reporters/ruby/argus_reporter.rb']],
])('%s contains only files that it needs', (name, packedMiB, unpackedMiB, more) => {
  const file = packedFiles.get(name);
  if (!file) throw new Error(`${name} was not packed`);
  const names = file.files.map((it) => it.path);
  expect(names).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', ...more]));
  expect(names.filter((it) => ![TEXT_FILES, CODE_FILES, REPORTER_FILES].some((known) => known.test(it)))).toEqual([]);
  expect(file.size / MEBIBYTE).toBeLessThan(packedMiB);
  expect(file.unpackedSize / MEBIBYTE).toBeLessThan(unpackedMiB);
});

describe.each([
  ['with the lock addon', []],
  ['without the lock addon', ['--omit=optional']],
])('installed %s', (title, options) => {
  const folder = join(workFolder, title.replaceAll(' ', '-'));

  beforeAll(() => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
    runNpm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', ...options, ...tarballs);
  });

  test('a package contains the addon only if it is requested', () => {
    expect(existsSync(join(folder, 'node_modules', 'fs-native-extensions'))).toBe(options.length === 0);
  });

  test('the program runs under both names', () => {
    const { version } = JSON.parse(readFileSync(join(projectRoot, 'packages/mcp/package.json'), 'utf8'));
    for (const name of ['argus-mcp', 'argus']) expect(runIn(folder, 'npx', name, '--version').trim()).toBe(version);
  });

  test('the reporters load by their configured names and have types', () => {
    const { exports } = JSON.parse(readFileSync(join(projectRoot, 'packages/mcp/package.json'), 'utf8'));
    const names = Object.keys(exports).filter((name) => name !== './package.json');
    const script = `for (const name of ${JSON.stringify(names)}) {
        console.log(typeof (await import(name.replace('.', 'argus-mcp'))).default);
      }`;
    // Mocha's reporter extends Mocha's own code, which is not installed here.
    const kinds = names.map((name) => (name === './mocha' ? 'undefined' : 'function'));
    expect(runIn(folder, 'node', '--input-type=module', '--eval', script).trim().split('\n')).toEqual(kinds);
    const installed = join(folder, 'node_modules', 'argus-mcp');
    for (const name of names) expect(existsSync(join(installed, exports[name].types)), name).toBe(true);
  });

  test('a project imports the engine and classifies a failure', () => {
    const script = `import { classify } from 'argus-engine';
      console.log(await classify({ text: 'Error: connect ECONNREFUSED 127.0.0.1:5432' }));`;
    expect(runIn(folder, 'node', '--input-type=module', '--eval', script).trim()).toBe('CONNECTION_REFUSED');
  });

  test('the installed program runs tests, diagnoses and reports a fix over stdio', async () => {
    const projectPath = folder;
    const client = new Client({ name: 'packaging', version: '1.0.0' });
    const args = ['argus-mcp'];
    await client.connect(new StdioClientTransport({ command: 'npx', args, cwd: folder, env: createEnvironment() }));
    try {
      const call = async (name: string, more: Record<string, unknown> = {}) => {
        const result = await client.callTool({ name, arguments: { projectPath, ...more } });
        return AnswerSchema.parse(result.structuredContent, { error: () => JSON.stringify(result.content) }).data;
      };
      await call('argus_init');
      const command = `node -e "throw new TypeError('cannot divide by cucumber')"`;
      const run = await call('argus_run', { command });
      const failure = {
        runId: run.runId,
        caseName: z.array(z.object({ caseName: z.string() })).parse(run.failures)[0]?.caseName,
      };
      expect(await call('argus_diagnose', failure)).toMatchObject({ category: 'UNKNOWN', isNewPattern: true });
      await call('argus_report_fix', { ...failure, fixDescription: 'divide by a number' });
      expect(await call('argus_diagnose', failure)).toMatchObject({ suggestedFix: 'divide by a number' });
      expect(existsSync(join(projectPath, '.argus', 'argus.db'))).toBe(true);
    } finally {
      await client.close();
    }
  });
});

function createProgramFolder(): string {
  const folder = join(workFolder, 'bin');
  mkdirSync(folder);
  const places = (process.env.PATH ?? '').split(delimiter).filter((dir) => !dir.endsWith(join('node_modules', '.bin')));
  for (const program of NEEDED_PROGRAMS) {
    const found = places.map((dir) => join(dir, program)).find((file) => existsSync(file));
    if (found) symlinkSync(program === 'node' ? process.execPath : realpathSync(found), join(folder, program));
  }
  return folder;
}

/**
 * Returns the environment without the variables that npm sets for its scripts, because the inner npm must find its own
 * folder.
 */
function createEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([key]) => !/^(npm_(?!config_)|npm_config_local_prefix$|PATH$|INIT_CWD$|NODE_)/.test(key),
  );
  return { ...Object.fromEntries(kept.map(([key, value]) => [key, value ?? ''])), PATH: programPath };
}

function runIn(cwd: string, program: string, ...args: string[]): string {
  return execFileSync(join(programPath, program), args, {
    cwd,
    env: createEnvironment(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function runNpm(cwd: string, ...args: string[]): string {
  return runIn(cwd, 'npm', ...args);
}
