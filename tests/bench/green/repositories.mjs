// The public repositories that were tried, from repositories.jsonl: how their tests run (`run`), which files are source
// and tests, and what the output of a run contains if tests passed (`passed`) or did not build (`broken`). This
// repository contains no files of these projects.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { readLines } from './checkout.mjs';

const LIST = readLines(fileURLToPath(new URL('repositories.jsonl', import.meta.url)));
const PATTERNS = ['source', 'tests', 'passed', 'broken'];

const hash = (text) => createHash('sha256').update(text).digest('hex');
const compile = (one) =>
  PATTERNS.filter((name) => name in one).map((name) => [name, new RegExp(one[name], name === 'passed' ? 'mu' : 'u')]);

/** The repositories with their split. In each ecosystem every second one, in the order of hashes, is held out. */
export const REPOSITORIES = LIST.map((one) => {
  const hashes = LIST.filter(({ ecosystem }) => ecosystem === one.ecosystem).map(({ repository }) => hash(repository));
  const isHeldOut = hashes.sort().indexOf(hash(one.repository)) % 2 === 1;
  return { ...one, ...Object.fromEntries(compile(one)), split: isHeldOut ? 'held out' : 'development' };
});
