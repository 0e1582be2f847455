/** Environments from the texts of project files. */
import { utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { detect, type Machine } from '../../src/environment/detect.ts';
import { major, type Texts } from '../../src/environment/facts.ts';
import { environmentOf } from '../../src/environment/project-environment.ts';
import { conditions } from '../../src/run/conditions.ts';
import { folder } from '../project.ts';

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
    'groups of dependencies, one of which includes another',
    {
      'pyproject.toml': '[dependency-groups]\nweb = ["flask>=3"]\ntests = [{ include-group = "web" }, "pytest>9"]\n',
    },
    { language: 'python', framework: 'flask', framework_major: '3' },
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
  [
    'Rails',
    {
      'package.json': pkg({ dependencies: { '@hotwired/turbo-rails': '8' } }),
      Gemfile: '# frozen\nsource "https://rubygems.org"\nruby "3.3.0"\ngem "rails", "~> 7.1"\n  gem "pg"\n',
      'Gemfile.lock':
        'GEM\n  specs:\n    actioncable (7.2.1)\n      rails (= 9.9.9)\n    rails (7.2.1)\n      railties (= 7.2.1)\n',
    },
    { language: 'ruby', language_major: '3', framework: 'rails', framework_major: '7', runtime: undefined },
  ],
  [
    'a pinned Ruby, and the frameworks of what it depends on do not count',
    { Gemfile: 'gem "pry"\n', 'Gemfile.lock': '    rails (7.2.1)\n', '.ruby-version': 'ruby-4.0.1\n' },
    { language: 'ruby', language_major: '4', framework: undefined },
  ],
  [
    'a Gemfile of tools beside a mobile application',
    { 'package.json': pkg({ dependencies: { 'react-native': '0.74' } }), Gemfile: 'gem "cocoapods"\n' },
    { language: 'javascript', framework: 'react-native' },
  ],
  [
    'Laravel',
    {
      'package.json': pkg({ devDependencies: { vite: '5' } }),
      'composer.json': pkg({ require: { php: '^8.2', 'laravel/framework': '^10.0' } }),
      'composer.lock': pkg({
        packages: [
          { name: 'a/b', version: '1.0' },
          { name: 'laravel/framework', version: 'v11.9.2' },
        ],
      }),
    },
    { language: 'php', language_major: '8', framework: 'laravel', framework_major: '11', runtime: undefined },
  ],
  [
    'PHP of a platform',
    { 'composer.json': pkg({ config: { platform: { php: '7.4.33' } }, require: { php: '*', 'slim/slim': '4.*' } }) },
    { language: 'php', language_major: '7', framework: 'slim', framework_major: '4' },
  ],
  [
    'a broken composer.json',
    { 'composer.json': '{' },
    { language: 'php', language_major: undefined, framework: undefined },
  ],
  [
    'ASP.NET',
    {
      'Shop.csproj':
        '<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup><!-- <TargetFramework>net6.0</TargetFramework> --><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>',
      'global.json': pkg({ sdk: { version: '9.0.100' } }),
    },
    { language: 'csharp', language_major: '8', framework: 'aspnet', framework_major: '8' },
  ],
  [
    'F# for several targets',
    { 'a.fsproj': '<TargetFrameworks>netcoreapp3.1;net48</TargetFrameworks>' },
    { language: 'fsharp', language_major: '3', framework: undefined },
  ],
  ['.NET Framework', { 'a.vbproj': '<TargetFramework>net472</TargetFramework>' }, { language_major: '4' }],
  [
    'global.json and properties of the folder',
    { 'global.json': pkg({ sdk: { version: '8.0.100' } }) },
    { language: 'csharp', language_major: '8' },
  ],
  [
    'CMake',
    {
      'CMakeLists.txt':
        'cmake_minimum_required(VERSION 3.20)\nproject(shop VERSION 1.2 LANGUAGES C CXX)\n# set(CMAKE_CXX_STANDARD 11)\nset( CMAKE_CXX_STANDARD 20 )\nFIND_PACKAGE(Qt6 REQUIRED COMPONENTS Core)\n',
    },
    { language: 'c++', language_major: '20', framework: 'qt', framework_major: '6' },
  ],
  [
    'C',
    { 'CMakeLists.txt': 'project(shop\n  LANGUAGES C)\ntarget_compile_features(shop PUBLIC c_std_11)\n' },
    { language: 'c', language_major: '11', framework: undefined },
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

test('project files with names of their own are found', () => {
  expect(environmentOf(folder({ 'Shop.csproj': '<TargetFramework>net9.0</TargetFramework>' }))).toMatchObject({
    language: 'csharp',
    language_major: '9',
  });
});

test('a project is read again only when it changed', () => {
  const root = folder();
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

test('a run says the versions among its conditions, and no name of the machine', () => {
  const root = folder();
  const of = conditions(root);
  expect(Object.keys(of)).toEqual(['os', 'arch', 'ci', 'machine']);
  expect(Object.values(of)).not.toContain(hostname());
  writeFileSync(path.join(root, 'package.json'), REACT);
  writeFileSync(path.join(root, '.nvmrc'), 'v22\n');
  expect(conditions(root)).toEqual({ ...of, language: 'typescript-5', runtime: 'node-22' });
  const python = conditions(folder({ Pipfile: '[requires]\npython_version = "3.11"\n' }));
  expect(python).toEqual({ ...of, language: 'python' });
});
