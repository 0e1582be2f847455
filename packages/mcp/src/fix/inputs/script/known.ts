/**
 * Programs that are known to ask, and what: an ordered table. Programs whose questions depend on more than their
 * command line are not in it.
 */

import { type Prompt, prompt } from './prompts.ts';
import { UNKNOWN } from './shell-words.ts';

export interface KnownPrompts {
  prompts: Prompt[];
  notes: string[];
}

interface Known {
  /** How it is shown. */
  name: string;
  /** The words it begins with; each may be a choice of several. */
  words: readonly string[];
  /** Options with which it does not ask. */
  silentWith?: RegExp;
  /** Options without which it does not ask. */
  asksWith?: RegExp;
  asks?: readonly Question[];
  note?: string;
}

type Question = [text: string, variable: string, rest?: Partial<Prompt>];

const YES = { value: 'y', confidence: 0.8 };
const NO = { value: 'n', confidence: 0.9 };
/** What the program itself proposes. */
const PROPOSED = { value: '', confidence: 0.8 };
/** Read from the terminal, so that a pipe cannot answer. */
const TERMINAL = { terminal: true };
const SECRET = { terminal: true, silent: true };
const MAYBE = { conditional: true };

const EDITOR = 'opens an editor; give the text with -m, or set GIT_EDITOR=true';
const ALL_YES = /^(?:-y|--yes|--assume-yes|-\w*y\w*)$/u;

