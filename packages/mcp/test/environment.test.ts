/** Environments from the texts of project files. */
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { detect, type Machine } from '../src/environment/detect.ts';
import { major, type Texts } from '../src/environment/facts.ts';
import { environmentOf } from '../src/environment/project.ts';

const MACHINE: Machine = { platform: 'linux', nodeVersion: '22.1.0', env: {}, cudaVersionFile: undefined };

test.each([
  ['18.2.0', '18'],
  ['^18.2.0', '18'],
  ['~> 7.0', '7'],
  ['>= 3.11, <4', '3'],
  ['v20', '20'],
  ['==5.0.1', '5'],
  [' 22\n', '22'],
  ['1.x', '1'],
  ['*', undefined],
  ['latest', undefined],
  ['lts/iron', undefined],
  ['github:a/b#1', undefined],
  ['2fa', undefined],
  ['', undefined],
  [undefined, undefined],
])('the major of %j is %j', (version, expected) => {
  expect(major(version)).toBe(expected);
});

/** So that a field can be expected to be missing. */
const NOTHING = {
  language: undefined,
  language_major: undefined,
  framework: undefined,
  framework_major: undefined,
  runtime: undefined,
};

const pkg = (content: object) => JSON.stringify(content);
const REACT = pkg({ dependencies: { react: '^18.0.0' }, devDependencies: { typescript: '~5.4.0' } });

test.each<[string, Texts, object]>([
  ['nothing', {}, { os_family: 'linux' }],
  [
    'a range',
    { 'package.json': REACT },
    { language: 'typescript', language_major: '5', framework: 'react', framework_major: '18', runtime: 'node-22' },
  ],
  [
    'package-lock.json',
    {
      'package.json': REACT,
      'package-lock.json': pkg({ packages: { 'node_modules/react': { version: '19.1.0' } } }),
    },
    { framework: 'react', framework_major: '19' },
  ],
  [
    'yarn.lock',
    { 'package.json': REACT, 'yarn.lock': 'react-dom@^18:\n  version "1.0.0"\n\nreact@^18.0.0:\n  version "17.0.2"\n' },
    { framework_major: '17' },
  ],
  [
    'a newer yarn.lock',
    { 'package.json': REACT, 'yarn.lock': '"react@npm:^18.0.0":\n  version: 16.2.0\n  resolution: x\n' },
    { framework_major: '16' },
  ],
  [
    'pnpm-lock.yaml',
    {
      'package.json': REACT,
      'pnpm-lock.yaml':
        "importers:\n\n  .:\n    dependencies:\n      react:\n        specifier: ^18.0.0\n        version: '15.6.2(x@1)'\n",
    },
    { framework_major: '15' },
  ],
  [
    'bun.lock',
    { 'package.json': REACT, 'bun.lock': '{ "packages": { "react": ["react@14.0.0", "", {}] } }' },
    { framework_major: '14', runtime: 'bun' },
  ],
  [
    'the framework above the library',
    { 'package.json': pkg({ dependencies: { next: '15.0.1', react: '19' } }), '.nvmrc': 'v18.1.0\n' },
    { language: 'javascript', framework: 'next', framework_major: '15', runtime: 'node-18' },
  ],
  [
    'a pinned name is no version',
    { 'package.json': pkg({ dependencies: { '@nestjs/core': 'latest' } }), '.nvmrc': 'lts/*' },
    { framework: 'nest', framework_major: undefined, runtime: 'node-22' },
  ],
  ['deno', { 'deno.json': '{}' }, { language: 'typescript', runtime: 'deno' }],
  [
    'a tool in package.json beside a Python project',
    {
      'package.json': pkg({ devDependencies: { prettier: '3' } }),
      'pyproject.toml': '[project]\nrequires-python = ">=3.11"\ndependencies = ["Django[argon2]>=4.2,<5"]\n',
      'uv.lock': '[[package]]\nname = "django"\nversion = "4.2.7"\n',
    },
    { language: 'python', language_major: '3', framework: 'django', framework_major: '4', runtime: undefined },
  ],
  [
    'requirements.txt',
    { 'requirements.txt': '# web\nFlask==3.0.0  # pinned\n-r other.txt\n', '.python-version': '3.12.1\n' },
    { language: 'python', language_major: '3', framework: 'flask', framework_major: '3' },
  ],
  [
    'poetry',
    {
      'pyproject.toml':
        '[tool.poetry.dependencies]\npython = "^3.10"\ntorch = { version = "^2.1", source = "pytorch" }\n',
    },
    { language: 'python', framework: 'pytorch', framework_major: '2' },
  ],
  [
    'setup.py',
    { 'setup.py': "setup(name='x', python_requires='>=3.8', install_requires=['fastapi>=0.100', 'uvicorn'])" },
    { framework: 'fastapi', framework_major: '0', language_major: '3' },
  ],
  ['a broken manifest', { 'pyproject.toml': '[[', 'requirements.txt': '' }, { language: 'python' }],
  [
    'Rust',
    {
      'Cargo.toml': '[package]\nname = "a"\nrust-version = "1.80"\n[dependencies]\naxum = { version = "0.7" }\n',
      'Cargo.lock': '[[package]]\nname = "axum"\nversion = "0.8.1"\n',
    },
    { language: 'rust', language_major: '1', framework: 'axum', framework_major: '0' },
  ],
  [
    'a Rust workspace',
    {
      'Cargo.toml': '[workspace.dependencies]\nactix-web = "4"\n',
      'rust-toolchain.toml': '[toolchain]\nchannel = "nightly"',
    },
    { language: 'rust', language_major: undefined, framework: 'actix-web', framework_major: '4' },
  ],
  [
    'Go',
    { 'go.mod': 'module x\n\ngo 1.22.3\n\nrequire (\n\tgithub.com/labstack/echo/v4 v4.11.4\n)\n' },
    { language: 'go', language_major: '1', framework: 'echo', framework_major: '4' },
  ],
  [
    'Maven',
    {
      'pom.xml':
        '<parent><artifactId>spring-boot-starter-parent</artifactId>\n<version>3.2.1</version></parent><properties><java.version>17</java.version></properties>',
    },
    { language: 'java', language_major: '17', framework: 'spring-boot', framework_major: '3', runtime: 'jvm-17' },
  ],
  [
    'old Java',
    { 'pom.xml': '<properties><maven.compiler.source>1.8</maven.compiler.source></properties>' },
    { language: 'java', language_major: '8', runtime: 'jvm-8', framework: undefined },
  ],
  [
    'Gradle with Kotlin',
    {
      'build.gradle.kts':
        'plugins {\n  kotlin("jvm") version "1.9.22"\n  id("org.springframework.boot") version "3.1.0"\n}\nkotlin { jvmToolchain(21) }',
    },
    { language: 'kotlin', framework: 'spring-boot', framework_major: '3', runtime: 'jvm-21' },
  ],
  [
    'Gradle',
    { 'build.gradle': "plugins { id 'org.springframework.boot' version '2.7.18' }\nsourceCompatibility = '11'\n" },
    { language: 'java', language_major: '11', framework: 'spring-boot', framework_major: '2' },
  ],
])('%s', (_name, files, expected) => {
  expect({ ...NOTHING, ...detect(files, MACHINE) }).toMatchObject(expected);
});

