/**
 * Derives the environment from a project's files and the machine. It is pure: texts and facts arrive as values.
 * `project-environment.ts` reads the files. The engine maps names to canonical names.
 */

import { cppFacts } from './cpp.ts';
import { dotnetFacts, PROJECTS } from './dotnet.ts';
import { type Facts, type Finding, known, major, type Texts } from './facts.ts';
import { goFacts } from './go.ts';
import { jvmFacts } from './jvm.ts';
import { nodeFacts } from './node.ts';
import { phpFacts } from './php.ts';
import { pythonFacts } from './python.ts';
import { rubyFacts } from './ruby.ts';
import { rustFacts } from './rust.ts';

/** Facts of the machine as values. */
export interface Machine {
  platform: string;
  nodeVersion: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The text of CUDA's version file, if the file exists. */
  cudaVersionFile: string | undefined;
}

/** The files that are read, relative to the project. */
export const FILES = [
  'package.json',
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'tsconfig.json',
  'deno.json',
  'deno.jsonc',
  '.nvmrc',
  '.node-version',
  'Cargo.toml',
  'Cargo.lock',
  'rust-toolchain.toml',
  'rust-toolchain',
  'pyproject.toml',
  'requirements.txt',
  'setup.py',
  'setup.cfg',
  'Pipfile',
  'Pipfile.lock',
  'uv.lock',
  'poetry.lock',
  'manage.py',
  'runtime.txt',
  '.python-version',
  '.venv/pyvenv.cfg',
  'go.mod',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'settings.gradle',
  'settings.gradle.kts',
  '.java-version',
  'Gemfile',
  'Gemfile.lock',
  '.ruby-version',
  'composer.json',
  'composer.lock',
  '.php-version',
  'global.json',
  'Directory.Build.props',
  'CMakeLists.txt',
] as const;

/** Endings of further files that are read. The first files of a folder with these endings are enough. */
export const ENDINGS = Object.keys(PROJECTS);

/** Usual names for systems that Node names differently. */
const SYSTEMS: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows', cygwin: 'windows' };

/** Languages whose failures never come from CUDA. */
const WITHOUT_CUDA = new Set(['javascript', 'typescript', 'go', 'java', 'kotlin']);

/** Combines the facts of the machine with the facts of the project's main ecosystem. */
export function detect(files: Texts, machine: Machine): Facts {
  const readers = [rustFacts, pythonFacts, goFacts, jvmFacts, rubyFacts, phpFacts, dotnetFacts, cppFacts];
  const others = readers.map((read) => read(files)).filter((finding) => finding !== undefined);
  const facts = chosen(nodeFacts(files, machine), others)?.facts ?? {};
  return known({
    os_family: SYSTEMS[machine.platform] ?? machine.platform,
    ...facts,
    cuda_major: WITHOUT_CUDA.has(facts.language ?? '') ? undefined : cudaMajor(machine),
  });
}

/**
 * Chooses the main ecosystem: the first sure finding. Another sure finding with a framework wins over a package.json
 * without a framework, which in a Rails application, for example, only holds scripts for its pages.
 */
function chosen(node: Finding | undefined, others: readonly Finding[]): Finding | undefined {
  const sure = others.filter((finding) => finding.sure);
  const framed = sure.find(({ facts }) => facts.framework !== undefined);
  if (node?.sure && (node.facts.framework !== undefined || framed === undefined)) return node;
  return (node?.sure ? framed : sure[0]) ?? node ?? others[0];
}

/** Reads the variables that CUDA's images and installers set, otherwise the version file. */
function cudaMajor({ env, cudaVersionFile }: Machine): string | undefined {
  const inPath = /cuda[-/\\]v?(\d+)(?:\.\d+)?[/\\]?$/iu.exec(env.CUDA_PATH ?? env.CUDA_HOME ?? '')?.[1];
  const inFile = /"cuda"\s*:\s*\{[^}]*"version"\s*:\s*"(\d+)/u.exec(cudaVersionFile ?? '')?.[1];
  return major(env.CUDA_VERSION) ?? inPath ?? inFile;
}