const KNOWN: readonly Known[] = [
  {
    name: 'npm init',
    words: ['npm|yarn', 'init'],
    silentWith: /^(?:-y|--yes|-\w*y\w*|-f|--force|-w|--workspace|[@\w].*)$/u,
    asks: [
      ['package name:', 'name', { answer: PROPOSED }],
      ['version:', 'version', { answer: PROPOSED }],
      ['description:', 'description', { answer: PROPOSED }],
      ['entry point:', 'main', { answer: PROPOSED, ...MAYBE }],
      ['test command:', 'test', { answer: PROPOSED, ...MAYBE }],
      ['git repository:', 'repository', { answer: PROPOSED, ...MAYBE }],
      ['repository url:', 'repository_url', { answer: PROPOSED, ...MAYBE }],
      ['keywords:', 'keywords', { answer: PROPOSED }],
      ['author:', 'author', {}],
      ['license:', 'license', { answer: PROPOSED }],
      ['private:', 'private', { answer: PROPOSED, ...MAYBE }],
      ['type:', 'type', { answer: PROPOSED, ...MAYBE }],
      ['Is this OK? (yes)', 'ok', { answer: { value: 'yes', confidence: 0.9 }, ...MAYBE }],
    ],
  },
  {
    name: 'npm create',
    words: ['npm', 'create|init|exec'],
    silentWith: ALL_YES,
    // The generator.
    asksWith: /^[@\w]/u,
    asks: [['Ok to proceed? (y)', 'proceed', { answer: YES, ...MAYBE, ...TERMINAL }]],
    note: 'the generator asks questions of its own that are not known here; most take --yes or -- --template NAME',
  },
  {
    name: 'npx',
    words: ['npx'],
    silentWith: ALL_YES,
    asks: [['Ok to proceed? (y)', 'proceed', { answer: YES, ...MAYBE, ...TERMINAL }]],
  },
  {
    name: 'npm login',
    words: ['npm', 'login|adduser|add-user'],
    asks: [
      ['Username:', 'username', { answer: { deferred: 'the account is yours' }, ...TERMINAL }],
      ['Password:', 'password', SECRET],
      ['Email:', 'email', MAYBE],
      ['one-time password', 'otp', { ...SECRET, ...MAYBE }],
    ],
  },
  {
    name: 'git commit',
    words: ['git', 'commit'],
    silentWith: /^(?:-\w*[mFC]|--message|--file|--no-edit|--message=.*|--file=.*|--fixup=.*|-m.*)$/u,
    note: EDITOR,
  },
  { name: 'git rebase', words: ['git', 'rebase'], asksWith: /^(?:-i|--interactive)$/u, note: EDITOR },
  {
    name: 'git add',
    words: ['git', 'add|stash|checkout|restore|reset'],
    asksWith: /^(?:-p|--patch|-i|--interactive)$/u,
    note: 'asks about every change; name the files instead',
  },
  {
    name: 'git clean',
    words: ['git', 'clean'],
    asksWith: /^-\w*i\w*$|^--interactive$/u,
    asks: [['What now>', 'clean', { answer: { value: 'q', confidence: 0.9 } }]],
  },
  {
    name: 'ssh-keygen',
    words: ['ssh-keygen'],
    silentWith: /^-(?:[lBeiyRFHr]|N|A)$/u,
    asks: [
      ['Enter file in which to save the key', 'key_file', { answer: PROPOSED, ...MAYBE, ...TERMINAL }],
      ['Overwrite (y/n)?', 'overwrite', { answer: NO, ...MAYBE, ...TERMINAL }],
      ['Enter passphrase', 'passphrase', SECRET],
      ['Enter same passphrase again:', 'passphrase_again', SECRET],
    ],
  },
  {
    name: 'ssh',
    words: ['ssh|scp|sftp|ssh-copy-id'],
    silentWith: /^BatchMode=yes$|StrictHostKeyChecking=(?:no|accept-new)/u,
    asks: [
      [
        'Are you sure you want to continue connecting',
        'continue_connecting',
        { answer: { value: 'no', confidence: 0.9 }, ...MAYBE, ...TERMINAL },
      ],
    ],
  },
  {
    name: 'apt install',
    words: ['apt|apt-get|aptitude', 'install|upgrade|dist-upgrade|full-upgrade|build-dep'],
    silentWith: /^(?:-\w*y\w*|--yes|--assume-yes|-qq)$/u,
    asks: [['Do you want to continue? [Y/n]', 'continue', { answer: YES, ...MAYBE }]],
  },
  {
    name: 'apt remove',
    words: ['apt|apt-get|aptitude', 'remove|purge|autoremove|autopurge'],
    silentWith: /^(?:-\w*y\w*|--yes|--assume-yes|-qq)$/u,
    asks: [['Do you want to continue? [Y/n]', 'continue_removal', { answer: NO, ...MAYBE }]],
  },
  {
    name: 'dnf install',
    words: ['dnf|yum|microdnf|zypper', 'install|upgrade|update|in|up'],
    silentWith: /^(?:-\w*y\w*|--assumeyes|-n|--non-interactive)$/u,
    asks: [['[y/N]', 'continue', { answer: YES, ...MAYBE }]],
  },
  {
    name: 'dnf remove',
    words: ['dnf|yum|microdnf|zypper', 'remove|erase|autoremove|rm'],
    silentWith: /^(?:-\w*y\w*|--assumeyes|-n|--non-interactive)$/u,
    asks: [['[y/N]', 'continue_removal', { answer: NO, ...MAYBE }]],
  },
  {
    name: 'pacman -S',
    words: ['pacman|yay', '-S\\w*'],
    silentWith: /^--noconfirm$/u,
    asks: [['Proceed with installation? [Y/n]', 'proceed', { answer: YES, ...MAYBE }]],
  },
  {
    name: 'pacman -R',
    words: ['pacman|yay', '-R\\w*'],
    silentWith: /^--noconfirm$/u,
    asks: [['Do you want to remove these packages? [Y/n]', 'proceed_removal', { answer: NO, ...MAYBE }]],
  },
  {
    name: 'pip uninstall',
    words: ['pip3?|pip3\\.\\d+', 'uninstall'],
    silentWith: ALL_YES,
    asks: [['Proceed (Y/n)?', 'proceed', { answer: NO, ...MAYBE }]],
  },
  {
    name: 'conda',
    words: ['conda|mamba', 'create|install|update|upgrade'],
    silentWith: ALL_YES,
    asks: [['Proceed ([y]/n)?', 'proceed', { answer: YES, ...MAYBE }]],
  },
  {
    name: 'conda remove',
    words: ['conda|mamba', 'remove|uninstall|clean'],
    silentWith: ALL_YES,
    asks: [['Proceed ([y]/n)?', 'proceed_removal', { answer: NO, ...MAYBE }]],
  },
  {
    name: 'terraform apply',
    words: ['terraform|tofu', 'apply'],
    silentWith: /^--?auto-approve(?:=true)?$|\.(?:tfplan|plan|out)$/u,
    asks: [
      [
        'Enter a value:',
        'approve',
        { answer: { deferred: 'it changes real infrastructure; answer it yourself, or run with -auto-approve' } },
      ],
    ],
  },
  {
    name: 'terraform destroy',
    words: ['terraform|tofu', 'destroy'],
    silentWith: /^--?auto-approve(?:=true)?$/u,
    asks: [['Enter a value:', 'approve_destroy', { answer: { value: 'no', confidence: 0.9 } }]],
  },
  {
    name: 'docker login',
    words: ['docker|podman', 'login'],
    silentWith: /^--password-stdin$|^(?:-p|--password)(?:=.*)?$/u,
    asks: [
      ['Username:', 'username', { answer: { deferred: 'the account is yours' }, ...TERMINAL, ...MAYBE }],
      ['Password:', 'password', SECRET],
    ],
  },
  {
    name: 'docker prune',
    words: ['docker|podman', 'system|volume|container|image|network|builder', 'prune'],
    silentWith: /^(?:-\w*f\w*|--force)$/u,
    asks: [['Are you sure you want to continue? [y/N]', 'prune', { answer: NO }]],
  },
  {
    name: 'aws configure',
    words: ['aws', 'configure'],
    silentWith: /^(?:list|get|set|import|sso|export-credentials|list-profiles)$/u,
    asks: [
      ['AWS Access Key ID', 'aws_access_key_id', { answer: { deferred: 'a credential' } }],
      ['AWS Secret Access Key', 'aws_secret_access_key', { answer: { deferred: 'a credential' } }],
      ['Default region name', 'region', { answer: PROPOSED }],
      ['Default output format', 'output', { answer: PROPOSED }],
    ],
  },
  {
    name: 'gh auth login',
    words: ['gh', 'auth', 'login'],
    silentWith: /^--with-token$/u,
    note: 'needs a browser or a token; give it with --with-token',
  },
  { name: 'cargo login', words: ['cargo', 'login'], asks: [['please paste the token', 'token', { silent: true }]] },
  {
    name: 'createsuperuser',
    words: ['python[\\d.]*|.*python[\\d.]*', '.*manage\\.py', 'createsuperuser'],
    silentWith: /^--no-?input$/u,
    asks: [
      ['Username', 'username', {}],
      ['Email address:', 'email', {}],
      ['Password:', 'password', SECRET],
      ['Password (again):', 'password_again', SECRET],
    ],
  },
  {
    name: 'manage.py flush',
    words: ['python[\\d.]*|.*python[\\d.]*', '.*manage\\.py', 'flush|reset_db|collectstatic'],
    silentWith: /^--no-?input$/u,
    asks: [
      [
        "Type 'yes' to continue, or 'no' to cancel:",
        'continue',
        { answer: { value: 'no', confidence: 0.9 }, ...MAYBE },
      ],
    ],
  },
  {
    name: 'prisma migrate reset',
    words: ['prisma', 'migrate', 'reset'],
    silentWith: /^(?:-f|--force)$/u,
    asks: [['Are you sure you want to reset your database?', 'reset', { answer: NO, ...TERMINAL }]],
  },
  {
    name: 'poetry init',
    words: ['poetry', 'init'],
    silentWith: /^(?:-n|--no-interaction)$/u,
    asks: [
      ['Package name', 'name', { answer: PROPOSED }],
      ['Version', 'version', { answer: PROPOSED }],
      ['Description', 'description', { answer: PROPOSED }],
      ['Author', 'author', { answer: PROPOSED }],
      ['License', 'license', { answer: PROPOSED }],
      ['Compatible Python versions', 'python', { answer: PROPOSED }],
      ['define your main dependencies interactively?', 'dependencies', { answer: { value: 'no', confidence: 0.8 } }],
      [
        'define your development dependencies interactively?',
        'dev_dependencies',
        { answer: { value: 'no', confidence: 0.8 } },
      ],
      ['Do you confirm generation?', 'confirm', { answer: { value: 'yes', confidence: 0.9 } }],
    ].map(([text, variable, rest]): Question => [String(text), String(variable), { ...Object(rest), ...TERMINAL }]),
  },
  {
    name: 'openssl req',
    words: ['openssl', 'req'],
    asksWith: /^-(?:new|x509|newkey)$/u,
    silentWith: /^-(?:subj|batch)$/u,
    asks: [
      ['Enter PEM pass phrase:', 'pass_phrase', { ...SECRET, ...MAYBE }],
      ['Verifying - Enter PEM pass phrase:', 'pass_phrase_again', { ...SECRET, ...MAYBE }],
      ['Country Name', 'country', { answer: PROPOSED }],
      ['State or Province Name', 'state', { answer: PROPOSED }],
      ['Locality Name', 'locality', { answer: PROPOSED }],
      ['Organization Name', 'organization', { answer: PROPOSED }],
      ['Organizational Unit Name', 'organizational_unit', { answer: PROPOSED }],
      ['Common Name', 'common_name', { answer: { value: 'localhost', confidence: 0.6 } }],
      ['Email Address', 'email', {}],
      ['A challenge password', 'challenge_password', { answer: PROPOSED, ...MAYBE }],
      ['An optional company name', 'company', { answer: PROPOSED, ...MAYBE }],
    ],
  },
  {
    name: 'rm -i',
    words: ['rm|cp|mv'],
    asksWith: /^(?:-\w*i\w*|--interactive(?:=.*)?)$/u,
    asks: [['?', 'overwrite', { answer: NO, ...MAYBE }]],
  },
  { name: 'passwd', words: ['passwd|chpasswd'], asks: [['password:', 'password', SECRET]] },
  {
    name: 'mysql',
    words: ['mysql|mysqldump|mysqladmin'],
    asksWith: /^(?:-p|--password)$/u,
    asks: [['Enter password:', 'password', SECRET]],
  },
  {
    name: 'psql',
    words: ['psql|pg_dump|pg_restore|createdb|createuser'],
    asksWith: /^(?:-W|--password|-P|--pwprompt)$/u,
    asks: [['Password', 'password', SECRET]],
  },
  {
    name: 'a menu of the terminal',
    words: ['whiptail|dialog|gum|fzf|zenity|vim?|nano|emacs|less|more|top|htop'],
    note: 'draws on the whole terminal; no list of answers can serve it',
  },
];