test('systems have the names people use', () => {
  expect(detect({}, { ...MACHINE, platform: 'darwin' })).toEqual({ os_family: 'macos' });
  expect(detect({}, { ...MACHINE, platform: 'win32' })).toEqual({ os_family: 'windows' });
});

test('CUDA where it can matter', () => {
  const python = { 'requirements.txt': 'torch' };
  expect(detect(python, { ...MACHINE, env: { CUDA_VERSION: '12.4.1' } })).toMatchObject({ cuda_major: '12' });
  const windows = { CUDA_PATH: 'C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.8' };
  expect(detect(python, { ...MACHINE, env: windows })).toMatchObject({ cuda_major: '11' });
  const file = '{ "cuda" : { "name" : "CUDA SDK", "version" : "12.2.20230823" } }';
  expect(detect(python, { ...MACHINE, cudaVersionFile: file })).toMatchObject({ cuda_major: '12' });
  expect(detect({ 'package.json': REACT }, { ...MACHINE, cudaVersionFile: file })).not.toHaveProperty('cuda_major');
});

test('a project is read again only when it changed', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'argus-environment-'));
  const manifest = path.join(root, 'package.json');
  expect(environmentOf(root)).not.toHaveProperty('language');
  writeFileSync(manifest, REACT);
  const first = environmentOf(root);
  expect(first).toMatchObject({ framework_major: '18' });
  expect(environmentOf(root)).toBe(first);
  writeFileSync(manifest, REACT.replace('18', '17'));
  utimesSync(manifest, new Date(), new Date(Date.now() + 5_000));
  expect(environmentOf(root)).toMatchObject({ framework_major: '17' });
});
