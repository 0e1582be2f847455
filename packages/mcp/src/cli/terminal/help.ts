/**
 * The help: groups of commands, examples for each command, and texts that wrap at the width of the terminal. Rarely
 * used commands are listed only by `argus help --all`.
 */

import type { Command } from 'commander';
import { wrapText } from '../../format/terminal.ts';
import { io } from '../../system/io.ts';

/** Width if stdout is not a terminal. */
const HELP_COLUMNS = 80;
/** Longer lines are hard to read. */
const MAX_HELP_COLUMNS = 100;

export const getHelpColumns = (): number => Math.min(io().stdout.columns ?? HELP_COLUMNS, MAX_HELP_COLUMNS);

const GROUPS = {
  tests: 'Run tests:',
  failures: 'Understand failures:',
  incidents: 'Incidents:',
  loop: 'Fix loop:',
  agents: 'Agents and CI:',
  team: 'Team:',
} as const;

interface CommandHelp {
  group: keyof typeof GROUPS;
  /** Listed only by `argus help --all`. */
  isRare?: true;
  examples: readonly string[];
}

/** Every command that people call. The key of a subcommand includes its parent. */
const COMMANDS: Readonly<Record<string, CommandHelp>> = {
  run: { group: 'tests', examples: ['argus run', 'argus run "npm test"', 'argus run --filter "cart is empty"'] },
  import: { group: 'tests', examples: ["argus import 'reports/**/*.xml'", 'argus import --runs history.jsonl'] },
  receipt: { group: 'tests', examples: ['argus receipt', 'argus receipt --check'] },
  history: { group: 'tests', examples: ['argus history', 'argus history latest'] },
  diagnose: {
    group: 'failures',
    examples: ['argus diagnose', 'argus diagnose 2', 'argus diagnose "cart is empty"', 'argus diagnose @2 1'],
  },
  'report-fix': {
    group: 'failures',
    examples: [
      'argus report-fix "Guard the empty cart"',
      'argus report-fix 2 "Guard the empty cart"',
      'argus report-fix "cart is empty" "Guard the empty cart"',
    ],
  },
  tests: { group: 'failures', examples: ['argus tests', 'argus tests "cart is empty"', 'argus tests --state flaky'] },
  walls: { group: 'failures', examples: ['argus walls', 'argus walls --limit 3'] },
  fixes: { group: 'failures', examples: ['argus fixes', 'argus fixes latest'] },
  prove: { group: 'failures', examples: ['argus prove latest', 'argus prove latest "npm test" --yes'] },
  patterns: { group: 'failures', isRare: true, examples: ['argus patterns --source learned'] },
  report: { group: 'failures', examples: ['argus report', 'argus report latest --junit'] },
  view: { group: 'failures', examples: ['argus view --open', 'argus view --export memory.html'] },
  inspect: { group: 'failures', isRare: true, examples: ['npm test 2>&1 | argus inspect'] },
  solutions: { group: 'incidents', examples: ['argus solutions "ECONNREFUSED 127.0.0.1:5432"'] },
  outcome: { group: 'incidents', examples: ['argus outcome sol-019d2b1e-8f00-7000-8000-0123456789ab worked'] },
  'add-incident': {
    group: 'incidents',
    examples: ['argus add-incident "Port 5432 refused" "docker compose up -d db" worked'],
  },
  'add-solution': {
    group: 'incidents',
    isRare: true,
    examples: ['argus add-solution inc-019d2b1e-8f00-7000-8000-0123456789ab "Restart it"'],
  },
  memory: { group: 'incidents', isRare: true, examples: ['argus memory export > incidents.jsonl'] },
  'memory import': { group: 'incidents', examples: ['argus memory import incidents.jsonl'] },
  'memory export': { group: 'incidents', examples: ['argus memory export > incidents.jsonl'] },
  'memory search': { group: 'incidents', examples: ['argus memory search --jsonl < questions.jsonl'] },
  'fix-problem': {
    group: 'loop',
    examples: [
      'argus fix-problem --command "npm test" --desired "all tests pass"',
      'npm test 2>&1 | argus fix-problem - --desired "all tests pass"',
    ],
  },
  'generate-inputs': { group: 'loop', isRare: true, examples: ['argus generate-inputs ./setup.sh'] },
  clean: { group: 'loop', isRare: true, examples: ['argus clean --dry-run'] },
  install: { group: 'agents', examples: ['argus install', 'argus install --agent claude --hook'] },
  ci: { group: 'agents', examples: ["argus ci 'reports/*.xml' --gate"] },
  gate: { group: 'agents', examples: ['argus gate', 'argus gate --base main'] },
  learn: { group: 'agents', examples: ['argus learn --from-git'] },
  doctor: { group: 'agents', examples: ['argus doctor'] },
  hook: { group: 'agents', isRare: true, examples: ['argus install --hook'] },
  score: { group: 'agents', isRare: true, examples: ['argus score'] },
  forget: { group: 'agents', examples: ['argus forget everything', 'argus forget everything --yes'] },
  adopt: { group: 'agents', isRare: true, examples: ['argus adopt'] },
  share: { group: 'team', examples: ['argus share --dry-run'] },
  team: { group: 'team', examples: ['argus team join https://argus.example.com', 'argus team status'] },
  'team join': { group: 'team', examples: ['argus team join https://argus.example.com --as shop'] },
  'team leave': { group: 'team', examples: ['argus team leave'] },
  'team status': { group: 'team', examples: ['argus team status'] },
  'team push': { group: 'team', examples: ['argus team push'] },
  'team pull': { group: 'team', examples: ['argus team pull'] },
  serve: {
    group: 'team',
    isRare: true,
    examples: ['argus serve --tls-cert cert.pem --tls-key key.pem --host 0.0.0.0'],
  },
  token: { group: 'team', isRare: true, examples: ['argus token create ada --scope write'] },
  'token create': { group: 'team', examples: ['argus token create ada --scope write'] },
  'token list': { group: 'team', examples: ['argus token list'] },
  'token audit': { group: 'team', examples: ['argus token audit --limit 20'] },
  'token revoke': { group: 'team', examples: ['argus token revoke TOKEN_ID'] },
  migrate: { group: 'team', isRare: true, examples: ['argus migrate --database postgres://localhost/argus'] },
  backup: { group: 'team', isRare: true, examples: ['argus backup shop shop.db'] },
};

