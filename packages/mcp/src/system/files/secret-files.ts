/**
 * Files that hold secrets by their name, or are a private key: they are neither searched, nor shown, nor kept where git
 * does not have them already. The only list of them. Secrets within a text: the redactor, crates/core/src/redact.
 */

import { readPart } from './read.ts';

const DATA = words('json yaml yml toml ini xml csv txt');

/** Names with `*` for any letters, of the file alone or of its folder too; letters of either case. */
const NAMES = [
  ...words(
    '.env* *.env .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .htpasswd .s3cfg .boto auth.json',
  ),
  ...words('.dockercfg .docker/config.json .kube/config kubeconfig *.kubeconfig .vault-token .terraformrc'),
  ...words('*.tfstate *.tfstate.backup local.settings.json'),
  // Keys and what keeps them.
  ...words('*.pem *.key *.p8 *.p12 *.pfx *.ppk *.jks *.keystore *.kdbx key.properties keystore.properties'),
  ...words('id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk'),
  // Of data only: `credentials.ts` is code about them.
  ...words('credentials secrets').flatMap((name) => [name, `.${name}`, ...DATA.map((ending) => `${name}.${ending}`)]),
  ...words('*_credentials.json client_secret*.json service-account*.json service_account*.json *-adminsdk-*.json'),
];

/** All in them. */
const FOLDERS = words('.ssh .gnupg .aws .password-store');

/** They show which names a real one needs. */
const EXAMPLE = /(?:^|\/)(?:\.env[^/]*\.(?:example|sample|template|dist)|(?:example|sample|template)\.env)$/iu;

const PATTERN = new RegExp(
  `(?:^|/)(?:(?:${FOLDERS.map(asExpression).join('|')})/.+|(?:${NAMES.map(asExpression).join('|')}))$`,
  'iu',
);

/** `file`: with `/`. */
export function isSecretFile(file: string): boolean {
  return PATTERN.test(file) && !EXAMPLE.test(file);
}

/** By how it begins, whatever it is called. */
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
