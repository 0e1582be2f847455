/** Splits the contract's argument strings in the form in which a slash command passes them. */
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { expandArgumentsOption, splitArguments } from '../../src/cli/fix-loop/fix-program.ts';
import { io, withIo } from '../../src/system/io.ts';

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
])('splits the arguments of %j', (text, words) => expect(splitArguments(text)).toEqual(words));

test.each(['"open', "it's", '"a" "b'])('%s ends inside of a quote', (text) =>
  expect(() => splitArguments(text)).toThrow(/end inside/u),
);

const createArgv = (...args: string[]) => ['node', 'argus', ...args];

test.each([
  [
    ['fix-problem', '--no-agent', '--arguments', '-', '--json'],
    '"no such thing" --desired x',
    ['fix-problem', '--no-agent', 'no such thing', '--desired', 'x', '--json'],
  ],
  [['generate-inputs', '--arguments', '-'], 'for command: "./setup.sh"', ['generate-inputs', './setup.sh']],
])('%j reads more words from stdin', async (args, typed, words) => {
  const testIo = { ...io(), stdin: Readable.from([typed]) };
  expect(await withIo(testIo, () => expandArgumentsOption(createArgv(...args)))).toEqual(createArgv(...words));
});

test.each([
  [['run', '--arguments', '-']],
  [['fix-problem', '--', '--arguments', '-']],
  [['fix-problem', '--arguments', 'file']],
  [['fix-problem', 'error']],
])('%j reads nothing from stdin', async (args) => {
  const stdin = new Readable({ read: () => expect.fail('stdin was read') });
  expect(await withIo({ ...io(), stdin }, () => expandArgumentsOption(createArgv(...args)))).toEqual(
    createArgv(...args),
  );
});
