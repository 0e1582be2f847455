/**
 * The only list of files that hold secrets according to their name, or that are a private key. They are not searched or
 * shown, and are not stored unless git already has them. `crates/core/src/redact` finds secrets in a text.
 */

import { readPart } from './read.ts';

const DATA = words('json yaml yml toml ini xml csv txt');

/** Names of a file, or of a file with its folder. `*` matches any characters, and the case does not matter. */
const NAMES = [
  ...words(
    '.env* *.env .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .htpasswd .s3cfg .boto auth.json',
  ),
  ...words('.dockercfg .docker/config.json .kube/config kubeconfig *.kubeconfig .vault-token .terraformrc'),
  ...words('*.tfstate *.tfstate.backup local.settings.json'),
  // Keys and key stores.
  ...words('*.pem *.key *.p8 *.p12 *.pfx *.ppk *.jks *.keystore *.kdbx key.properties keystore.properties'),
  ...words('id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk'),
  // Only data files, because `credentials.ts` is code.
  ...words('credentials secrets').flatMap((name) => [name, `.${name}`, ...DATA.map((ending) => `${name}.${ending}`)]),
  ...words('*_credentials.json client_secret*.json service-account*.json service_account*.json *-adminsdk-*.json'),
];

/** Every file in these folders counts. */
const FOLDERS = words('.ssh .gnupg .aws .password-store');

/** Example files are allowed because they show which names a real file needs. */
const EXAMPLE = /(?:^|\/)(?:\.env[^/]*\.(?:example|sample|template|dist)|(?:example|sample|template)\.env)$/iu;

const PATTERN = new RegExp(
  `(?:^|/)(?:(?:${FOLDERS.map(asExpression).join('|')})/.+|(?:${NAMES.map(asExpression).join('|')}))$`,
  'iu',
);

/** `file` uses `/` as separator. */
export function isSecretFile(file: string): boolean {
  return PATTERN.test(file) && !EXAMPLE.test(file);
}

/** Recognizes a private key by its first line, whatever its name is. */
export function isKeyFile(file: string | Buffer, bytes: number): boolean {
  return bytes <= MAX_KEY_BYTES && KEY.test(beginningOf(file));
}

const KEY = /^\s*(?:-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-)/u;
const MAX_KEY_BYTES = 64 * 1024;

function beginningOf(file: string | Buffer): string {
  try {
    return readPart(file, { maxBytes: 256, links: 'refused' }, 'beginning').toString('latin1');
  } catch {
    return '';
  }
}

function asExpression(name: string): string {
  return name.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
}

function words(text: string): string[] {
  return text.split(' ');
}