/** What a command asks by itself; empty for all others. */
export function knownPrompts(words: readonly string[], source: () => string): KnownPrompts {
  const known = KNOWN.find((one) => fits(one, words) && asks(one, words.slice(one.words.length)));
  if (known === undefined) return { prompts: [], notes: [] };
  const from = `${known.name} (${source()})`;
  // What a program adds behind its question differs: `package name: (shop)`.
  const prompts = (known.asks ?? []).map(([text, variable, rest]) => {
    return prompt(`${text} ${UNKNOWN}`, from, { variable, ...rest });
  });
  return { prompts, notes: known.note === undefined ? [] : [`${known.name} ${known.note}.`] };
}

function asks({ silentWith, asksWith }: Known, options: readonly string[]): boolean {
  if (options.some((word) => silentWith?.test(word))) return false;
  return asksWith === undefined || options.some((word) => asksWith.test(word));
}

/** Made once, when the first command is looked at. */
let matchers: Map<Known, RegExp[]> | undefined;

function fits(known: Known, words: readonly string[]): boolean {
  matchers ??= new Map(KNOWN.map((one) => [one, one.words.map((pattern) => new RegExp(`^(?:${pattern})$`, 'u'))]));
  return matchers.get(known)?.every((pattern, index) => pattern.test(words[index] ?? '')) ?? false;
}
