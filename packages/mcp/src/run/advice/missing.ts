/**
 * Detects in the output that a failed command lacked a program, a listed dependency, or a script. The result is a
 * sentence with the command that would install the missing part. Errors inside tests are ignored, because those
 * failures have their own messages.
 */

import { stripVTControlCharacters } from 'node:util';
import { hasFile } from '../../system/files/project-file.ts';
import { shortLine } from '../../text/untrusted.ts';
import { packageScripts } from '../planning/scripts.ts';
import { installCommand, isInstalled, isListed, pythonInstall } from './install.ts';

/** Maximum number of scripts in the note. */
const MAX_NAMED_SCRIPTS = 8;

interface Lack {
  pattern: RegExp;
  /** Returns undefined if the line has another meaning here. */
  say(name: string, root: string): string | undefined;
}

const LACKS: readonly Lack[] = [
  {
    // npm, pnpm, Bun, yarn 1, yarn 2 and later, Deno, Composer.
    pattern:
      /^(?:.*\bMissing script:|error: Script not found|error Command(?= "[^"]+" not found)|.*Couldn't find a script named|error: Task not found:) ["“]?([^\s"”.]+)["”]?(?: not found)?/mu,
    say: noScript,
  },
  { pattern: /^(?:bundler: command not found: (\S+)|.*\bBundler::GemNotFound\b.*)$/mu, say: noGem },
  { pattern: /^.*\bCould not find .+ in (?:locally installed gems|any of the sources)/mu, say: noGem },
  { pattern: /^error: no such command: `(\S+)`/mu, say: (name, root) => noProgram(`cargo-${name}`, root) },
  { pattern: /^Could not open input file: vendor\/bin\/(\S+)/mu, say: noProgram },
  {
    pattern: /^npm (?:error|ERR!) npx canceled due to missing packages.*\["((?:@[\w.-]+\/)?[\w.-]+)/mu,
    say: noPackageOfNpx,
  },
  // dash, bash, zsh, env, Windows.
  { pattern: /^(?:\/bin\/)?\w*sh: (?:line )?\d+: ([\w@./+-]+): (?:command )?not found$/mu, say: noProgram },
  { pattern: /^g?make(?:\[\d+\])?: ([\w@.+-]+): No such file or directory$/mu, say: noProgram },
  { pattern: /^zsh: command not found: (\S+)$/mu, say: noProgram },
  { pattern: /^(?:\/usr\/bin\/)?env: [‘']([\w@./+-]+)[’']: No such file or directory$/mu, say: noProgram },
  { pattern: /^'([\w@./+-]+)' is not recognized as an internal or external command/mu, say: noProgram },
  { pattern: /^\S*python[\d.]*(?:\.exe)?: No module named '?(\w+)'?/mu, say: noPythonProgram },
  { pattern: /\bCannot find (?:module|package) '((?:@[\w.-]+\/)?[\w-][\w.-]*)/u, say: noPackage },
  { pattern: /\bModuleNotFoundError: No module named '(\w+)/u, say: noModule },
];

export function missingOf(printed: string, root: string): string | undefined {
  const text = stripVTControlCharacters(printed);
  for (const { pattern, say } of LACKS) {
    const found = pattern.exec(text);
    const said = found ? say(shortLine(found[1] ?? ''), root) : undefined;
    if (said !== undefined) return said;
  }
  return undefined;
}

/** The sentence for a missing program. */
export function noProgram(name: string, root: string): string {
  const install = installCommand(name, root);
  return `${name} is not installed: ${install ? `run '${install}'.` : 'install it, or see that it is on the PATH.'}`;
}

export function noScript(name: string, root: string): string | undefined {
  const scripts = Object.keys(packageScripts(root));
  if (scripts.includes(name)) return undefined;
  const listed = scripts.slice(0, MAX_NAMED_SCRIPTS).map(shortLine).join(', ');
  const more = scripts.length > MAX_NAMED_SCRIPTS ? ', ...' : '';
  return `There is no script '${name}' in package.json. ${listed ? `It has: ${listed}${more}.` : 'It has none.'}`;
}

function noGem(_name: string, root: string): string | undefined {
  return hasFile(root, 'Gemfile') ? "Gems of the Gemfile are not installed: run 'bundle install'." : undefined;
}

function noPythonProgram(name: string, root: string): string {
  return `${name} is not installed for this Python: run '${pythonInstall(root) ?? `python3 -m pip install ${name}`}'.`;
}

/** Only for packages that package.json lists, because another name may be a mistake in the code. */
function noPackage(name: string, root: string): string | undefined {
  if (isInstalled(name, root) || !isListed(name, root)) return undefined;
  return `The package ${name} is in package.json, but not installed: run '${installCommand(name, root)}'.`;
}

function noPackageOfNpx(name: string, root: string): string {
  return `${name} is not installed: run '${installCommand(name, root) ?? `npm install --save-dev ${name}`}'.`;
}

/** Only if the project lists its requirements, and not for a module of the project itself. */
function noModule(name: string, root: string): string | undefined {
  const isOwn = ['', 'src/', 'lib/', 'tests/'].some(
    (folder) => hasFile(root, `${folder}${name}`) || hasFile(root, `${folder}${name}.py`),
  );
  const install = pythonInstall(root);
  if (isOwn || install === undefined) return undefined;
  return `The Python module ${name} is not installed. If the project lists it, '${install}' brings it.`;
}
