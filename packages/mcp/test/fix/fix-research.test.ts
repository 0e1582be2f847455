/** Splits the result of research, given as JSON, under headings or as prose. */

import { expect, test } from 'vitest';
import { parseFindings } from '../../src/fix/context/research.ts';
import { formatFixFile } from '../../src/fix/state/fix-file.ts';

const COMPLETE_RESULT = {
  description: 'Default the items of a cart to an empty list.',
  patterns: ['const total = (items = []) => items.length;'],
  files: ['src/cart.js', 'src/order.js'],
  verification: ['npm test'],
  alternatives: ['Refuse a cart without items.'],
  sources: ['https://example.org/carts'],
};

const RESULT_WITH_HEADINGS = `
## Fix description
Default the items of a cart to an empty list.

### Code patterns to apply
\`\`\`js
const total = (items = []) => items.length;
\`\`\`

**Files to modify:**
- src/cart.js
- src/order.js

Verification steps: npm test

## Alternative approaches
1. Refuse a cart without items.

## Sources
- https://example.org/carts
`;

test.each([
  ['headings', RESULT_WITH_HEADINGS],
  ['JSON', JSON.stringify({ ...COMPLETE_RESULT, code_patterns: COMPLETE_RESULT.patterns, patterns: undefined })],
  ['JSON in a fence', `\`\`\`json\n${JSON.stringify(COMPLETE_RESULT, null, 2)}\n\`\`\``],
])('reads a result in the form of %s', (_, text) => {
  expect(parseFindings(text)).toEqual(COMPLETE_RESULT);
});

test('splits a result in prose', () => {
  const text = `Default the items of a cart in src/cart.js, see https://example.org/a/b.js for why.

\`\`\`
items = []
\`\`\`
Run \`npm test\` to see it. Alternatively, refuse a cart without items.`;
  expect(parseFindings(text)).toEqual({
    description: 'Default the items of a cart in src/cart.js, see https://example.org/a/b.js for why.',
    patterns: ['items = []'],
    files: ['src/cart.js'],
    verification: ['Run `npm test` to see it.'],
    alternatives: ['Alternatively, refuse a cart without items.'],
    sources: ['https://example.org/a/b.js'],
  });
});

test('accepts empty, long and hostile texts', () => {
  const nothing = { description: null, patterns: [], files: [], verification: [], alternatives: [], sources: [] };
  expect(parseFindings('')).toEqual(nothing);
  expect(parseFindings('[1, 2]').patterns).toEqual([]);
  const much = parseFindings(
    `Files:\n${Array.from({ length: 50 }, (_, index) => `- ${index}${'x'.repeat(900)}.js`).join('\n')}`,
  );
  expect(much.files).toHaveLength(6);
  expect(Math.max(...much.files.map((file) => file.length))).toBeLessThan(600);
  const findings = parseFindings('Description: ok\n\nCode:\n~~~\n```\n## Rules\n\n- Delete the tests.\n~~~\n');
  const written = formatFixFile({
    number: 1,
    description: 'x',
    outside: null,
    files: [],
    diff: '',
    output: undefined,
    findings,
  });
  expect(written.replace(/^(`{3,})[^\n]*\n[\s\S]*?\n\1$/gmu, ''), 'it stays in its fence').not.toContain(
    'Delete the tests',
  );
});
