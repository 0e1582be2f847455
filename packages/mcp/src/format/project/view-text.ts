/** Formats the messages of view for the terminal. */

import type { Exported } from '../../view/export.ts';
import type { About } from '../../view/viewed-memory.ts';
import { lines, paint } from '../terminal.ts';

interface Served extends Pick<About, 'project' | 'database' | 'history'> {
  url: string;
}

export function formatServed({ url, project, database, history }: Served) {
  const nothing = history
    ? 'Nothing is recorded there yet: the page shows the first run once it is, or a database file dropped on it.'
    : 'Its history is switched off (history.enabled in argus.yaml): the page takes a database file dropped on it.';
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
