/** Detects the environment of Ruby and PHP projects. */

import {
  asString,
  type EcosystemFinding,
  type FileTexts,
  getNested,
  parseMajor,
  removeUndefined,
  tryParse,
} from './facts.ts';

const FRAMEWORK_GEMS = ['rails', 'hanami', 'sinatra', 'roda', 'grape'];

/**
 * Detects the environment of a Ruby project. A Gemfile is a program and is not evaluated, so only lines in the usual
 * form are found.
 */
export function detectRuby(files: FileTexts): EcosystemFinding | undefined {
  const { Gemfile: manifest, 'Gemfile.lock': lock } = files;
  if (manifest === undefined && lock === undefined && files['.ruby-version'] === undefined) return undefined;
  const locked = parseGemLock(lock);
  const required = parseGemfile(manifest);
  const framework = FRAMEWORK_GEMS.find((gem) => required.has(gem) || (manifest === undefined && locked.has(gem)));
  const facts = removeUndefined({
    language: 'ruby',
    language_major: parseMajor(findRubyVersion(files)?.replace(/^\w+-/u, '')),
    framework,
    framework_major: framework && parseMajor(locked.get(framework) ?? required.get(framework)),
  });
  // Uncertain next to a package.json, because mobile projects have a Gemfile only for their tests.
  return { facts, isCertain: framework !== undefined || files['package.json'] === undefined };
}

/** Finds lines such as `gem "rails", "~> 7.1"`. The version is optional. */
function parseGemfile(manifest = ''): Map<string, string> {
  const found = manifest.matchAll(/^\s*gem[ (]\s*["']([\w-]+)["'](?:\s*,\s*["']([^"']+)["'])?/gmu);
  return new Map([...found].map(([, name = '', range = '']) => [name, range]));
}

/** Finds the gems below `specs:`, which are indented by four spaces. Their dependencies are indented by six. */
function parseGemLock(lock = ''): Map<string, string> {
  const found = lock.matchAll(/^ {4}([\w-]+) \(([^)]+)\)$/gmu);
  return new Map([...found].map(([, name = '', version = '']) => [name, version]));
}

/** Returns the pinned version of Ruby, otherwise the required version. */
function findRubyVersion(files: FileTexts): string | undefined {
  const versions = [
    files['.ruby-version']?.trim(),
    /^RUBY VERSION\r?\n\s+ruby (\S+)/mu.exec(files['Gemfile.lock'] ?? '')?.[1],
    /^\s*ruby[ (]\s*["']([^"']+)["']/mu.exec(files.Gemfile ?? '')?.[1],
  ];
  return versions.find((version) => parseMajor(version?.replace(/^\w+-/u, '')) !== undefined);
}

/** The packages that influence failures most come first. */
const PHP_PACKAGES: readonly { package: string; name: string }[] = [
  { package: 'laravel/framework', name: 'laravel' },
  { package: 'symfony/framework-bundle', name: 'symfony' },
  { package: 'symfony/symfony', name: 'symfony' },
  { package: 'cakephp/cakephp', name: 'cakephp' },
  { package: 'codeigniter4/framework', name: 'codeigniter' },
  { package: 'yiisoft/yii2', name: 'yii' },
  { package: 'drupal/core-recommended', name: 'drupal' },
  { package: 'drupal/core', name: 'drupal' },
  { package: 'slim/slim', name: 'slim' },
];

/** Detects the environment of a PHP project. It does not read the folder vendor, which may be missing or outdated. */
export function detectPhp(files: FileTexts): EcosystemFinding | undefined {
  if (files['composer.json'] === undefined) return undefined;
  const manifest = tryParse(JSON.parse, files['composer.json']);
  const findRequired = (name: string) => asString(getNested(manifest, 'require', name));
  const framework = PHP_PACKAGES.find((one) => findRequired(one.package) !== undefined);
  const php = [files['.php-version'], asString(getNested(manifest, 'config', 'platform', 'php')), findRequired('php')];
  const facts = removeUndefined({
    language: 'php',
    language_major: php.map(parseMajor).find((version) => version !== undefined),
    framework: framework?.name,
    framework_major:
      framework && parseMajor(findLockedVersion(files, framework.package) ?? findRequired(framework.package)),
  });
  return { facts, isCertain: true };
}

/** Finds a version in `{"packages": [{"name": "laravel/framework", "version": "v11.2.0"}]}`. */
function findLockedVersion(files: FileTexts, name: string): string | undefined {
  const packages = getNested(tryParse(JSON.parse, files['composer.lock']), 'packages');
  const found = Array.isArray(packages) ? packages.find((one) => getNested(one, 'name') === name) : undefined;
  return asString(getNested(found, 'version'));
}
