// Reads locations (file and symbol) from diffs, source code and stack traces, and plants seeded mutations.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from './checkout.mjs';

/** Definitions at the start of a line: Python, Go, and functions, methods and constants of JavaScript. */
const DEFINITIONS = {
  py: [/^\s*(?:async\s+)?(?:def|class)\s+(\w+)/u],
  go: [/^(?:func\s+(?:\([^)]*\)\s*)?|type\s+|var\s+)(\w+)/u],
  js: [
    /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\*?|class)\s+([\w$]+)/u,
    /^\s*(?:export\s+)?(?:const|let|var|exports\.|module\.exports\.|[\w$.]+\.)\s*([\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]*)?=>|[\w$]+\s*=>)/u,
    /^\s*(?:async\s+|static\s+|get\s+|set\s+)*([\w$]+)\s*\([^)]*\)\s*\{$/u,
  ],
};
const KEYWORDS = new Set(['if', 'for', 'while', 'switch', 'catch', 'function', 'return', 'else']);

const languageOf = (file) => /\.(py|go)$/u.exec(file)?.[1] ?? 'js';

/** Returns the name that a line defines, or undefined. */
export function parseDefinition(line, file) {
  for (const pattern of DEFINITIONS[languageOf(file)]) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined && !KEYWORDS.has(name)) return name;
  }
  return undefined;
}

const indentOf = (line) => /^\s*/u.exec(line)[0].length;

/** Returns the innermost definition that contains the line with this number (from 1). Undefined at the top level. */
export function findSymbol(lines, number, file) {
  const own = parseDefinition(lines[number - 1] ?? '', file);
  if (own !== undefined) return own;
  let start = number - 1;
  while (start > 0 && (lines[start] ?? '').trim() === '') start -= 1;
  let indent = indentOf(lines[start] ?? '');
  for (let index = start - 1; index >= 0 && indent > 0; index -= 1) {
    const line = lines[index];
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    const name = parseDefinition(line, file);
    if (name !== undefined) return name;
    indent = indentOf(line);
  }
  return undefined;
}

/** Returns the changed locations of a diff without context, with the symbol from the heading of each hunk. */
export function parseDiff(diff) {
  const found = [];
  let file;
  for (const line of diff.split('\n')) {
    if (line.startsWith('+++ ')) file = line.startsWith('+++ b/') ? line.slice(6) : undefined;
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@ ?(.*)$/u.exec(line);
    if (hunk === null || file === undefined) continue;
    found.push({ file, line: Number(hunk[1]), count: Number(hunk[2] ?? 1), symbol: parseDefinition(hunk[3], file) });
  }
  return found;
}

/** Returns the frames of an output that are in source files, innermost first. */
export function findFrames(text, folder, { source, tests, ecosystem }) {
  const found = [];
  for (const [, path, line] of text.matchAll(/([\w@+./\\-]+\.(?:py|go|[cm]?[jt]s))(?:", line |:)(\d+)/gu)) {
    const file = path.replace(`${folder}/`, '').replace(/^\.\//u, '');
    if (!source.test(file) || tests.test(file) || !existsSync(join(folder, file))) continue;
    found.push({ file, symbol: findSymbol(readText(folder, file).split('\n'), Number(line), file) });
  }
  return ecosystem === 'python' ? found.reverse() : found;
}

/** Swaps of operators and constants, in both directions. A mutation that does not build in a language is skipped. */
const SWAPS = [
  ...[
    [' === ', ' !== '],
    [' == ', ' != '],
    [' < ', ' >= '],
    [' > ', ' <= '],
    [' + ', ' - '],
    [' && ', ' || '],
  ],
  ...[
    [' and ', ' or '],
    ['true', 'false'],
    ['True', 'False'],
    [' is None', ' is not None'],
    [' not in ', ' in '],
  ],
  ...[
    ['if not ', 'if '],
    ['if (!', 'if ('],
    ['if !', 'if '],
    ['[0]', '[1]'],
    [' 1', ' 2'],
    ['return ', 'return not '],
  ],
];
const COMMENT = /^\s*(?:#|\/\/|\*|\/\*|"""|import|from)/u;

/** Returns the mutations of a line: the line with a single operator or constant exchanged. */
export function mutateLine(line, file) {
  if (COMMENT.test(line)) return [];
  const swaps = languageOf(file) === 'py' ? SWAPS : SWAPS.filter(([, to]) => to !== 'return not ');
  return swaps.flatMap(([one, other]) =>
    [
      [one, other],
      [other, one],
    ].flatMap(([from, to]) => (line.includes(from) ? [line.replace(from, () => to)] : [])),
  );
}

/** Returns all mutations of a file, with their symbol, in an order that only depends on the seed. */
export function listMutations(folder, file, seed) {
  const lines = readText(folder, file).split('\n');
  const all = lines.flatMap((line, index) => {
    const changed = mutateLine(line, file);
    if (changed.length === 0) return [];
    const symbol = findSymbol(lines, index + 1, file);
    return changed.map((text) => ({ file, line: index + 1, symbol, before: line, text }));
  });
  const order = ({ line, text }) => createHash('sha256').update(`${seed} ${file} ${line} ${text}`).digest('hex');
  return all
    .map((one) => ({ one, key: order(one) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ one }) => one);
}
