/**
 * Collects packages whose build failed. Before Go 1.24, `go test -json` has no events for them. The errors of the
 * compiler are on stderr, which tests do not use.
 */

const FAILED = /^FAIL\t(\S+) \[(?:build|setup) failed\]$/u;
/** Matches `# example.com/shop [example.com/shop.test]`, the line above the errors of a package. */
const BUILD = /^# (\S+)(?: \[\S+\])?$/u;

/** Maximum size of the errors of a build. */
const MAX_CHARACTERS = 64 * 1024;

export class GoBuilds {
  /** The `FAIL` lines by package. */
  readonly #failed = new Map<string, string>();
  /** The errors of the compiler by package. */
  readonly #said = new Map<string, string>();
  #package: string | undefined;
  #rest = '';

  get hasFailed(): boolean {
    return this.#failed.size > 0;
  }

  /** Accepts stderr in chunks. */
  addError(piece: string): void {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#errorLine(line);
  }

  /** Returns true if a line of stdout reports a failed build. */
  take(line: string): boolean {
    const [, name] = FAILED.exec(line) ?? [];
    if (name !== undefined) this.#failed.set(name, line);
    return name !== undefined;
  }

  /**
   * The lines that the events lack: for each package, the errors of the compiler and then the `FAIL` line. The errors
   * may belong to an imported package.
   */
  report(hasEvents: boolean): string {
    const all = [...this.#said.values()].join('');
    const failed = [...this.#failed].map(([name, line]) => `${this.#said.get(name) ?? all}${line}\n`);
    // A report needs at least a single event. Go 1.20 and later start each package with this event.
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
