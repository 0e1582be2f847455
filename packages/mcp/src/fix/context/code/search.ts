/**
 * Finds lines that contain a word or phrase in the text files of the project. It uses `git grep`, which also works
 * outside of repositories. Ignored files and files that usually contain secrets are skipped.
 */

import { isSecretFile } from '../../../system/files/secret-files.ts';
import type { ContextScope } from '../context-model.ts';

export interface Hit {
  file: string;
  line: number;
  text: string;
}

interface SearchOptions {
  limit: number;
  /** Match whole words only. */
  word?: boolean;
  /** Pathspecs of git to which the search is limited. */
  only?: readonly string[];
}

/** Patterns of generated files, which are skipped. */
const GENERATED_FILES = ['*.lock', 'package-lock.json', '*.min.js', '*.map', '*.snap'];

/** Folders that are skipped outside of a repository, because no .gitignore rules apply there. */
const SKIPPED_FOLDERS = 'node_modules .git .hg .svn target dist build .venv venv __pycache__ .next'.split(' ');

/** Hits in longer lines are skipped, because such lines are usually generated. */
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
  const result = await scope.runGit(['grep', ...how, '-e', phrase, '--', ...only, ...createExclusions(scope)]);
  // Exit code 1 means that there was no match.
  if (result.stdout === '' && result.problem !== null && result.exitCode !== 1) throw new Error(result.problem);
  return result.stdout
    .split('\n')
    .flatMap((row) => {
      const [file, line, ...text] = row.split('\0');
      return file && line && /^\d+$/u.test(line) ? [{ file, line: Number(line), text: text.join('\0') }] : [];
    })
    .filter(({ file, text }) => text.length <= MAX_LINE_CHARACTERS && !isSecretFile(file))
    .slice(0, limit);
}

function createExclusions({ git }: ContextScope): string[] {
  const folders = git === null ? SKIPPED_FOLDERS.map((name) => `:(exclude,glob)**/${name}/**`) : [];
  const files = GENERATED_FILES.map((name) => `:(exclude,glob)**/${name}`);
  return [...files, ...folders, ':(exclude).claude', ':(exclude).argus'];
}
