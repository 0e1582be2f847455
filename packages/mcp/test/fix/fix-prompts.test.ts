/** Finds the prompts of a script and the answers to them, and detects a prompt that nothing answers. */

import { spawn } from 'node:child_process';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { generateInputs } from '../../src/fix/inputs/inputs.ts';
import type { Input } from '../../src/fix/inputs/inputs-file.ts';
import { getLastLine, looksLikePrompt, type PendingPrompt, PromptWatch } from '../../src/fix/inputs/prompt-watch.ts';
import { createProject, NOW } from '../project.ts';

async function findScriptInputs(
  script: string,
  files: Record<string, string> = {},
  command = './setup.sh',
): Promise<Input[]> {
  const root = createProject({ 'setup.sh': script, ...files });
  return (await generateInputs({ root, command, now: NOW })).file.inputs;
}

const summarizeInputs = (inputs: readonly Input[]) =>
  inputs.map(({ prompt, value, deferred }) => `${prompt.replace(/ …$/u, '')} => ${deferred ? '(deferred)' : value}`);

describe('finding prompts', () => {
  test('prompts are found for every way to read input, in the order of the questions', async () => {
    const prompts = await findScriptInputs(`#!/usr/bin/env bash
set -euo pipefail
read -p "Project name: " NAME
read -rp "Port [8080]: " PORT
echo -n "Author: "
read author
printf '%s ' "Description:"
IFS= read -r description
echo "Which shell?"
PS3="Pick one: "
select shell in bash zsh quit; do break; done
read -n 1 -r -p "Continue? [Y/n] " reply
read -s -p "Word: " hidden
`);
    expect(summarizeInputs(prompts)).toEqual([
      'Project name: => orchard',
      'Port [8080]: => 8080',
      'Author: => Rosa Quill <rosa@quill.test>',
      'Description: => test',
      'Pick one: => 1',
      'Continue? [Y/n] => y',
      'Word: => (deferred)',
    ]);
    expect(prompts[5]?.enter).toBe(false);
  });

  test('functions that ask are found, with the arguments of each call', async () => {
    const prompts = await findScriptInputs(`#!/bin/bash
confirm() { local a; read -r -p "$1 [y/N] " a; [[ "$a" =~ ^[Yy]$ ]]; }
ask() {
  local reply
  read -r -p "$1 [$2]: " reply
  echo "\${reply:-$2}"
}
ask_into() { read -p "$2: " "$1"; }
ask_for() {
  local what="$1" usual="$2" given
  read -r -p "$what [$usual]: " given
}
TITLE=$(ask "Site title" "Orchard")
ask_into REGION "Region (eu/us)"
ask_for "Mode" fast
ask_for "Level" 7
if confirm "Ready to go on?"; then echo ok; fi
`);
    expect(prompts.map(({ name, prompt, value }) => `${name}: ${prompt} ${value}`)).toEqual([
      'reply: Site title [Orchard]: Orchard',
      'REGION: Region (eu/us): eu',
      'given: Mode [fast]: fast',
      'given_2: Level [7]: 7',
      'a: Ready to go on? [y/N] y',
    ]);
  });

  test('colors, and the output of echo and printf inside a prompt, are read', async () => {
    const prompts = await findScriptInputs(`#!/bin/bash
BOLD=$'\\e[1m'; RED='\\033[0;31m'; NC='\\033[0m'
ask() { local a; read -r -p "$(echo -e "\${RED}$1\${NC} [$2]: ")" a; echo "\${a:-$2}"; }
NAME=$(ask "Site title" "Orchard")
read -p "$(tput bold)Your email$(tput sgr0): " mail
printf "\${BOLD}Replicas:\${NC} "
read -r replicas
`);
    expect(summarizeInputs(prompts)).toEqual([
      '…Site title… [Orchard]: => Orchard',
      '…Your email…: => rosa@quill.test',
      '…Replicas:… => 1',
    ]);
  });

  test('files, pipes, here-documents, other descriptors and strings that contain the word read are skipped', async () => {
    const prompts = await findScriptInputs(`#!/bin/bash
while read -r line; do echo "$line"; done < list.txt
cat list.txt | while read -r a b; do :; done
read -r first < VERSION
read -r one two <<< "a b"
read -r -d '' text <<'TEXT'
read -p "not this one: " x
TEXT
cat <<'DOC'
read -p "nor this: " y
DOC
exec 3< list.txt
read -u 3 -r third
echo "then read -p 'me'"
# read -p "a comment" z
printf 'a\\n' | read -r piped
mapfile -t all < list.txt
read -r -p "The only one: " only
`);
    expect(summarizeInputs(prompts)).toEqual(['The only one: => test']);
  });

  test.each([
    ['zsh', 'go.zsh', '#!/usr/bin/env zsh\necho -n "Continue? (y/n) "\nread -q\n', 'Continue? (y/n) => y', false],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell that expands it
    ['sh', 'go.sh', '#!/bin/sh\nprintf "Branch: "; read -r b\n: "${b:=main}"\n', 'Branch: => trunk', undefined],
  ])('reads the prompts of a script for %s', async (_, name, script, row, enter) => {
    const prompts = await findScriptInputs('', { [name]: script }, `./${name}`);
    expect(summarizeInputs(prompts)).toEqual([row]);
    expect(prompts[0]?.enter).toBe(enter);
  });

  test.each([
    [
      'ask.py',
      `import getpass
name = input("Package name: ")
count = int(input(f'How many of {name}? '))
key = getpass.getpass("API key: ")
if click.confirm("Overwrite it?"):
    print(input.__doc__)
`,
      ['Package name: => orchard', 'How many of …? => 1', 'API key: => (deferred)', 'Overwrite it? => n'],
    ],
    [
      'ask.mjs',
      `import inquirer from 'inquirer';
rl.question(\`Port [8080]: \`, (port) => rl.close());
const { token } = await inquirer.prompt([
  { type: 'confirm', name: 'more', message: 'Go on?' },
  { type: 'password', name: 'word', message: 'Say it' },
]);
console.log({ messages: 'none' });
`,
      ['Port [8080]: => 8080', 'Go on? => y', 'Say it => (deferred)'],
    ],
    ['ask.exp', 'send_user "Tag: "\nexpect_user -re "(.*)\\n"\nsend "x"\n', ['Tag: => test']],
  ])('reads the prompts of %s', async (name, script, rows) => {
    for (const command of [name, `./${name} --fast`]) {
      expect(summarizeInputs(await findScriptInputs('', { [name]: script }, command))).toEqual(rows);
    }
  });

  test('a binary file is skipped, and an incomplete script is read', async () => {
    expect(await findScriptInputs('\u0000\u0001\u0002')).toEqual([]);
    expect(summarizeInputs(await findScriptInputs('if [ 1 ; then\nread -p "Tag: " t\n'))).toEqual(['Tag: => test']);
  });

  test.each([
    ['calls', 'f() { f; f; f; f; f; f; f; f; f; }\nf\n'],
    ['loops', `${'for a in 1 2 3 4 5 6 7 8 9; do '.repeat(7)}echo${'; done'.repeat(7)}\n`],
    ['long', `read -p "${'a? ['.repeat(50_000)}" x\n`],
    ['nested', `${'('.repeat(20_000)}read x${')'.repeat(20_000)}`],
    ['substitutions', `${'$('.repeat(5_000)}read x${')'.repeat(5_000)}`],
    ['patterns', 'read -p "a: " "a+b(*"\necho "$a"\n'],
    ['menus', 'select "a(b*" in x y; do break; done\n'],
    ['open functions', 'a(){\n'.repeat(100_000)],
    ['open documents', 'cat <<a\n'.repeat(100_000)],
    ['long bodies', `f() { read -p "${'x'.repeat(1_500)}" a; }\n${'f;\n'.repeat(50_000)}`.replace('read', 'ready')],
    ['open calls', `#!/usr/bin/env node\n${'a = b(input("x\n'.repeat(50_000)}`],
  ])('a hostile script (%s) is read to its end', async (_, script) => {
    expect((await findScriptInputs(script)).length).toBeLessThan(2);
  });

  test('the script of a package script or of a command line is read', async () => {
    const manifest = '{"name":"@acme/pear","scripts":{"setup":"bash setup.sh"}}';
    const prompts = await findScriptInputs('read -p "Tag: " tag', { 'package.json': manifest }, 'npm run setup');
    expect(summarizeInputs(prompts)).toEqual(['Tag: => test']);
    expect(
      summarizeInputs(await findScriptInputs('read -p "Tag: " tag', {}, 'cd . && FOO=1 bash -e setup.sh --fast')),
    ).toEqual(['Tag: => test']);
    expect(await findScriptInputs('read -p "Tag: " tag', {}, 'yes | npm test')).toEqual([]);
  });
});

