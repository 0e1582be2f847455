/**
 * What is known of an environment, and small readers that every ecosystem needs. Texts arrive by name; reading files:
 * project-environment.ts.
 */

/** The fields of a bucket; names as the engine knows them, versions as majors. */
export interface Facts {
  os_family?: string;
  language?: string;
  language_major?: string;
  framework?: string;
  framework_major?: string;
  runtime?: string;
  cuda_major?: string;
}

/** Texts of a project's files, by their names; a missing file has none. */
export type Texts = Readonly<Record<string, string | undefined>>;

/** What one ecosystem's files say. */
export interface Finding {
  facts: Facts;
  /** False for what may only be tooling, such as a package.json with nothing but a formatter. */
  sure: boolean;
}

/** `^18.2.0`, `v18`, `>= 18, < 20` are 18; `*`, `latest` and addresses say nothing. */
export function major(version: string | undefined): string | undefined {
  return /^[\s^~>=<v!"'[(]*(\d{1,4})(?![\w:/])/u.exec(version ?? '')?.[1];
}

/** A name and its major, where both are known. */
export function named(name: string, version: string | undefined): string {
  const number = major(version);
  return number === undefined ? name : `${name}-${number}`;
}

/** Facts without the fields that nothing is known of. */
export function known(facts: { [field in keyof Facts]?: string | undefined }): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** A value inside plain data, or undefined where the path ends early. */
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

/** What a parser makes of a file that may be missing, unfinished or another tool's. */
export function parsed(parse: (text: string) => unknown, source: string | undefined): unknown {
  if (source === undefined) return undefined;
  try {
    return parse(source);
  } catch {
    return undefined;
  }
}

/** For names that go into a regular expression. */
export function escaped(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
}