const FIRST_STEPS: readonly (readonly [command: string, purpose: string])[] = [
  ['argus run', 'run the tests and record the result'],
  ['argus diagnose', 'explain the first failure of the newest run'],
  ['argus report-fix "Guard the cart"', 'record what fixed it'],
  ['argus view --open', 'see everything in the browser'],
  ['argus install', 'connect your coding agents'],
];

const HELP_HINT = 'argus help COMMAND shows options and examples, argus help --all lists every command.';

/** Adds groups and examples to the commands below `root`. `showsAll` includes rarely used commands. */
export function addHelp(root: Command, showsAll: boolean): void {
  const column = Math.max(...FIRST_STEPS.map(([command]) => command.length)) + 2;
  const start = FIRST_STEPS.map(([command, purpose]) => `  ${command.padEnd(column)}${purpose}`);
  root.addHelpText('before', () => `Argus, a memory for test failures.\n\n${start.join('\n')}\n`);
  root.addHelpText('after', () => (showsAll ? '' : `\n${wrapParagraphs(HELP_HINT)}`));
  root.configureHelp({
    visibleCommands: (command: Command) => listCommands(command, showsAll),
    subcommandTerm: (command: Command) => command.name(),
  });
  for (const command of root.commands) addCommandHelp(command, []);
}

function addCommandHelp(command: Command, parents: readonly string[]): void {
  const path = [...parents, command.name()];
  const help = COMMANDS[path.join(' ')];
  if (help !== undefined) {
    if (parents.length === 0) command.helpGroup(GROUPS[help.group]);
    const lines = help.examples.map((example) => `  ${example}`).join('\n');
    command.addHelpText('after', `\n${help.examples.length > 1 ? 'Examples' : 'Example'}:\n${lines}`);
  }
  command.configureHelp({ subcommandTerm: formatSubcommandTerm });
  command.helpCommand(false);
  for (const sub of command.commands) addCommandHelp(sub, path);
}

/** Returns the commands in the order of the groups, so that the most used groups come first. */
function listCommands(parent: Command, showsAll: boolean): Command[] {
  if (parent.parent !== null) return [...parent.commands];
  return Object.keys(COMMANDS).flatMap((name) => {
    const isShown = showsAll || COMMANDS[name]?.isRare !== true;
    return isShown ? parent.commands.filter((command) => command.name() === name) : [];
  });
}

/** Returns the name and the arguments, without `[options]`, because every command has options. */
function formatSubcommandTerm(command: Command): string {
  const given = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...given].join(' ');
}

/**
 * Returns a function that creates the text below the options. Wraps the paragraphs, except lines that begin with a
 * space.
 */
export function createHelpText(text: string): () => string {
  return () => `\n${wrapParagraphs(text.trim())}`;
}

function wrapParagraphs(text: string): string {
  const paragraphs = text.split(/\n{2,}/u).map((paragraph) => {
    const parts = paragraph.split(/\n(?=\s)|(?<=\n\s.*)\n/u);
    return parts.map((part) => (/^\s/u.test(part) ? part : wrapText(part, getHelpColumns()).join('\n'))).join('\n');
  });
  return paragraphs.join('\n\n');
}
