/** Each field of a fix loop can be given as an argument of the tool, as an option, and in the prompt. */
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  addFixCommands,
  createStartOptions,
  moveErrorLast,
  pickStartValues,
} from '../../src/cli/fix-loop/fix-program.ts';
import { createStartShape, START_FIELDS } from '../../src/fix/start-fields.ts';
import { createPrompt } from '../../src/server/prompts.ts';

const EVERY_FIELD = {
  command: 'npm test',
  error: 'TypeError: x',
  desired: 'it passes',
  test: 'npm run check',
  namespace: 'shop',
  auto: true,
  inputs: 'answers.yaml',
  timeout: 30,
  max_attempts: 4,
  backoff: 0.5,
  circuit_breaker: 2,
  jitter: true,
  strict_progress: true,
};

test('the tool accepts every field of the table, but no unknown field', () => {
  const schema = z.strictObject(createStartShape(z));
  expect(Object.keys(EVERY_FIELD)).toEqual(Object.keys(START_FIELDS));
  expect(schema.parse(EVERY_FIELD)).toEqual(EVERY_FIELD);
  expect(schema.parse({ desired: 'it passes' })).toEqual({ desired: 'it passes' });
  expect(schema.safeParse({}).success).toBe(false);
  expect(schema.safeParse({ desired: 'it passes', test: undefined }).success).toBe(false);
  expect(schema.safeParse({ desired: 'it passes', timeout: '30' }).success).toBe(false);
});

test('every option sets the field with its name', () => {
  const { error, ...settings } = EVERY_FIELD;
  const valuesByField = new Map<string, unknown>(Object.entries(settings));
  const args = createStartOptions().flatMap(({ name, option }) => {
    const value = valuesByField.get(name);
    return value === true ? [`${option.long}`] : [`${option.long}`, String(value)];
  });
  const command = new Command().exitOverride();
  for (const { option } of createStartOptions()) command.addOption(option);
  expect(pickStartValues(command.parse(args, { from: 'user' }).opts())).toEqual(settings);
  expect(pickStartValues(new Command().parse([], { from: 'user' }).opts())).toEqual({});
});

test('the prompt uses the argument names of the tool', () => {
  const { jitter, strict_progress, ...contract } = EVERY_FIELD;
  const texts = { error_message: contract.error, 'max-attempts': '4', 'circuit-breaker': '2', auto: 'yes' };
  const rest = { command: 'npm test', desired: 'it passes', test: 'npm run check', namespace: 'shop' };
  const prompt = createPrompt({ ...texts, ...rest, inputs: 'answers.yaml', timeout: '30', backoff: '0.5' });
  const text = prompt.messages[0]?.content.type === 'text' ? prompt.messages[0].content.text : '';
  const json: unknown = JSON.parse(text.slice(text.indexOf('{'), text.indexOf('\n}') + 2));
  expect(json).toEqual({ projectPath: expect.any(String), ...contract });
});

test('an error text that looks like an option is not confused with the value of an option', () => {
  const root = new Command();
  addFixCommands(root);
  const error = '--- FAIL: TestX';
  const sorted = (...args: string[]) => moveErrorLast(['node', 'argus', 'fix-problem', ...args], root).slice(3);
  expect(sorted(error, '--desired', 'ok')).toEqual(['--desired', 'ok', '--', error]);
  for (const flag of ['--desired', '--namespace', '--agent-timeout', '--project'])
    expect(sorted(flag, '-a b')).toEqual([flag, '-a b']);
  expect(sorted('--auto', error)).toEqual(['--auto', '--', error]);
});
