// The baseline for the engine: plain JavaScript as a simple tool of this kind would use it. It need not be correct,
// because it only shows the cost of a simple approach.
import { createHash } from 'node:crypto';

const REPLACEMENTS = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<UUID>'],
  [/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?/g, '<TIMESTAMP>'],
  [/\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g, '<IP>'],
  [/:\d{2,5}\b/g, ':<PORT>'],
  [/\/[0-9a-f]{8,}/gi, '/<HASH>'],
  [/\b[45]\d{2}\b/g, (status) => `${status[0]}xx`],
  [/\/([a-z]+)\/\d+/gi, '/$1/<ID>'],
  [/\b\d{4,}\b/g, '<NUMBER>'],
];

/** Applies eight replacements in sequence. */
export function normalize(text) {
  let out = text;
  for (const [pattern, placeholder] of REPLACEMENTS) out = out.replace(pattern, placeholder);
  return out;
}

const RULES = [
  ['CONTAINER_OOM', ['oomkilled', 'out of memory', 'exit code 137', 'oom-kill']],
  ['CONTAINER_CRASH', ['crashloopbackoff', 'container exited', 'exited with code']],
  ['MOCK_MISMATCH', ['no match for request', 'mock not matched', 'unmatched request', 'wanted but not invoked']],
  ['CONNECTION_REFUSED', ['econnrefused', 'connection refused']],
  ['NETWORK_ERROR', ['enotfound', 'econnreset', 'socket hang up', 'network error', 'getaddrinfo']],
  ['TIMEOUT', ['timeout', 'timed out', 'etimedout']],
  ['HTTP_ERROR', ['status code', '500 internal', '502 bad gateway', '503 service', '404 not found']],
  ['CONFIG_ERROR', ['config', 'environment variable', 'invalid schema']],
  ['ASSERTION_MISMATCH', ['assertionerror', 'expected', 'to equal', 'assert']],
  ['UNKNOWN', ['error']],
];

/** Applies ten rules with case-insensitive substring checks. The first match wins. */
export function classify(text) {
  const lower = text.toLowerCase();
  for (const [category, words] of RULES) {
    if (words.some((word) => lower.includes(word))) return category;
  }
  return 'UNKNOWN';
}

/** Returns the hex SHA-256 of category, case and normalized text. */
export function sign(text, caseName) {
  return createHash('sha256')
    .update(`${classify(text)}::${caseName}::${normalize(text)}`)
    .digest('hex');
}
