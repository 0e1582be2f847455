/**
 * Collects the cases of a command from its reports and its output. The caller runs the command unchanged, so the
 * listener changes only the environment; `plan.ts` handles changes of the command.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ReportInput } from 'argus-engine';
import type { Config } from '../../config/schema.ts';
import { temporaryFolder } from '../../system/files/temporary.ts';
import { io } from '../../system/io.ts';
import type { ReportSource } from '../adapters/adapter.ts';
import { refusalIn, withoutAdditions } from '../planning/additions.ts';
import { listeningPlan } from '../planning/plan.ts';
import { PrintedReports } from './printed.ts';
import { globSources, isSince, runnerThatWrote, writtenReports } from './written-reports.ts';

/** The collected cases. The files exist until the listener is closed. */
export interface Heard {
  reports: ReportInput[];
  runner: string | null;
  /** Packages whose tests all passed, if their runner does not name the tests. */
  passedPackages: readonly string[];
  /** True if the reports name only failures. */
  omitsPassed: boolean;
}

export class Listener {
  /** The command to run. */
  readonly command: string;
  /** Additions to the environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly #root: string;
  readonly #folder = temporaryFolder('run');
  readonly #sources: readonly ReportSource[];
  readonly #printed: PrintedReports;
  readonly #isConfigured: boolean;

  constructor({ root, config, command }: { root: string; config: Config; command: string }) {
    const dir = this.#folder.path;
    const own = config.test?.report;
    const plan =
      own === undefined
        ? listeningPlan({ root, dir, env: io().env, command })
        : { command, reporting: { reports: globSources(own) } };
    const { reporting } = plan;
    this.command = plan.command;
    for (const [name, content] of Object.entries(reporting.files ?? {})) writeFileSync(path.join(dir, name), content);
    this.#root = root;
    this.#isConfigured = own !== undefined;
    this.#sources = reporting.reports;
    this.#printed = new PrintedReports(dir, root);
    this.env = reporting.env ?? {};
  }

  /**
   * Accepts the output of the command, with both streams combined. Returns the output as it would be without a
   * listener.
   */
  add(text: string): string {
    this.#printed.add(text, 'stdout');
    return withoutAdditions(text, { added: [], dir: this.#folder.path });
  }

  /** Call it once, after the command has ended. */
  async heard(startedAtMs: number): Promise<Heard> {
    const written = await writtenReports(this.#sources, this.#root, isSince(startedAtMs));
    const reports = written.length > 0 || this.#isConfigured ? written : this.#printed.end();
    return {
      reports,
      runner: runnerThatWrote(this.#sources, reports),
      passedPackages: this.#printed.passedPackages,
      omitsPassed: this.#printed.omitsPassed,
    };
  }

  /** The line in which a failed command without reports rejected the additions. */
  refusal(text: string): string | undefined {
    return refusalIn(text, { added: [], dir: this.#folder.path });
  }

  close(): void {
    this.#folder.remove();
  }
}
