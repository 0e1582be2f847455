/** Detects the environment of Rust, Go, C and C++ projects. */

import { parse } from 'smol-toml';
import {
  asString,
  type EcosystemFinding,
  escapeRegExp,
  type FileTexts,
  getNested,
  parseMajor,
  removeUndefined,
  tryParse,
} from './facts.ts';

const RUST_FRAMEWORKS: readonly { crate: string; name?: string }[] = [
  { crate: 'tauri' },
  { crate: 'leptos' },
  { crate: 'dioxus' },
  { crate: 'yew' },
  { crate: 'bevy' },
  { crate: 'actix-web' },
  { crate: 'rocket' },
  { crate: 'poem' },
  { crate: 'axum' },
  { crate: 'warp' },
  { crate: 'tch', name: 'pytorch' },
];

const DEPENDENCY_TABLES = [
  ['dependencies'],
  ['workspace', 'dependencies'],
  ['dev-dependencies'],
  ['build-dependencies'],
];

/**
 * Detects the environment of a Rust project. Features and workspaces are not resolved. Only the manifest in the root is
 * read, including the dependencies that it declares for workspace members.
 */
export function detectRust(files: FileTexts): EcosystemFinding | undefined {
  if (files['Cargo.toml'] === undefined) return undefined;
  const manifest = tryParse(parse, files['Cargo.toml']);
  const findDependency = (crate: string) =>
    DEPENDENCY_TABLES.map((keys) => getNested(manifest, ...keys, crate)).find((one) => one !== undefined);
  const framework = RUST_FRAMEWORKS.find(({ crate }) => findDependency(crate) !== undefined);
  const facts = removeUndefined({
    language: 'rust',
    language_major: parseMajor(
      parseToolchainVersion(files) ?? asString(getNested(manifest, 'package', 'rust-version')),
    ),
    framework: framework && (framework.name ?? framework.crate),
    framework_major:
      framework &&
      parseMajor(findLockedVersion(files, framework.crate) ?? getVersionRange(findDependency(framework.crate))),
  });
  return { facts, isCertain: true };
}

/** Returns the version in a file such as `channel = "1.95.0"`. A named channel such as `stable` has no version. */
function parseToolchainVersion(files: FileTexts): string | undefined {
  const channel = asString(getNested(tryParse(parse, files['rust-toolchain.toml']), 'toolchain', 'channel'));
  return channel ?? files['rust-toolchain'];
}

function getVersionRange(dependency: unknown): string | undefined {
  return asString(dependency) ?? asString(getNested(dependency, 'version'));
}

function findLockedVersion({ 'Cargo.lock': lock }: FileTexts, crate: string): string | undefined {
  return new RegExp(`^name = "${escapeRegExp(crate)}"\\nversion = "([^"]+)"`, 'mu').exec(lock ?? '')?.[1];
}

const GO_MODULES: readonly { module: string; name: string }[] = [
  { module: 'github.com/gin-gonic/gin', name: 'gin' },
  { module: 'github.com/labstack/echo', name: 'echo' },
  { module: 'github.com/gofiber/fiber', name: 'fiber' },
  { module: 'github.com/go-chi/chi', name: 'chi' },
  { module: 'github.com/beego/beego', name: 'beego' },
  { module: 'go.uber.org/fx', name: 'fx' },
];

/** Detects the environment of a Go project from go.mod. `replace` and workspaces are not followed. */
export function detectGo({ 'go.mod': manifest }: FileTexts): EcosystemFinding | undefined {
  if (manifest === undefined) return undefined;
  const findRequiredVersion = (module: string) =>
    new RegExp(`^\\s*(?:require\\s+)?${escapeRegExp(module)}(?:/v\\d+)?\\s+(v\\S+)`, 'mu').exec(manifest)?.[1];
  const framework = GO_MODULES.find(({ module }) => findRequiredVersion(module) !== undefined);
  const facts = removeUndefined({
    language: 'go',
    language_major: parseMajor(/^go\s+(\S+)/mu.exec(manifest)?.[1]),
    framework: framework?.name,
    framework_major: framework && parseMajor(findRequiredVersion(framework.module)),
  });
  return { facts, isCertain: true };
}

/** Packages that influence failures most. If the name contains a number, the number is the major version. */
const CMAKE_FRAMEWORKS: readonly { pattern: RegExp; name: string }[] = [
  { pattern: /^Qt(\d)$/u, name: 'qt' },
  { pattern: /^(?:rclcpp|ament_cmake)$/u, name: 'ros' },
  { pattern: /^Torch$/u, name: 'pytorch' },
];

/**
 * Detects the environment of a C or C++ project from CMakeLists.txt. CMake is not run, so variables, conditions and
 * subfolders are not followed.
 */
export function detectCpp({ 'CMakeLists.txt': script }: FileTexts): EcosystemFinding | undefined {
  if (script === undefined) return undefined;
  const calls = parseCMakeCalls(script);
  const project = calls.find(({ name }) => name === 'project')?.args ?? [];
  const languages = project.slice(project.indexOf('LANGUAGES') + 1);
  const isC = project.includes('LANGUAGES') && languages.includes('C') && !languages.includes('CXX');
  const packages = calls.filter(({ name }) => name === 'find_package').map(({ args }) => args[0] ?? '');
  const framework = CMAKE_FRAMEWORKS.find(({ pattern }) => packages.some((name) => pattern.test(name)));
  const frameworkMajor = packages
    .map((name) => framework?.pattern.exec(name)?.[1])
    .find((number) => number !== undefined);
  const facts = removeUndefined({
    language: isC ? 'c' : 'c++',
    language_major: findLanguageStandard(calls, isC),
    framework: framework?.name,
    framework_major: frameworkMajor,
  });
  return { facts, isCertain: calls.some(({ name }) => name === 'project') };
}

interface CMakeCall {
  /** Name of the command in lower case, because CMake ignores the case of command names. */
  name: string;
  args: string[];
}

function parseCMakeCalls(script: string): CMakeCall[] {
  const code = script.replaceAll(/#\[\[[\s\S]*?\]\]|#.*$/gmu, '');
  const found = code.matchAll(/^\s*(\w+)\s*\(([^()]*)\)/gmu);
  return [...found].map(([, name = '', args = '']) => ({
    name: name.toLowerCase(),
    args: args
      .replaceAll('"', '')
      .split(/[\s;]+/u)
      .filter(Boolean),
  }));
}

/**
 * Returns the language standard from `set(CMAKE_CXX_STANDARD 17)` or `target_compile_features(app PUBLIC cxx_std_20)`.
 */
function findLanguageStandard(calls: readonly CMakeCall[], isC: boolean): string | undefined {
  const [variable, feature] = isC ? ['CMAKE_C_STANDARD', /^c_std_(\d+)$/u] : ['CMAKE_CXX_STANDARD', /^cxx_std_(\d+)$/u];
  const set = calls.find(({ name, args }) => name === 'set' && args[0] === variable)?.args[1];
  if (set !== undefined && /^\d+$/u.test(set)) return set;
  const features = calls.filter(({ name }) => name === 'target_compile_features').flatMap(({ args }) => args);
  return features.map((one) => feature.exec(one)?.[1]).find((number) => number !== undefined);
}
