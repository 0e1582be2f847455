/** Checks the manual: its links are valid, and its commands exist with their options. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const MANUAL_FOLDER = 'docs/manual';
const CONTRACT_FOLDER = 'docs/contract';
/** The folder to which the build copies the manual. */
const PACKED_DOCS = 'packages/mcp/docs';
const ALL_PAGES = [
  'README.md',
  '.github/CONTRIBUTING.md',
  '.github/SECURITY.md',
  'docs/architecture.md',
  'docs/glossary.md',
  'crates/README.md',
  'npm/engine/README.md',
  'packages/mcp/CHANGELOG.md',
  'packages/mcp/README.md',
  ...[MANUAL_FOLDER, CONTRACT_FOLDER].flatMap((folder) =>
    readdirSync(join(projectRoot, folder)).map((name) => `${folder}/${name}`),
  ),
];

const readProjectFile = (file: string) => readFileSync(join(projectRoot, file), 'utf8');

/** Returns the anchors of headings, in the way GitHub creates them. */
function listAnchors(file: string): string[] {
  const headings = [...readProjectFile(file).matchAll(/^#+ (.*)$/gmu)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(ALL_PAGES)('links of %s are valid', (page) => {
  const links = [...readProjectFile(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/gu)];
  const broken = links.filter(([, path = '', anchor]) => {
    const file = path === '' ? page : join(dirname(page), path).replace(PACKED_DOCS, MANUAL_FOLDER);
    return !existsSync(join(projectRoot, file)) || (anchor !== undefined && !listAnchors(file).includes(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

/**
 * Pages that are published with a package. Their links must not leave the package, because only the package is
 * installed.
 */
const PUBLISHED_PAGES = ALL_PAGES.filter((page) => /^(?:packages\/mcp|npm\/engine|docs\/manual)\//u.test(page));

test.each(PUBLISHED_PAGES)('no relative link of %s leaves its package', (page) => {
  const [packageFolder = ''] = /^[^/]+\/[^/]+/u.exec(page) ?? [];
  const links = [...readProjectFile(page).matchAll(/\]\((?!https?:)([^)#\s]+)/gu)].map(([, path = '']) => path);
  const outside = links.filter((path) => !join(dirname(page), path).startsWith(`${packageFolder}/`));
  expect(outside).toEqual([]);
});

function countWords(text: string): number {
  return text.split(/\s+/u).filter(Boolean).length;
}

test('README has at most 500 words', () => {
  expect(countWords(readProjectFile('README.md'))).toBeLessThanOrEqual(500);
});

test('the manual has at most 7,500 words outside of generated tables, and each page begins with an example', () => {
  const pages = ALL_PAGES.filter((page) => page.startsWith(MANUAL_FOLDER)).map(readProjectFile);
  const written = pages.map((text) => text.replaceAll(/<!-- generated[^>]*-->.*?<!-- \/generated -->/gsu, ''));
  expect(countWords(written.join('\n'))).toBeLessThanOrEqual(7_500);
  const withoutExample = pages.filter((text) => !/^# .*\n\n```sh\n/u.test(text));
  expect(withoutExample.map((text) => text.split('\n')[0])).toEqual([]);
});

/** Returns the cells of a table in a section of the benchmark's results, by condition and column. */
function readResults(section: string): Record<string, Record<string, string>> {
  const [, text = ''] = readProjectFile('tests/bench/green/results.md').split(`### ${section}, held out\n`);
  const [table = ''] = text.trimStart().split('\n\n');
  const [head = [], , ...rows] = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return Object.fromEntries(
    rows.map((row) => [row[1], Object.fromEntries(head.map((name, column) => [name, row[column] ?? '']))]),
  );
}

test.each([
  ['same fault, right file', 'identical', 'hit@1 file'],
  ['similar fault, right file', 'siblings', 'hit@1 file'],
  ['other fault, silent', 'unrelated', 'silent'],
])('the manual has the results of the benchmark: %s', (title, section, column) => {
  const results = readResults(section);
  const shares = ['no memory', 'BM25', 'notes', 'Argus hook', 'Argus diagnose'].map((name) => results[name]?.[column]);
  const row = ['', title, results.notes?.n, ...shares, ''].join(' | ').trim();
  expect(readProjectFile(`${MANUAL_FOLDER}/hook.md`)).toContain(row);
});

test('architecture, glossary, contract and contribution guide name only existing files and functions', () => {
  const text = readProjectFile('docs/architecture.md');
  const paths = [
    ...[text, readProjectFile('docs/glossary.md'), readProjectFile('.github/CONTRIBUTING.md'), readContract()]
      .join('\n')
      .matchAll(/`((?:crates|npm|packages|tests|\.(?!claude)\w+)\/[^`*]+)`/gu),
  ].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(60);
  expect(paths.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
  const steps = [...text.matchAll(/^\| `([^`]+)` \| `(\w+)` \|/gmu)];
  expect(steps.length).toBeGreaterThan(30);
  /** Returns a regex that matches a definition: a function, a method, a class, or the implementation of a trait. */
  const definition = (name: string) =>
    new RegExp(`fn ${name}\\b|${name} for |class ${name}\\b|^ *(?:export )?(?:async )?(?:function )?${name}[<(]`, 'mu');
  const moved = steps.filter(([, path = '', name = '']) => !definition(name).test(readProjectFile(path)));
  expect(moved.map(([step]) => step)).toEqual([]);
});

test('the glossary defines at most 40 terms, each once', () => {
  const terms = [...readProjectFile('docs/glossary.md').matchAll(/^\| (.+?) \| .+ \| `[^`]+` \|$/gmu)].map(
    ([, term]) => term,
  );
  expect(terms.length).toBeGreaterThan(30);
  expect(terms.length).toBeLessThanOrEqual(40);
  expect(new Set(terms).size).toBe(terms.length);
});

/** Returns all pages about contracts. */
function readContract(): string {
  return ALL_PAGES.filter((page) => page.startsWith(CONTRACT_FOLDER))
    .map(readProjectFile)
    .join('\n');
}

test('the contract contains every next action of the debug memory word for word', () => {
  const steps = [
    ...readProjectFile('crates/engine/src/memory/next_action_texts.rs').matchAll(/"((?:[^"\\]|\\\n\s*)+\.)"/gu),
  ];
  expect(steps).toHaveLength(7);
  const texts = steps.map(([, text = '']) => text.replaceAll(/\\\n\s*/gu, ''));
  expect(texts.filter((text) => !readContract().includes(` ${text} `))).toEqual([]);
});

/** Returns the comment at the beginning of a source file. */
function readHeader(file: string): string {
  const text = readProjectFile(file).replace(/^#!.*\n/u, '');
  return /^(?:\s*\/\*\*.*?\*\/|(?:\/\/[^\n]*\n)+|(?:#[^\n]*\n)+|\s*<!--.*?-->)/su.exec(text)?.[0] ?? '';
}

test('header comments name only existing files', () => {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: projectRoot, encoding: 'utf8' })
    .split('\0')
    .filter((file) => existsSync(join(projectRoot, file)));
  const sources = tracked.filter((file) =>
    /^(?:npm|packages|tests|scripts)\/.*\.(?:ts|mjs|cjs|svelte|py|rb)$/u.test(file),
  );
  const known = new Set(tracked.flatMap((file) => file.split('/').map((_, at, parts) => parts.slice(at).join('/'))));
  const named = sources.flatMap((file) =>
    [...readHeader(file).matchAll(/(?<![\w/.*-])[\w/-]+(?:\.[\w-]+)*\.(?:ts|mjs|rs|svelte)\b/gu)].map(([name]) => ({
      file,
      name,
    })),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ name }) => !known.has(name))).toEqual([]);
});

/** Returns each command of a shell block that calls this program, with its name and options. */
function listCommands(page: string): { command: string; options: string[] }[] {
  const blocks = [...readProjectFile(page).matchAll(/^```sh\n(.*?)^```/gmsu)].map(([, text = '']) => text);
  const lines = blocks.flatMap((text) => text.split('\n').map((line) => line.split(/\s#\s/u)[0] ?? ''));
  return lines.flatMap((line) => {
    const found = /\b(?:argus|argus-mcp) ((?:(?:memory|team|token) )?[a-z][\w-]*)(.*)$/u.exec(line);
    if (found === null || / mcp add /u.test(line)) return [];
    const [, command = '', rest = ''] = found;
    const unquoted = rest.replaceAll(/"[^"]*"/gu, '');
    return [{ command, options: [...unquoted.matchAll(/--[a-z-]+/gu)].map(([option]) => option) }];
  });
}

const MANUAL_COMMANDS = ALL_PAGES.flatMap((page) => listCommands(page).map((one) => ({ page, ...one })));

test('the manual shows commands', () => expect(MANUAL_COMMANDS.length).toBeGreaterThan(20));

test.each(MANUAL_COMMANDS)('$page: $command $options', async ({ command, options }) => {
  const { stdout } = await argus([...command.split(' '), '--help']);
  expect(stdout).toContain(`Usage: argus ${command}`);
  for (const option of options) expect(stdout).toContain(option);
});

test('every tool is in the manual and in both READMEs', () => {
  const tools = Object.keys(JSON.parse(readProjectFile('packages/mcp/src/generated/tools.json')));
  const manual = ALL_PAGES.filter((page) => page.startsWith(MANUAL_FOLDER))
    .map(readProjectFile)
    .join('\n');
  expect(tools.filter((name) => !manual.includes(`| \`${name}\` |`))).toEqual([]);
  const readmes = ['README.md', 'packages/mcp/README.md'].map(readProjectFile);
  expect(tools.filter((name) => !readmes.every((text) => text.includes(`\`${name}\``)))).toEqual([]);
});
