/**
 * The facts of an environment, and small parsers for all ecosystems. Texts arrive by file name.
 * `project-environment.ts` reads the files.
 */

/** The fields of an environment bucket, with the engine's names and major versions. */
export interface Facts {
  os_family?: string;
  language?: string;
  language_major?: string;
  framework?: string;
  framework_major?: string;
  runtime?: string;
  cuda_major?: string;
}

/** The texts of a project's files by name. A missing file is undefined. */
export type Texts = Readonly<Record<string, string | undefined>>;

/** The facts from the files of one ecosystem. */
export interface Finding {
  facts: Facts;
  /** False for files that may belong to tools only, such as a package.json that contains only a formatter. */
  sure: boolean;
}

/** The major version: `^18.2.0`, `v18` and `>= 18, < 20` give 18. `*`, `latest` and addresses give undefined. */
export function major(version: string | undefined): string | undefined {
  return /^[\s^~>=<v!"'[(]*(\d{1,4})(?![\w:/])/u.exec(version ?? '')?.[1];
}

/** A name with its major version, for example `node-22`, or the name alone. */
export function named(name: string, version: string | undefined): string {
  const number = major(version);
  return number === undefined ? name : `${name}-${number}`;
}

/** Removes fields without a value. */
export function known(facts: { [field in keyof Facts]?: string | undefined }): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** A value inside plain data. Undefined if the path does not exist. */
export function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Object.getOwnPropertyDescriptor(inner, key)?.value : undefined,
    value,
  );
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The parsed file. Undefined if it is missing or invalid, for example unfinished. */
export function parsed(parse: (text: string) => unknown, source: string | undefined): unknown {
  if (source === undefined) return undefined;
  try {
    return parse(source);
  } catch {
    return undefined;
  }
}

/** Escapes a name for a regular expression. */
export function escaped(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
}
