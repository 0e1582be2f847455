/**
 * An inputs file: what a command will ask and what to answer; and what comes of it for one attempt.
 */

/** Where a value came from when nobody may guess it. */
export const USER_REQUIRED = 'user_required';

/** The version of the form that is written. */
export const INPUTS_VERSION = 1;

/** One question and its answer, as it stands in the file. */
export interface Input {
  /** The variable it goes into, or a name made of the prompt. */
  name: string;
  prompt: string;
  value?: string | undefined;
  /** The variable of the environment that holds the value; the way to give a credential. */
  value_from_env?: string | undefined;
  source: string;
  /** 0 to 1. */
  confidence: number;
  /** Nobody but the user knows it. */
  deferred?: boolean | undefined;
  /** False where the user says that a name only looks like a credential's. */
  credential?: boolean | undefined;
  /** False: the program reads single characters, so no Enter follows. */
  enter?: boolean | undefined;
  /** It is read from the terminal, not from standard input. */
  terminal?: boolean | undefined;
  /** It may not be asked at all, or more than once. */
  conditional?: boolean | undefined;
  note?: string | undefined;
}

export interface InputsFile {
  version: number;
  script: string;
  /** ISO 8601. */
  generated: string;
  inputs: Input[];
  /** A program for `expect` that runs the command and answers it. */
  expect_script?: string | undefined;
}

/** A question that is still without an answer. */
export interface DeferredInput {
  name: string;
  prompt: string;
  /** What to do about it. */
  advice: string;
  /** False: the command may go without asking it. */
  required: boolean;
}

interface Resolved {
  /** Relative to the project where it lies in it. */
  path: string;
  deferred: DeferredInput[];
  /** Values out of the environment: no log may show them. */
  secrets: string[];
  warnings: string[];
  /** The inputs came into being, or changed, by this call. */
  generated: boolean;
}

/** What to feed a command with. */
export type ResolvedInputs =
  | { kind: 'none'; path: null; deferred: []; secrets: []; warnings: string[]; generated: false }
  | (Resolved & {
      kind: 'pipe';
      /** One answer each; `stdin` is what they make together. */
      lines: string[];
      stdin: string;
    })
  | (Resolved & {
      kind: 'expect';
      /** Absolute path of the program. */
      expect: string;
      /** For the standard input of `expect -`; it runs the command itself and ends with its exit code. */
      script: string;
      /** The values, for the environment of `expect`. */
      env: Record<string, string>;
    });

export interface ResolveRequest {
  root: string;
  command: string;
  command_hash: string;
  /** `--inputs`. */
  inputs?: string | undefined;
  /** Generate what is missing. */
  auto: boolean;
  /** A prompt went unanswered: generate again, with what the command showed last. */
  again?: { prompts: readonly string[] } | undefined;
  /** ISO 8601. */
  now: string;
  env?: Readonly<Record<string, string | undefined>> | undefined;
  signal?: AbortSignal | undefined;
}

export interface GenerateRequest {
  root: string;
  /** A command line, or the path of a script in the project. */
  command: string;
  /** ISO 8601. */
  now: string;
  /** Prompts that were seen while it ran. */
  prompts?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

export interface Generated {
  file: InputsFile;
  /** Base name of the file without `-inputs.yaml`. */
  name: string;
  /** What runs it: of a script the interpreter and its path. */
  command: string;
  /** What the reader of the file should know. */
  notes: string[];
}
