/**
 * Decides which files contain secrets, by their name or because they are a private key. These files are not searched or
 * shown, and are not stored unless git already has them. `crates/core/src/redact` finds secrets in a text.
 */

import { readPart } from './read.ts';

const DATA_ENDINGS = splitWords('json yaml yml toml ini xml csv txt');

/**
 * Names of a file, or of a file with its folder. `*` matches any characters, and the case of letters does not matter.
 */
const SECRET_NAMES = [
  ...splitWords(
    '.env* *.env .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .htpasswd .s3cfg .boto auth.json',
  ),
  ...splitWords('.dockercfg .docker/config.json .kube/config kubeconfig *.kubeconfig .vault-token .terraformrc'),
  ...splitWords('*.tfstate *.tfstate.backup local.settings.json'),
  // Keys and key stores.
  ...splitWords('*.pem *.key *.p8 *.p12 *.pfx *.ppk *.jks *.keystore *.kdbx key.properties keystore.properties'),
  ...splitWords('id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk'),
  // Only data files, because a file such as `credentials.ts` is code.
  ...splitWords('credentials secrets').flatMap((name) => [
    name,
    `.${name}`,
    ...DATA_ENDINGS.map((ending) => `${name}.${ending}`),
  ]),
  ...splitWords('*_credentials.json client_secret*.json service-account*.json service_account*.json *-adminsdk-*.json'),
];

/** Folders in which every file counts as secret. */
const SECRET_FOLDERS = splitWords('.ssh .gnupg .aws .password-store');

/** Example files are allowed, because they only show which names a real file needs. */
const EXAMPLE_FILE = /(?:^|\/)(?:\.env[^/]*\.(?:example|sample|template|dist)|(?:example|sample|template)\.env)$/iu;

const SECRET_FILE = new RegExp(
  `(?:^|/)(?:(?:${SECRET_FOLDERS.map(toRegExpSource).join('|')})/.+|(?:${SECRET_NAMES.map(toRegExpSource).join('|')}))$`,
  'iu',
);

/** `file` has `/` as separator. */
export function isSecretFile(file: string): boolean {
  return SECRET_FILE.test(file) && !EXAMPLE_FILE.test(file);
}

/** Recognizes a private key by its first line, whatever the name of the file is. */
export function isPrivateKeyFile(file: string | Buffer, bytes: number): boolean {
  return bytes <= MAX_KEY_BYTES && PRIVATE_KEY_START.test(readBeginning(file));
}

const PRIVATE_KEY_START = /^\s*(?:-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-)/u;
const MAX_KEY_BYTES = 64 * 1024;

function readBeginning(file: string | Buffer): string {
  try {
    return readPart(file, { maxBytes: 256, links: 'refused' }, 'beginning').toString('latin1');
  } catch {
    return '';
  }
}

function toRegExpSource(name: string): string {
  return name.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
}

function splitWords(text: string): string[] {
  return text.split(' ');
}
