/** The argument strings of the contract, as a slash command hands them on. */
import { expect, test } from 'vitest';
import { withArgumentString, wordsIn } from '../../src/cli/fix-loop/argument-string.ts';

test.each<[string, string[]]>([
  ['', []],
  [' \n ', []],
  [
    '"TypeError: undefined" --desired "Function returns array"',
    ['TypeError: undefined', '--desired', 'Function returns array'],
  ],
  [
    '--command "npm run build" \\\n  --desired "Build succeeds"\n',
    ['--command', 'npm run build', '--desired', 'Build succeeds'],
  ],
  ['--command "a" \\\r\n --auto', ['--command', 'a', '--auto']],
  [`--test "kubectl get pods | grep -q '^0$'"`, ['--test', "kubectl get pods | grep -q '^0$'"]],
  ['"a \\"b\\" \\$c \\n" \'d\\e\' f\\ g', ['a "b" $c \\n', 'd\\e', 'f g']],
  ['--test "" x""y', ['--test', '', 'xy']],
  ['"$(touch pwned) `id` $HOME ~ *"', ['$(touch pwned) `id` $HOME ~ *']],
  ['"two\nlines" end\\', ['two\nlines', 'end\\']],
])('%j', (text, words) => expect(wordsIn(text)).toEqual(words));

test.each(['"open', "it's", '"a" "b'])('%s ends inside of a quote', (text) =>
  expect(() => wordsIn(text)).toThrow(/end inside of/u),
);

const argv = (...args: string[]) => ['node', 'argus', ...args];
const typed = (args: string[], text: string) => withArgumentString(argv(...args), () => text).slice(2);

test('they take the place of the option', () => {
  expect(typed(['fix-problem', '--no-agent', '--arguments', '-', '--json'], '"no such thing" --desired x')).toEqual([
    ...['fix-problem', '--no-agent', 'no such thing', '--desired', 'x', '--json'],
  ]);
  expect(typed(['generate-inputs', '--arguments', '-'], 'for command: "./setup.sh"')).toEqual([
    'generate-inputs',
    './setup.sh',
  ]);
});

test.each([
  [['run', '--arguments', '-']],
  [['fix-problem', '--', '--arguments', '-']],
  [['fix-problem', '--arguments', 'file']],
  [['fix-problem', 'error']],
])('nothing is read for %j', (args) => {
  const unread = () => {
    throw new Error('read');
  };
  expect(withArgumentString(argv(...args), unread)).toEqual(argv(...args));
});
