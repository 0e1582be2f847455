/** Configuration files and inputs files that are written to exhaust their parser. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../packages/mcp/src/config/load.ts';
import { parseInputs } from '../../packages/mcp/src/fix/inputs/inputs-file.ts';
import { argus } from '../e2e/argus.ts';
import { createProject } from '../e2e/harness.ts';

/** Returns a YAML alias bomb, in which each level repeats the previous level nine times. */
const createAliasBomb = (levels: number) =>
  [
    'a0: &a0 [x]',
    ...Array.from({ length: levels }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`),
  ].join('\n');

const HOSTILE_FILES: readonly (readonly [name: string, text: string, line: number, message: string])[] = [
  ['an alias bomb of few aliases', createAliasBomb(5), 1, 'its aliases expand to too much text'],
  ['an alias bomb of many', createAliasBomb(20), 13, 'more than 100 aliases'],
  ['an alias without an anchor', 'locale: en\ntest: *none', 2, 'the alias *none has no anchor before it'],
  ['an alias inside its anchor', 'test: &a\n  command: [*a]', 2, 'the alias *a contains itself'],
  ['unclosed brackets', `locale: en\ntest: ${'['.repeat(400_000)}`, 2, 'nested too deeply'],
  ['closed brackets', `test: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 1, 'nested too deeply'],
  ['braces', `test: ${'{a: '.repeat(20_000)}`, 1, 'nested too deeply'],
  ['lists in a line', `locale: en\n${'- '.repeat(100_000)}x`, 2, 'nested too deeply'],
  ['keys that are maps', `${'? '.repeat(100_000)}x`, 1, 'nested too deeply'],
  ['steps', Array.from({ length: 300 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 100, 'nested too deeply'],
  ['keys', Array.from({ length: 100_000 }, (_, i) => `a${i}: 1`).join('\n'), 7_143, 'too long'],
  ['a tag of a language', 'locale: en\ntest: !!js/function "x"', 2, 'unknown tag !!js/function'],
  ['a tag of its own', 'locale: en\ntest: !foo x', 2, 'unknown tag !foo'],
  ['a tag of an older version', '%YAML 1.1\n---\nlocale: !!binary aGk=', 3, 'unknown tag !!binary'],
  ['two documents', 'locale: en\n---\nlocale: zh', 2, 'multiple documents'],
];

test.each(HOSTILE_FILES)('%s is refused with its line', async (_name, text, line, message) => {
  const said = (what: string) => new RegExp(`:${line}: (not valid YAML: )?[^\n]*${what.replaceAll('*', '\\*')}`, 'u');
  await expect(parseConfig(text, 'argus.yaml')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(said(message)),
  });
  await expect(parseInputs(text, 'inputs.yaml', () => false)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringMatching(said(message)),
  });
});

test('a few aliases, core tags and moderate depth are accepted', async () => {
  const text = `
test: &test { command: !!str npm test, timeout: 60 }
containers: [&shop shop, *shop]
`;
  expect(await parseConfig(text, 'argus.yaml')).toEqual({
    test: { command: 'npm test', timeout: 60 },
    containers: ['shop', 'shop'],
  });
});

test('the program reports the error and does not crash', async () => {
  const root = createProject({ 'argus.yaml': `test: ${'['.repeat(400_000)}` });
  const { status, stdout } = await argus(['history', '--project', root, '--json']);
  expect(status).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { code: 'CONFIG_INVALID' } });
});
