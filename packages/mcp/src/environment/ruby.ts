/**
 * What the files of a Ruby project say of its environment. A Gemfile is a program and is not evaluated: its usual lines
 * are read, and the lock file by its sections.
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
  // Mobile projects have a Gemfile for their tools alone.
  return { facts, sure: framework !== undefined || files['package.json'] === undefined };
}

/** `gem "rails", "~> 7.1"`: the version it is asked for in, which may be missing. */
function gems(manifest = ''): Map<string, string> {
  const found = manifest.matchAll(/^\s*gem[ (]\s*["']([\w-]+)["'](?:\s*,\s*["']([^"']+)["'])?/gmu);
  return new Map([...found].map(([, name = '', range = '']) => [name, range]));
}

/** The gems below `specs:`, indented by four; what they depend on stands two further in. */
function lockedGems(lock = ''): Map<string, string> {
  const found = lock.matchAll(/^ {4}([\w-]+) \(([^)]+)\)$/gmu);
  return new Map([...found].map(([, name = '', version = '']) => [name, version]));
}

/** What is pinned, else what is asked for. */
function interpreter(files: Texts): string | undefined {
  const versions = [
    files['.ruby-version']?.trim(),
    /^RUBY VERSION\r?\n\s+ruby (\S+)/mu.exec(files['Gemfile.lock'] ?? '')?.[1],
    /^\s*ruby[ (]\s*["']([^"']+)["']/mu.exec(files.Gemfile ?? '')?.[1],
  ];
  return versions.find((version) => major(version?.replace(/^\w+-/u, '')) !== undefined);
}
