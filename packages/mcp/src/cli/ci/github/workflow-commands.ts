/**
 * Commands to GitHub's runner, which it reads from the output of a step: annotations, and a guard so that text of
 * others cannot act as a command.
 */

import { randomUUID } from 'node:crypto';

/** Maximum for each level in a step. The runner silently drops more. */
export const MAX_ANNOTATIONS = 10;

export interface Annotation {
  level: 'error' | 'warning';
  title: string;
  message: string;
  /** Path from the root of the repository. */
  file?: string;
  line?: number;
}

/** Returns the first annotations of each level. */
export function annotationLines(annotations: readonly Annotation[]): string[] {
  const first = (level: Annotation['level']) =>
    annotations.filter((one) => one.level === level).slice(0, MAX_ANNOTATIONS);
  return [...first('error'), ...first('warning')].map(commandOf);
}

function commandOf({ level, title, message, file, line }: Annotation): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    ...(file === undefined || line === undefined ? [] : [`line=${line}`]),
    `title=${property(title)}`,
  ];
  return `::${level} ${properties.join(',')}::${data(message)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Returns two lines. The runner ignores commands between them. */
export function commandsOff(): { begin: string; end: string } {
  const token = randomUUID();
  return { begin: `::stop-commands::${token}\n`, end: `::${token}::\n` };
}
