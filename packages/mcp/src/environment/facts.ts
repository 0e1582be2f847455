/**
 * The facts of an environment, and small parsers for all ecosystems. They get the texts of files by file name.
 * `project-environment.ts` reads the files.
 */

/** The fields of an environment bucket, with the names that the engine uses. Versions are major versions. */
export interface EnvironmentFacts {
  os_family?: string;
  language?: string;
  language_major?: string;
  framework?: string;
  framework_major?: string;
  runtime?: string;
  cuda_major?: string;
}

/** The texts of a project's files by name. A missing file is undefined. */
export type FileTexts = Readonly<Record<string, string | undefined>>;

/** The facts from the files of an ecosystem. */
export interface EcosystemFinding {
  facts: EnvironmentFacts;
  /**
   * False if the project may use the files only for a tool. An example is a package.json that lists only a formatter.
   */
  isCertain: boolean;
}

/** Returns the major version: 18 for `^18.2.0`, `v18` and `>= 18, < 20`; undefined for `*`, `latest` and URLs. */
export function parseMajor(version: string | undefined): string | undefined {
  return /^[\s^~>=<v!"'[(]*(\d{1,4})(?![\w:/])/u.exec(version ?? '')?.[1];
}

/** Returns a name with its major version, such as `node-22`, or only the name if the version is not known. */
export function joinNameAndMajor(name: string, version: string | undefined): string {
  const number = parseMajor(version);
  return number === undefined ? name : `${name}-${number}`;
}

/** Removes fields without a value. */
export function removeUndefined(facts: { [field in keyof EnvironmentFacts]?: string | undefined }): EnvironmentFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** Returns a value inside plain data, or undefined if the path does not exist. */
export function getNested(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Object.getOwnPropertyDescriptor(inner, key)?.value : undefined,
    value,
  );
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Parses a file. Returns undefined if the file is missing or invalid, for example because someone is editing it. */
export function tryParse(parse: (text: string) => unknown, source: string | undefined): unknown {
  if (source === undefined) return undefined;
  try {
    return parse(source);
  } catch {
    return undefined;
  }
}

/** Escapes a name for a regular expression. */
export function escapeRegExp(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
}
