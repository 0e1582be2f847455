/**
 * The environment of a loop: the project, its configuration and memories, and the rules with the project's own
 * patterns.
 */

import { createFixLoop, type FixLoop } from 'argus-engine';
import type { Config } from '../config/schema.ts';
import type { Held } from '../run/execute.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import { visible } from '../text/untrusted.ts';

export interface LoopContext {
  session: Session;
  sessionManager: SessionManager;
  rules: FixLoop;
}

/** Callbacks for a caller that follows the loop. */
export interface Watcher {
  signal?: AbortSignal | undefined;
  /** Receives the output of a command while it runs. */
  onOutput?: ((text: string) => Held) | undefined;
  /** Receives a line for people about the current step. */
  onNote?: ((line: string) => void) | undefined;
}

export function loopContextOf(session: Session, sessionManager: SessionManager): LoopContext {
  const { classify, redact } = session.config;
  const rules = createFixLoop({ rules: classify?.rules ?? [], secrets: redact?.patterns ?? [] });
  return { session, sessionManager, rules };
}

/** Returns the configuration with the caller's namespace. */
export function configFor({ session }: LoopContext, namespace: string | null): Config {
  return namespace === null ? session.config : { ...session.config, kubernetes: { namespace } };
}

/** Removes secrets and invisible characters from a text of another author. */
export function cleanText({ rules }: LoopContext, text: string): string {
  return rules.redact(visible(text)).trim();
}
