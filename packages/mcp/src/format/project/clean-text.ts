/** Formats the result of clean for the terminal. */

import path from 'node:path';
import type { Cleaned } from '../../fix/snapshots/leftovers.ts';
import { visible } from '../../text/untrusted.ts';

const KINDS = {
  snapshots: 'snapshot in the repository',
  copies: 'folder of copies',
  logs: 'log',
  temporary: 'temporary folder',
} as const;

export function formatCleaned(cleaned: Cleaned, dryRun: boolean, root: string): string {
  const kinds = ['snapshots', 'copies', 'logs', 'temporary'] as const;
  const rows = kinds.flatMap((kind) => cleaned[kind].map((name) => `  ${KINDS[kind]}: ${visible(shown(name, root))}`));
  const [verb, nothing] = dryRun ? ['Would remove', 'Nothing would be removed'] : ['Removed', 'Nothing to remove'];
  const head = rows.length === 0 ? [`${nothing}.`] : [`${verb} ${rows.length}:`, ...rows];
  const busy = cleaned.busy.map((loop) => `Left alone, for somebody works on it: fix loop ${loop}`);
  return [...head, ...busy, ...cleaned.problems.map(visible)].join('\n');
}

function shown(name: string, root: string): string {
  const relative = path.relative(root, name);
  return path.isAbsolute(name) && !relative.startsWith('..') ? relative : name;
}
