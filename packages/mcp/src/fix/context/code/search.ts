/**
 * Finds lines of the project's text files that contain a word or phrase, with `git grep`, which also searches plain
 * folders. Ignored files and files of secrets are skipped.
 */

import { isSecretFile } from '../../../system/files/secret-files.ts';
import type { ContextScope } from '../scope.ts';

export interface Hit {
  file: string;
  line: number;
  text: string;
}

export interface SearchOptions {
  limit: number;
  /** Match whole words only. */
  word?: boolean;
  /** Pathspecs of git. */
  only?: readonly string[];
}

/** Generated files. */
const GENERATED_FILES = ['*.lock', 'package-lock.json', '*.min.js', '*.map', '*.snap'];

/** Outside of a repository there are no rules for ignored files. */
const FOREIGN_FOLDERS = 'node_modules .git .hg .svn target dist build .venv venv __pycache__ .next'.split(' ');

/** Longer lines are generated. */
const MAX_LINE_CHARACTERS = 400;

export function isTestFile(file: string): boolean {
  return /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|(?:\.|_|-)(?:test|spec)s?\.[\w.]+$|(?:^|\/)test_[^/]+$|[a-z](?:Tests?|Spec|IT)\.\w+$/u.test(
    file,
  );
}

/** Throws if git cannot search. */
export async function searchLines(scope: ContextScope, phrase: string, options: SearchOptions): Promise<Hit[]> {
  if (phrase.trim() === '' || /[\n\0]/u.test(phrase)) return [];
  const { limit, word, only = ['.'] } = options;
  const where = scope.git === null ? ['--no-index', '--exclude-standard'] : ['--untracked'];
  const how = ['-n', '-z', '-I', '-F', ...(word ? ['-w'] : []), ...where];
  const asked = await scope.runGit(['grep', ...how, '-e', phrase, '--', ...only, ...excluded(scope)]);
  // Exit code 1: no match.
  if (asked.stdout === '' && asked.problem !== null && asked.exitCode !== 1) throw new Error(asked.problem);
  return asked.stdout
    .split('\n')
    .flatMap((row) => {
      const [file, line, ...text] = row.split('\0');
      return file && line && /^\d+$/u.test(line) ? [{ file, line: Number(line), text: text.join('\0') }] : [];
    })
    .filter(({ file, text }) => text.length <= MAX_LINE_CHARACTERS && !isSecretFile(file))
    .slice(0, limit);
}

function excluded({ git }: ContextScope): string[] {
  const folders = git === null ? FOREIGN_FOLDERS.map((name) => `:(exclude,glob)**/${name}/**`) : [];
  const files = GENERATED_FILES.map((name) => `:(exclude,glob)**/${name}`);
  return [...files, ...folders, ':(exclude).claude', ':(exclude).argus'];
}