describe('answers', () => {
  test('answers use values of the project and name their source', async () => {
    const prompts = await findScriptInputs(
      `read -p "Package name: " n
read -p "Version: " v
read -p "License: " l
read -p "Email: " e
read -p "Repository URL: " r
read -p "Port: " PORT
read -p "Mode [fast]: " m
read -p "Queue: " QUEUE
QUEUE=\${QUEUE:-jobs}
`,
      {
        'package.json': '{"name":"@acme/pear","version":"3.1.4","license":"MIT"}',
        '.env': 'PORT=9090\n',
        '.git/config':
          '[user]\n\tname = Rosa Quill\n\temail = rosa@quill.test\n[remote "origin"]\n\turl = https://rosa:sesame@git.test/acme/pear.git\n',
      },
    );
    expect(prompts.map(({ value, source }) => [value, source])).toEqual([
      ['pear', 'package.json name'],
      ['3.1.4', 'package.json version'],
      ['MIT', 'package.json license'],
      ['rosa@quill.test', 'git config user.email'],
      ['https://git.test/acme/pear.git', 'git config remote.origin.url'],
      ['9090', '.env PORT'],
      ['fast', 'default in the prompt'],
      ['jobs', 'default in the script'],
    ]);
    for (const { confidence } of prompts) expect(confidence).toBeGreaterThan(0.5);
  });

  test.each([
    ['Delete all data? [y/N] ', ''],
    ['Overwrite config.yaml? (Y/n) ', ''],
    ['Are you sure? ', ''],
    ['Force push to main? [y/N]: ', ''],
    ['Drop the database? ', ''],
    ["Type 'DESTROY' to confirm: ", ''],
    ['Continue? [Y/n] ', 'echo "This will remove the old cluster."'],
    ['确定要删除吗？(y/n) ', ''],
  ])('%s is answered with n', async (prompt, linesBefore) => {
    const [answeredPrompt] = await findScriptInputs(`${linesBefore}\nread -r -p ${JSON.stringify(prompt)} a\n`);
    expect(answeredPrompt?.value).toBe('n');
  });

  test('a yes is judged by its effect, not only by the text of the prompt', async () => {
    const [first, second] = await findScriptInputs(`read -p "Tidy up? " t
if [ "$t" = y ]; then rm -rf ./data; fi
read -p "Greet? [Y/n] " g
if [ "$g" = y ]; then echo hello; fi
`);
    expect([first?.value, second?.value]).toEqual(['n', 'y']);
  });

  test.each([
    'Password: ',
    'API key: ',
    'GitHub token: ',
    'Enter passphrase for key: ',
    'Client secret: ',
    'Access Key ID: ',
    '密码: ',
  ])('%s is never answered', async (prompt) => {
    const [answeredPrompt] = await findScriptInputs(`read -r -p ${JSON.stringify(prompt)} v\n`, {
      '.env': 'V=very-secret\n',
    });
    expect(answeredPrompt).toMatchObject({ deferred: true, source: 'user_required', confidence: 0 });
    expect(answeredPrompt?.value).toBeUndefined();
    expect(JSON.stringify(answeredPrompt)).not.toContain('very-secret');
  });

  test('a secret in a `.env` file is never used as an answer, whatever its name', async () => {
    const [answeredPrompt] = await findScriptInputs('read -p "Where to report: " HOOK\n', {
      '.env': `HOOK=https://hooks.slack.com/services/T0A1B2C3D/B4E5F6G7H/${'x9Y8z7W6'.repeat(3)}\n`,
    });
    expect(JSON.stringify(answeredPrompt)).not.toContain('x9Y8z7W6');
  });

  test('the name of the variable decides if the prompt is unclear, and not every prompt that mentions a secret asks for a secret', async () => {
    const prompts = await findScriptInputs(`read -p "Value: " DB_PASSWORD
read -p "Path to the private key [~/.ssh/id_ed25519]: " key_path
read -p "Use password authentication? [y/N] " use
`);
    expect(prompts.map(({ deferred }) => deferred ?? false)).toEqual([true, false, false]);
    expect(prompts[0]?.note).toContain('value_from_env: DB_PASSWORD');
  });
});

