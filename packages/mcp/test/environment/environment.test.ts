/**
 * Detects environments from the texts of project files. Each line of environments.jsonl is a project with the expected
 * result.
 */
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { detectEnvironment, type MachineFacts } from '../../src/environment/detect.ts';
import { type FileTexts, parseMajor } from '../../src/environment/facts.ts';
import { getEnvironment, getRunConditions } from '../../src/environment/project-environment.ts';
import { createFolder } from '../project.ts';

const MACHINE: MachineFacts = { platform: 'linux', nodeVersion: '22.1.0', env: {}, cudaVersionFile: undefined };

test.each([
  ['18.2.0', '18'],
  ['^18.2.0', '18'],
  ['~> 7.0', '7'],
  ['>= 3.11, <4', '3'],
  ['v20', '20'],
  ['==5.0.1', '5'],
  [' 22\n', '22'],
  ['1.x', '1'],
  ...['*', 'latest', 'lts/iron', 'github:a/b#1', '2fa', '', undefined].map((version) => [version, undefined]),
])('reads %j as major version %j', (version, expected) => {
  expect(parseMajor(version)).toBe(expected);
});

/** Returns language, framework and runtime in one line, with major versions. */
function summarizeEnvironment(files: FileTexts): string {
  const { language, language_major, framework, framework_major, runtime } = detectEnvironment(files, MACHINE);
  const versioned = (name = '', version = '') => (version === '' ? name : `${name} ${version}`);
  const detected = [versioned(language, language_major), versioned(framework, framework_major), runtime];
  return detected.filter(Boolean).join(', ');
}

const ProjectRow = z.object({ name: z.string(), files: z.record(z.string(), z.string()), is: z.string() });
const PROJECT_ROWS = readFileSync(new URL('environments.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');

test.each(PROJECT_ROWS.map((line) => ProjectRow.parse(JSON.parse(line))))(
  'detects the environment: $name',
  ({ files, is }) => {
    expect(summarizeEnvironment(files)).toBe(is);
  },
);

const REACT_PACKAGE_JSON = JSON.stringify({
  dependencies: { react: '^18.0.0' },
  devDependencies: { typescript: '~5.4.0' },
});

test('maps systems to their usual names', () => {
  expect(detectEnvironment({}, MACHINE)).toEqual({ os_family: 'linux' });
  expect(detectEnvironment({}, { ...MACHINE, platform: 'darwin' })).toEqual({ os_family: 'macos' });
  expect(detectEnvironment({}, { ...MACHINE, platform: 'win32' })).toEqual({ os_family: 'windows' });
});

test('detects CUDA only for languages that use it', () => {
  const python = { 'requirements.txt': 'torch' };
  expect(detectEnvironment(python, { ...MACHINE, env: { CUDA_VERSION: '12.4.1' } })).toMatchObject({
    cuda_major: '12',
  });
  const windows = { CUDA_PATH: 'C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.8' };
  expect(detectEnvironment(python, { ...MACHINE, env: windows })).toMatchObject({ cuda_major: '11' });
  const file = '{ "cuda" : { "name" : "CUDA SDK", "version" : "12.2.20230823" } }';
  expect(detectEnvironment(python, { ...MACHINE, cudaVersionFile: file })).toMatchObject({ cuda_major: '12' });
  expect(
    detectEnvironment({ 'package.json': REACT_PACKAGE_JSON }, { ...MACHINE, cudaVersionFile: file }),
  ).not.toHaveProperty('cuda_major');
});

test('reads a project again only after a change, including files that are found by their extension', () => {
  const root = createFolder({ 'Shop.csproj': '<TargetFramework>net9.0</TargetFramework>' });
  const manifest = path.join(root, 'Shop.csproj');
  const first = getEnvironment(root);
  expect(first).toMatchObject({ language: 'csharp', language_major: '9' });
  expect(getEnvironment(root)).toBe(first);
  writeFileSync(manifest, '<TargetFramework>net8.0</TargetFramework>');
  utimesSync(manifest, new Date(), new Date(Date.now() + 5_000));
  expect(getEnvironment(root)).toMatchObject({ language_major: '8' });
  const empty = createFolder();
  expect(getEnvironment(empty)).not.toHaveProperty('language');
  writeFileSync(path.join(empty, 'package.json'), REACT_PACKAGE_JSON);
  expect(getEnvironment(empty)).toMatchObject({ framework_major: '18' });
});

test('adds versions to the environment of a run, but not the name of the machine', () => {
  const root = createFolder();
  const of = getRunConditions(root);
  expect(Object.keys(of)).toEqual(['os', 'arch', 'ci', 'machine']);
  expect(Object.values(of)).not.toContain(hostname());
  writeFileSync(path.join(root, 'package.json'), REACT_PACKAGE_JSON);
  writeFileSync(path.join(root, '.nvmrc'), 'v22\n');
  expect(getRunConditions(root)).toEqual({ ...of, language: 'typescript-5', runtime: 'node-22' });
  const python = getRunConditions(createFolder({ Pipfile: '[requires]\npython_version = "3.11"\n' }));
  expect(python).toEqual({ ...of, language: 'python' });
});
