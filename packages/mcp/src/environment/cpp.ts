/**
 * Reads the environment of a C or C++ project from CMakeLists.txt. CMake is not run, so variables, conditions and
 * subfolders are not followed.
 */

import { type Finding, known, type Texts } from './facts.ts';

/** Packages that influence failures most. A number in the name is the major version. */
const FRAMEWORKS: readonly { pattern: RegExp; name: string }[] = [
  { pattern: /^Qt(\d)$/u, name: 'qt' },
  { pattern: /^(?:rclcpp|ament_cmake)$/u, name: 'ros' },
  { pattern: /^Torch$/u, name: 'pytorch' },
];

export function cppFacts({ 'CMakeLists.txt': script }: Texts): Finding | undefined {
  if (script === undefined) return undefined;
  const calls = callsOf(script);
  const project = calls.find(({ name }) => name === 'project')?.args ?? [];
  const languages = project.slice(project.indexOf('LANGUAGES') + 1);
  const isC = project.includes('LANGUAGES') && languages.includes('C') && !languages.includes('CXX');
  const packages = calls.filter(({ name }) => name === 'find_package').map(({ args }) => args[0] ?? '');
  const framework = FRAMEWORKS.find(({ pattern }) => packages.some((name) => pattern.test(name)));
  const named = packages.map((name) => framework?.pattern.exec(name)?.[1]).find((number) => number !== undefined);
  const facts = known({
    language: isC ? 'c' : 'c++',
    language_major: standard(calls, isC),
    framework: framework?.name,
    framework_major: named,
  });
  return { facts, sure: calls.some(({ name }) => name === 'project') };
}

interface Call {
  /** In lower case, because CMake ignores the case of command names. */
  name: string;
  args: string[];
}

function callsOf(script: string): Call[] {
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

/** `set(CMAKE_CXX_STANDARD 17)`, `target_compile_features(app PUBLIC cxx_std_20)`. */
function standard(calls: readonly Call[], isC: boolean): string | undefined {
  const [variable, feature] = isC ? ['CMAKE_C_STANDARD', /^c_std_(\d+)$/u] : ['CMAKE_CXX_STANDARD', /^cxx_std_(\d+)$/u];
  const set = calls.find(({ name, args }) => name === 'set' && args[0] === variable)?.args[1];
  if (set !== undefined && /^\d+$/u.test(set)) return set;
  const features = calls.filter(({ name }) => name === 'target_compile_features').flatMap(({ args }) => args);
  return features.map((one) => feature.exec(one)?.[1]).find((number) => number !== undefined);
}
