/** Detects the test command of projects for Ruby, PHP, Lua and the shell. */

import { filesNamed, hasFile as has, projectFile } from '../../../system/files/project-file.ts';
import { hasComposerScript } from '../scripts.ts';
import type { Machine } from './machine.ts';

/** For a project without a Rakefile: runs all tests in one process, like rake. */
const ALL_MINITESTS = `ruby -Ilib -Itest -e "Dir['./test/**/{test_*,*_test}.rb'].sort.each { |file| require file }"`;

export function ruby(root: string, machine: Machine): string | undefined {
  const command = rubyCommand(root);
  if (command === undefined || command.startsWith('bin/')) return command;
  return has(root, 'Gemfile') && machine.has('bundle') ? `bundle exec ${command}` : command;
}

function rubyCommand(root: string): string | undefined {
  if (has(root, '.rspec') || has(root, 'spec/spec_helper.rb') || filesNamed(root, ['spec'], /_spec\.rb$/u).length > 0) {
    return 'rspec';
  }
  const files = filesNamed(root, ['test'], /\.rb$/u);
  if (files.length === 0) return undefined;
  if (has(root, 'bin/rails')) return 'bin/rails test';
  if (/\bTestTask\b|\btask\b.*\btest\b/u.test(projectFile(root, 'Rakefile') ?? '')) return 'rake test';
  return files.some((file) => /\/test_[^/]+\.rb$|_test\.rb$/u.test(file)) ? ALL_MINITESTS : undefined;
}

export function php(root: string, machine: Machine): string | undefined {
  if (hasComposerScript(root, 'test') && machine.has('composer')) return 'composer test';
  const isConfigured = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].some((name) => has(root, name));
  if (!isConfigured) return undefined;
  const program = has(root, 'tests/Pest.php') ? 'pest' : 'phpunit';
  // Composer installs it there. PHP can run the file on Windows too.
  if (has(root, `vendor/bin/${program}`)) return `php vendor/bin/${program}`;
  return program;
}

export function lua(root: string): string | undefined {
  return has(root, '.busted') || filesNamed(root, ['spec'], /_spec\.lua$/u).length > 0 ? 'busted' : undefined;
}

export function bats(root: string): string | undefined {
  const [file] = filesNamed(root, ['test', 'tests', '.'], /\.bats$/u);
  return file === undefined ? undefined : `bats ${file.includes('/') ? file.split('/', 1)[0] : '.'}`;
}
