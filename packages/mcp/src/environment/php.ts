/** Reads the environment of a PHP project. It does not read vendor, because that may be missing or stale. */

import { at, type Finding, known, major, parsed, type Texts, text } from './facts.ts';

/** Packages that influence failures most come first. */
const FRAMEWORKS: readonly { package: string; name: string }[] = [
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

export function phpFacts(files: Texts): Finding | undefined {
  if (files['composer.json'] === undefined) return undefined;
  const manifest = parsed(JSON.parse, files['composer.json']);
  const asked = (name: string) => text(at(manifest, 'require', name));
  const framework = FRAMEWORKS.find((one) => asked(one.package) !== undefined);
  const php = [files['.php-version'], text(at(manifest, 'config', 'platform', 'php')), asked('php')];
  const facts = known({
    language: 'php',
    language_major: php.map(major).find((version) => version !== undefined),
    framework: framework?.name,
    framework_major: framework && major(locked(files, framework.package) ?? asked(framework.package)),
  });
  return { facts, sure: true };
}

/** `{"packages": [{"name": "laravel/framework", "version": "v11.2.0"}]}`. */
function locked(files: Texts, name: string): string | undefined {
  const packages = at(parsed(JSON.parse, files['composer.lock']), 'packages');
  const found = Array.isArray(packages) ? packages.find((one) => at(one, 'name') === name) : undefined;
  return text(at(found, 'version'));
}