describe('an unanswered prompt', () => {
  test.each([
    ['Name: ', true],
    ['Overwrite? ', true],
    ['Proceed [y/N] ', true],
    ['Really? (yes/no)\n', true],
    ['compiled in 3 s\n', false],
    ['', false],
  ])('recognizes whether %j is a prompt', (text, expected) => {
    expect(looksLikePrompt(String(text))).toBe(expected);
  });

  test('the last line that a person sees is the prompt', () => {
    expect(getLastLine('one\n\u001b[1mName:\u001b[0m ')).toBe('Name:');
    expect(getLastLine('10%\r20%\rDone? ')).toBe('Done?');
  });

  /**
   * Starts a command with its input left open, as the loop does, until a prompt is detected or the command prints
   * `end`.
   */
  async function findPendingPrompt(command: string): Promise<PendingPrompt | null> {
    const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    const pending = await new Promise<PendingPrompt | null>((resolve) => {
      const watch = new PromptWatch(child.pid ?? 0, resolve, 600);
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (bytes) => {
          watch.addOutput(String(bytes));
          if (String(bytes).includes('end')) resolve(null);
        });
      }
      child.once('exit', () => watch.stop());
    });
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    return pending;
  }

  describe.skipIf(process.platform !== 'linux')('on a system that shows reads', { concurrent: true }, () => {
    test('a blocked read from the terminal proves that a prompt waits', async () => {
      const pending = await findPendingPrompt('echo "Name:"; read x; echo "$x"');
      expect(pending).toMatchObject({ prompt: 'Name:', reader: expect.stringMatching(/sh$/u) });
      expect(pending?.because).toContain('was reading standard input');
    });

    test.each([
      ['a program that works silently', 'echo "Working:"; sleep 2; echo end; sleep 60'],
      ['a pipe that still works', 'echo "Sorting:"; (sleep 2; echo end >&2; sleep 60) | sort'],
    ])('output is not a prompt if it comes from %s', async (_, command) => {
      expect(await findPendingPrompt(command)).toBeNull();
    });
  });

  test('on other systems, a question followed by a longer silence counts as a prompt', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const reported: unknown[] = [];
    const onPrompt = ({ prompt, reader }: PendingPrompt) => void reported.push([prompt, reader]);
    const watch = new PromptWatch(process.pid, onPrompt, 3_000, 'darwin');
    watch.addOutput('Port [80]: ');
    vi.advanceTimersByTime(9_000);
    expect(reported).toEqual([]);
    vi.advanceTimersByTime(5_000);
    watch.addOutput('80\ncompiling\n');
    vi.advanceTimersByTime(60_000);
    watch.stop();
    expect(reported).toEqual([['Port [80]:', null]]);
  });
});
