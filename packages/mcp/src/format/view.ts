/**
 * What view says at the terminal.
 * Does not: print.
 */

import type { Exported } from '../view/export.ts';
import { lines, paint } from './text.ts';

export function formatServed({ url, project, database }: { url: string; project: string; database: string | null }) {
  const nothing = 'Nothing is recorded there yet: the page takes a database file that is dropped on it.';
  return lines([
    `Viewer of ${project}: ${paint.bold(url)}`,
    database === null && nothing,
    'Keep the address to yourself: it holds the token. Ctrl-C ends the viewer.',
  ]);
}

export function formatExported({ file, bytes, databaseBytes, warnings }: Exported): string {
  const content =
    databaseBytes === null ? 'the page alone: nothing is recorded yet' : `a snapshot of ${size(databaseBytes)} in it`;
  return lines([`${file}: ${size(bytes)}, ${content}`, ...warnings]);
}

function size(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
