import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { detectTestCommand } from '../src/run/detect.ts';

function detect(files: Record<string, string>, programs: string[] = [], platform = 'linux') {
  const root = mkdtempSync(path.join(tmpdir(), 'argus-detect-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return detectTestCommand(root, { platform, has: (program) => programs.includes(program) });
}

const manifest = (content: object) => ({ 'package.json': JSON.stringify(content) });
const scripts = { scripts: { test: 'vitest run' } };

test.each([
  ['npm', manifest(scripts), [], 'npm test'],
  ['pnpm by lock file', { ...manifest(scripts), 'pnpm-lock.yaml': '' }, [], 'pnpm test'],
  ['yarn by declaration', manifest({ ...scripts, packageManager: 'yarn@4.0.0' }), [], 'yarn test'],
  ['bun', { ...manifest(scripts), 'bun.lock': '' }, [], 'bun run test'],
  ['no script', manifest({ devDependencies: { jest: '^30' } }), [], 'npx jest'],
  ['nextest', { 'Cargo.toml': '' }, ['cargo-nextest'], 'cargo nextest run --no-fail-fast'],
  ['cargo', { 'Cargo.toml': '' }, [], 'cargo test --no-fail-fast'],
  ['pytest by config', { 'pyproject.toml': '[tool.pytest.ini_options]' }, ['python'], 'python -m pytest'],
  ['pytest by files', { 'tests/test_a.py': '' }, [], 'python3 -m pytest'],
  ['pytest in a venv', { 'test_a.py': '', '.venv/bin/python': '' }, [], '.venv/bin/python -m pytest'],
  ['uv', { 'conftest.py': '', 'uv.lock': '' }, ['uv'], 'uv run pytest'],
  ['go', { 'go.mod': '' }, [], 'go test ./...'],
  ['bun without a script', { 'package.json': '{}', 'bun.lock': '' }, [], 'bun test'],
  ['deno', { 'deno.json': '{}' }, [], 'deno test'],
  [
    'deno with a task',
    { 'deno.jsonc': '{ // notes\n "tasks": { "test": { "command": "deno test -A" }, } }' },
    [],
    'deno task test',
  ],
  ['maven', { 'pom.xml': '' }, [], 'mvn test --fail-at-end'],
  ['maven wrapper', { 'pom.xml': '', mvnw: '' }, [], './mvnw test --fail-at-end'],
  ['gradle', { 'build.gradle.kts': '', gradlew: '' }, [], './gradlew test --continue'],
])('%s', (_name, files, programs, command) => {
  expect(detect(files, programs)?.command).toBe(command);
});

test('the placeholder of npm init is no test', () => {
  expect(detect(manifest({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }))).toBeNull();
});

test('nothing to go by', () => {
  expect(detect({ 'README.md': '' })).toBeNull();
  expect(detect({ 'package.json': 'not json' })).toBeNull();
});

test('other ecosystems of the project are named', () => {
  expect(detect({ ...manifest(scripts), 'go.mod': '' })?.others).toEqual(['go test ./...']);
});

test('Windows', () => {
  const files = { 'test_a.py': '', '.venv\\Scripts\\python.exe': '' };
  expect(detect(files, [], 'win32')?.command).toBe('.venv\\Scripts\\python.exe -m pytest');
  expect(detect({ 'pom.xml': '', 'mvnw.cmd': '' }, [], 'win32')?.command).toBe('mvnw.cmd test --fail-at-end');
});
