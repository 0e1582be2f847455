/**
 * Finds the most likely cause of an error as a clause: the strongest evidence from the questions, otherwise the meaning
 * of the message, otherwise the message.
 */

import type { ContextScope } from './context-model.ts';

/** Messages with a known meaning, tried in order. `$1` and `$2` are names from the message. */
const MESSAGE_MEANINGS: readonly { pattern: RegExp; text: string }[] = [
  {
    pattern: /Cannot read propert(?:y|ies) of (undefined|null) \(reading ['"]([^'"]+)['"]\)/u,
    text: "the value whose '$2' is read is $1",
  },
  { pattern: /Cannot read property ['"]([^'"]+)['"] of (undefined|null)/u, text: "the value whose '$1' is read is $2" },
  { pattern: /([\w.$]+) is not a function/u, text: '$1 is called but is not a function' },
  { pattern: /([\w$]+) is not defined/u, text: '$1 is used where it is not defined or imported' },
  { pattern: /'NoneType' object has no attribute '(\w+)'/u, text: "the object whose '$1' is read is None" },
  { pattern: /KeyError: '?([\w.-]+)/u, text: 'the key $1 is missing from a dictionary' },
  { pattern: /No module named '?([\w.]+)/u, text: 'the module $1 is not installed' },
  { pattern: /Cannot find (?:module|package) '([^']+)'/u, text: 'the module $1 cannot be found' },
  { pattern: /NullPointerException|nil pointer dereference/u, text: 'a reference that is null is used' },
  { pattern: /ECONNREFUSED(?: ([\w.:[\]-]+))?/u, text: 'nothing listens at $1' },
  { pattern: /connection refused/iu, text: 'nothing listens where it connects to' },
  { pattern: /EADDRINUSE.*?:(\d+)/u, text: 'another process already listens on port $1' },
  { pattern: /ENOENT.*?'([^']+)'/u, text: 'the file $1 does not exist' },
  { pattern: /EACCES|permission denied/iu, text: 'the process has no permission for a file that it needs' },
  { pattern: /heap out of memory|OutOfMemoryError/u, text: 'the process needs more memory than its limit' },
];

/** Returns the most likely cause as a clause that can follow "when". */
export function formulateHypothesis({ request, evidence }: ContextScope): string {
  const { headline, error_type } = request.error;
  const [strongest] = [...evidence].sort((a, b) => b.weight - a.weight);
  // Observations of programs explain more than the meaning of the message.
  const meaning = findMeaning(headline) ?? findMeaning(request.errorText);
  const cause = strongest?.text ?? meaning ?? (headline || error_type || 'a command fails without a message');
  return cause.replace(/\s+/gu, ' ').slice(0, 240);
}

function findMeaning(text: string): string | undefined {
  for (const { pattern, text: meaning } of MESSAGE_MEANINGS) {
    const match = pattern.exec(text);
    if (match) return meaning.replaceAll(/\$(\d)/gu, (_, group) => match[Number(group)] ?? 'its address');
  }
  return undefined;
}

/**
 * Reasons why a container was killed or does not start, as clauses that can follow "when". The strongest reason comes
 * first.
 */
const CONTAINER_EVIDENCE: readonly { pattern: RegExp; text: string }[] = [
  { pattern: /OOMKilled/u, text: 'a container is killed because it needs more memory than its limit' },
  { pattern: /ImagePullBackOff|ErrImagePull|InvalidImageName/u, text: 'the image of a container cannot be pulled' },
  {
    pattern: /unbound immediate PersistentVolumeClaims|persistentvolumeclaim/iu,
    text: 'a pod waits for a volume that is not bound',
  },
  { pattern: /Insufficient (?:cpu|memory)/iu, text: 'no node has enough resources for the pod' },
  { pattern: /FailedScheduling|not scheduled/u, text: 'no node fits the pod' },
  { pattern: /CreateContainerConfigError/u, text: 'a config map or secret of the pod does not exist' },
  { pattern: /CrashLoopBackOff/u, text: 'a container crashes each time it starts' },
];

export function addContainerEvidence(scope: ContextScope, containerState: string): void {
  const index = CONTAINER_EVIDENCE.findIndex(({ pattern }) => pattern.test(containerState));
  const strongest = CONTAINER_EVIDENCE[index];
  if (strongest) scope.evidence.push({ weight: 20 - index, text: strongest.text });
}
