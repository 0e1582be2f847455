// Finds conditions in source files and inverts them: the conditions of `if` and `? :`, `&&` and `||`, and comparisons.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/experimental';
import { root } from './exec.mjs';

const OPPOSITE_OPERATORS = {
  '&&': '||',
  '||': '&&',
  '==': '!=',
  '!=': '==',
  '===': '!==',
  '!==': '===',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};

/**
 * Returns `{ file, line, start, end, text, becomes }` for each condition, where start and end are the range that a
 * mutant replaces.
 */
export function findConditions(file) {
  const source = readFileSync(join(root, file), 'utf8');
  const found = file.endsWith('.rs') ? findRustConditions(source) : findTypeScriptConditions(file, source);
  return found.map(({ start, end, becomes }) => {
    const line = source.slice(0, start).split('\n').length;
    return { file, line, start, end, text: source.slice(start, end), becomes };
  });
}

function findTypeScriptConditions(file, source) {
  const found = [];
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach(visit);
    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
      const { start, end } = node.test;
      found.push({ start, end, becomes: `!(${source.slice(start, end)})` });
    }
    if (['LogicalExpression', 'BinaryExpression'].includes(node.type) && node.operator in OPPOSITE_OPERATORS)
      found.push(findOperator(source, node.left.end, node.right.start, node.operator));
    for (const value of Object.values(node)) visit(value);
  };
  visit(parseSync(file, source).program);
  return found;
}

function findOperator(source, from, to, operator) {
  const start = from + source.slice(from, to).indexOf(operator);
  return { start, end: start + operator.length, becomes: OPPOSITE_OPERATORS[operator] };
}

/**
 * Finds conditions with text patterns, outside test modules, comments and strings. A mutant that does not compile is
 * dropped later.
 */
function findRustConditions(source) {
  const code = blankNonCode(source.replace(/#\[cfg\(test\)\]\s*mod [\s\S]*$/u, ''));
  const found = [];
  for (const match of code.matchAll(/\bif (?!let\b)([^{};]+?) (?:\{|=>)/gu)) {
    if (/\blet\b/u.test(match[1])) continue;
    const start = match.index + 'if '.length;
    const end = start + match[1].length;
    found.push({ start, end, becomes: `!(${source.slice(start, end)})` });
  }
  for (const match of code.matchAll(/ (&&|\|\||==|!=|<=|>=|<|>) /gu)) {
    const start = match.index + 1;
    found.push({ start, end: start + match[1].length, becomes: OPPOSITE_OPERATORS[match[1]] });
  }
  return found;
}

/** Replaces comments, strings and character literals with spaces, so that positions stay the same. */
function blankNonCode(source) {
  const TEXT = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"|b?'(?:\\[^']+|[^'\\])'/gu;
  return source.replaceAll(TEXT, (text) => text.replaceAll(/[^\n]/gu, ' '));
}
