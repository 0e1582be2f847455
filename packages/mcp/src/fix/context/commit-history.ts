/**
 * Answers questions from git: when a line was changed, what changed recently, and which commits mention a similar
 * error. Nothing is fetched, and only the current branch is searched.
 */

import { EXCLUDE_ARGUS_FILES } from '../../git/settings.ts';
import { isSecretFile } from '../../system/files/secret-files.ts';
import { listProjectFrames } from './code/source-location.ts';
import type { ContextScope, Finding } from './context-model.ts';

const LOG_FORMAT = '--format=%h %ad %an: %s';

/** Maximum number of commits whose messages are compared. */
const MAX_COMMITS = 400;
const MAX_SHOWN = 5;

export async function findWhenErrorStarted(scope: ContextScope): Promise<Finding> {
  const { request, place, git } = scope;
  const seen = request.firstSeen ? [`First recorded here: ${request.firstSeen}`] : [];
  const blamed = git === null || place === null ? null : await blameLine(git, place.file, place.line);
  const lines = [...seen, ...(blamed === null ? [] : [`${place?.file}:${place?.line} ${blamed}`])];
  if (lines.length > 0) {
    const source = [seen.length > 0 && 'run history', blamed !== null && 'git blame'].filter((one) => one !== false);
    return { answer: lines.join('\n'), source: source.join(', ') };
  }
  if (git === null) return { why_not: `${scope.noGit} No earlier run with this error is recorded.` };
  if (place !== null)
    return { why_not: `git has no history of ${place.file}. No earlier run with this error is recorded.` };
  const { stdout } = await git(['log', '-1', '--date=iso-strict', LOG_FORMAT]);
  if (stdout.trim() === '') return { why_not: 'Nothing is committed yet, and the location of the error is unknown.' };
  return { answer: `The location is unknown; the last commit is ${stdout.trim()}`, source: 'git log' };
}

type Git = NonNullable<ContextScope['git']>;

async function blameLine(git: Git, file: string, line: number): Promise<string | null> {
  const { stdout } = await git(['blame', '--porcelain', '-w', '-L', `${line},${line}`, '--', file]);
  const getField = (name: string) => new RegExp(`^${name} (.*)$`, 'mu').exec(stdout)?.[1];
  const commit = /^[0-9a-f]{40,64}/u.exec(stdout)?.[0];
  if (commit === undefined) return null;
  if (/^0+$/u.test(commit)) return 'is not committed yet; it was changed in the work tree.';
  const time = Number(getField('author-time'));
  const date = Number.isFinite(time) ? new Date(time * 1_000).toISOString().slice(0, 10) : 'an unknown date';
  return `was last changed on ${date} in ${commit.slice(0, 10)} (${getField('author') ?? '?'}: ${getField('summary') ?? ''})`;
}

export async function findRecentChanges({ git, noGit, place }: ContextScope): Promise<Finding> {
  if (git === null) return { why_not: noGit };
  const about = place === null ? [] : ['--', place.file];
  const [log, status] = await Promise.all([
    git(['log', '--oneline', '--date=short', LOG_FORMAT, place === null ? '-20' : '-10', ...about]),
    git([
      'status',
      '--porcelain',
      '--untracked-files=normal',
      ...(place === null ? ['--', '.', ':(exclude).claude'] : about),
    ]),
  ]);
  const changed = status.stdout.split('\n').filter((row) => row.trim() !== '');
  const commits = log.stdout.trim();
  const lines = [
    changed.length > 0 && `Not committed: ${changed.slice(0, 10).map(formatStatus).join(', ')}`,
    commits && `${place === null ? 'Last commits of the project' : `Last commits of ${place.file}`}:\n${commits}`,
  ].filter((line) => typeof line === 'string' && line !== '');
  if (lines.length === 0) return { why_not: log.problem === null ? 'git has no history of it.' : `${log.problem}.` };
  return { answer: lines.join('\n'), source: `git log --oneline${place === null ? '' : ` -- ${place.file}`}` };
}

function formatStatus(row: string): string {
  const kind = row.startsWith('??') ? 'new' : row.slice(0, 2).includes('D') ? 'deleted' : 'changed';
  return `${row.slice(3)} (${kind})`;
}

