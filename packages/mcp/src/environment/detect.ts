/**
 * Detects the environment from a project's files and the machine, both passed as values. `project-environment.ts` reads
 * the files. The engine maps the names to canonical names.
 */

import { detectDotnet, LANGUAGE_BY_ENDING } from './dotnet.ts';
import { type EcosystemFinding, type EnvironmentFacts, type FileTexts, parseMajor, removeUndefined } from './facts.ts';
import { detectJvm } from './jvm.ts';
import { detectCpp, detectGo, detectRust } from './native.ts';
import { detectNode } from './node.ts';
import { detectPython } from './python.ts';
import { detectPhp, detectRuby } from './scripting.ts';

/** Facts about the machine. */
export interface MachineFacts {
  platform: string;
  nodeVersion: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Text of CUDA's version file, if the file exists. */
  cudaVersionFile: string | undefined;
}

/** Files that are read, relative to the project. */
export const ENVIRONMENT_FILES = [
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

/**
 * Endings of further files that are read, such as `.csproj`. The caller passes only the first files of a folder with
 * these endings.
 */
export const PROJECT_FILE_ENDINGS = Object.keys(LANGUAGE_BY_ENDING);

/** Common names of operating systems that Node names differently. */
const OS_FAMILIES: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows', cygwin: 'windows' };

/** Languages whose failures never depend on CUDA. */
const LANGUAGES_WITHOUT_CUDA = new Set(['javascript', 'typescript', 'go', 'java', 'kotlin']);

/** Combines the facts of the machine with the facts of the project's main ecosystem. */
export function detectEnvironment(files: FileTexts, machine: MachineFacts): EnvironmentFacts {
  const readers = [detectRust, detectPython, detectGo, detectJvm, detectRuby, detectPhp, detectDotnet, detectCpp];
  const others = readers.map((read) => read(files)).filter((finding) => finding !== undefined);
  const facts = chooseMainFinding(detectNode(files, machine), others)?.facts ?? {};
  return removeUndefined({
    os_family: OS_FAMILIES[machine.platform] ?? machine.platform,
    ...facts,
    cuda_major: LANGUAGES_WITHOUT_CUDA.has(facts.language ?? '') ? undefined : detectCudaMajor(machine),
  });
}

/**
 * Chooses the main ecosystem. Normally this is the first certain finding, and Node comes first. An exception is a
 * package.json without a framework, which often contains only scripts, for example in a Rails application. Another
 * certain finding with a framework then has priority.
 */
function chooseMainFinding(
  node: EcosystemFinding | undefined,
  others: readonly EcosystemFinding[],
): EcosystemFinding | undefined {
  const sure = others.filter((finding) => finding.isCertain);
  const withFramework = sure.find(({ facts }) => facts.framework !== undefined);
  if (node?.isCertain && (node.facts.framework !== undefined || withFramework === undefined)) return node;
  return (node?.isCertain ? withFramework : sure[0]) ?? node ?? others[0];
}

/**
 * Reads the major version of CUDA from the variables that CUDA's images and installers set, otherwise from the version
 * file.
 */
function detectCudaMajor({ env, cudaVersionFile }: MachineFacts): string | undefined {
  const inPath = /cuda[-/\\]v?(\d+)(?:\.\d+)?[/\\]?$/iu.exec(env.CUDA_PATH ?? env.CUDA_HOME ?? '')?.[1];
  const inFile = /"cuda"\s*:\s*\{[^}]*"version"\s*:\s*"(\d+)/u.exec(cudaVersionFile ?? '')?.[1];
  return parseMajor(env.CUDA_VERSION) ?? inPath ?? inFile;
}
