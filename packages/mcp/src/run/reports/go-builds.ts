/**
 * Packages whose build has failed: before Go 1.24 the events of `go test -json` know nothing of them. What the compiler
 * says comes on stderr, which tests do not write to.
 */

const FAILED = /^FAIL\t(\S+) \[(?:build|setup) failed\]$/u;
/** `# example.com/shop [example.com/shop.test]`, above what the compiler says of that package. */
const BUILD = /^# (\S+)(?: \[\S+\])?$/u;

/** Of one build. */
const MAX_CHARACTERS = 64 * 1024;

export class GoBuilds {
  /** The lines that say so, by package. */
  readonly #failed = new Map<string, string>();
  /** What the compiler said, by package. */
  readonly #said = new Map<string, string>();
  #package: string | undefined;
  #rest = '';

  get hasFailed(): boolean {
    return this.#failed.size > 0;
  }

  /** Takes stderr in pieces. */
  addError(piece: string): void {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#errorLine(line);
  }

  /** Whether a line of stdout says that a build has failed. */
  take(line: string): boolean {
    const [, name] = FAILED.exec(line) ?? [];
    if (name !== undefined) this.#failed.set(name, line);
    return name !== undefined;
  }

  /** What the events lack: each of these lines behind what the compiler said, if only of what the package imports. */
  report(hasEvents: boolean): string {
    const all = [...this.#said.values()].join('');
    const failed = [...this.#failed].map(([name, line]) => `${this.#said.get(name) ?? all}${line}\n`);
    // Without an event it would be no report: with this one Go 1.20 and later begin each package.
    const starts = [...this.#failed.keys()].map((name) => `${JSON.stringify({ Action: 'start', Package: name })}\n`);
    return [...failed, ...(hasEvents ? [] : starts)].join('');
  }

  #errorLine(line: string): void {
    const [, name] = BUILD.exec(line) ?? [];
    this.#package = name ?? this.#package;
    if (name !== undefined || this.#package === undefined || line.startsWith('go: ')) return;
    const said = this.#said.get(this.#package) ?? '';
    if (said.length < MAX_CHARACTERS) this.#said.set(this.#package, `${said}${line}\n`);
  }
}