export async function findSimilarCommits(scope: ContextScope): Promise<Finding> {
  const { git, noGit } = scope;
  if (git === null) return { why_not: noGit };
  const searchWords = extractSearchWords(scope);
  if (searchWords.length === 0) return { why_not: 'The error has no words that a commit message could share.' };
  const patterns = searchWords.map((word) => `--grep=${word}`);
  const { stdout, problem } = await git([
    'log',
    '-i',
    '-F',
    ...patterns,
    `-${MAX_COMMITS}`,
    '-z',
    '--date=short',
    '--format=%h %ad %s%n%b',
  ]);
  if (problem !== null && stdout === '')
    return { why_not: /does not have any commits/u.test(problem) ? 'Nothing is committed yet.' : `${problem}.` };
  const ranked = stdout
    .split('\0')
    .filter((message) => message.trim() !== '')
    .map((message) => ({ title: message.split('\n', 1)[0] ?? '', shared: findSharedWords(message, searchWords) }))
    // A single common word may be shared by chance, unless it looks like a name in the code.
    .filter(
      ({ shared }) => shared.length > 1 || shared.some((word) => /[_.A-Z]/u.test(word.slice(1)) && word.length > 5),
    )
    .sort((a, b) => b.shared.length - a.shared.length)
    .slice(0, MAX_SHOWN);
  const source = `git log --grep ${searchWords.slice(0, 4).join(' ')}`;
  if (ranked.length === 0)
    return { why_not: `No commit message shares enough words with the error (${searchWords.join(', ')}).` };
  return { answer: ranked.map(({ title, shared }) => `${title} (shares: ${shared.join(', ')})`).join('\n'), source };
}

function findSharedWords(message: string, words: readonly string[]): string[] {
  const lower = message.toLowerCase();
  return words.filter((word) => lower.includes(word.toLowerCase()));
}

/** Words that are common in any repository. */
const COMMON_WORDS = new Set(
  'error errors exception failed failure cannot could would should does not with from that this what when expected received actual undefined null none true false value values line file type test tests code read reading property properties object function process command exit status while into than more have been were will your'.split(
    ' ',
  ),
);

/** Returns up to eight words to search for. Names in the error come first, and its longer words come last. */
function extractSearchWords({ request, place }: ContextScope): string[] {
  const { error_type, headline } = request.error;
  const quoted = [...headline.matchAll(/["'`]([\w$.@/-]{3,60})["'`]/gu)].map((match) => match[1] ?? '');
  const base =
    place?.file
      .split('/')
      .at(-1)
      ?.replace(/\.\w+$/u, '') ?? '';
  const names = [place?.function ?? '', base, ...quoted, error_type.replace(/.*[.:]/u, '')];
  const plain = (headline.match(/[A-Za-z_][\w]{3,30}/gu) ?? []).filter((word) => !COMMON_WORDS.has(word.toLowerCase()));
  const all = [...names, ...plain].filter((word) => word.length >= 4 && !COMMON_WORDS.has(word.toLowerCase()));
  return [...new Map(all.map((word) => [word.toLowerCase(), word])).values()].slice(0, 8);
}

/*
 * Shows the uncommitted changes in the work tree, because they are the most frequent cause of a new error. Untracked
 * files, and files that may contain secrets, are not shown.
 */

/** Limit for the diff in a brief. */
const MAX_DIFF_CHARACTERS = 1_400;

/**
 * Returns null outside of a repository or if nothing changed. Files of the stack trace come first, then small changes.
 */
export async function readUncommittedDiff(scope: ContextScope): Promise<string | null> {
  const { git, place } = scope;
  if (git === null) return null;
  const { stdout } = await git(['diff-index', '-p', '-U1', '--relative', 'HEAD', '--', '.', ...EXCLUDE_ARGUS_FILES]);
  const files = stdout.split(/^(?=diff --git )/mu).flatMap((text) => {
    const name = /^(?:\+\+\+ b|--- a)\/(.*)$/mu.exec(text)?.[1];
    // A file of which only the time changed has no hunk.
    return name === undefined || isSecretFile(name) || !text.includes('\n@@')
      ? []
      : [{ name, text: removeDiffHeader(text) }];
  });
  const inStack = new Set([
    place?.file,
    ...listProjectFrames(scope).map((frame) => frame.replace(/:\d+(?: .*)?$/u, '')),
  ]);
  const getSortKey = ({ name, text }: { name: string; text: string }) => (inStack.has(name) ? 0 : 1 + text.length);
  const diff = files.sort((one, other) => getSortKey(one) - getSortKey(other)).map(({ text }) => text);
  return diff.length === 0 ? null : cutDiff(diff.join(''));
}

/** Removes header lines of a diff that repeat the file names. */
function removeDiffHeader(text: string): string {
  return text.replace(/^(?:diff --git|index) .*\n/gmu, '');
}

function cutDiff(diff: string): string {
  if (diff.length <= MAX_DIFF_CHARACTERS) return diff.trimEnd();
  const part = diff.slice(0, MAX_DIFF_CHARACTERS);
  return `${part.slice(0, part.lastIndexOf('\n'))}\n… (${diff.length - MAX_DIFF_CHARACTERS} more characters: git diff HEAD)`;
}
