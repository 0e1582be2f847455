/**
 * Reads the environment of a Ruby project. A Gemfile is a program and is not evaluated, so only its usual lines are
 * found. The lock file is read by its sections.
 */

import { type Finding, known, major, type Texts } from './facts.ts';

const FRAMEWORKS = ['rails', 'hanami', 'sinatra', 'roda', 'grape'];

export function rubyFacts(files: Texts): Finding | undefined {
  const { Gemfile: manifest, 'Gemfile.lock': lock } = files;
  if (manifest === undefined && lock === undefined && files['.ruby-version'] === undefined) return undefined;
  const locked = lockedGems(lock);
  const asked = gems(manifest);
  const framework = FRAMEWORKS.find((gem) => asked.has(gem) || (manifest === undefined && locked.has(gem)));
  const facts = known({
    language: 'ruby',
    language_major: major(interpreter(files)?.replace(/^\w+-/u, '')),
    framework,
    framework_major: framework && major(locked.get(framework) ?? asked.get(framework)),
  });
  // Not sure beside a package.json, because mobile projects have a Gemfile only for their tests.
  return { facts, sure: framework !== undefined || files['package.json'] === undefined };
}

/** `gem "rails", "~> 7.1"`. The version may be missing. */
function gems(manifest = ''): Map<string, string> {
  const found = manifest.matchAll(/^\s*gem[ (]\s*["']([\w-]+)["'](?:\s*,\s*["']([^"']+)["'])?/gmu);
  return new Map([...found].map(([, name = '', range = '']) => [name, range]));
}

/** The gems below `specs:`, indented by four spaces. Their dependencies are indented by six spaces. */
function lockedGems(lock = ''): Map<string, string> {
  const found = lock.matchAll(/^ {4}([\w-]+) \(([^)]+)\)$/gmu);
  return new Map([...found].map(([, name = '', version = '']) => [name, version]));
}

/** The pinned version, otherwise the required version. */
function interpreter(files: Texts): string | undefined {
  const versions = [
    files['.ruby-version']?.trim(),
    /^RUBY VERSION\r?\n\s+ruby (\S+)/mu.exec(files['Gemfile.lock'] ?? '')?.[1],
    /^\s*ruby[ (]\s*["']([^"']+)["']/mu.exec(files.Gemfile ?? '')?.[1],
  ];
  return versions.find((version) => major(version?.replace(/^\w+-/u, '')) !== undefined);
}
