/**
 * The environment of a loop: the project, its configuration and memories, and the rules with the patterns of the
 * project.
 */

import { createFixLoop, type FixLoop } from 'argus-engine';
import type { Config } from '../config/schema.ts';
import type { Backpressure } from '../run/execute.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import { removeInvisibleCharacters } from '../text/untrusted-text.ts';

export interface LoopContext {
  session: Session;
  sessionManager: SessionManager;
  rules: FixLoop;
}

/** Callbacks for a caller that follows the progress of a loop. */
export interface LoopWatcher {
  signal?: AbortSignal | undefined;
  /** Receives the output of a command while it runs. */
  onOutput?: ((text: string) => Backpressure) | undefined;
  /** Receives a line about the current step, for people. */
  onNote?: ((line: string) => void) | undefined;
}

export function createLoopContext(session: Session, sessionManager: SessionManager): LoopContext {
  const { classify, redact } = session.config;
  const rules = createFixLoop({ rules: classify?.rules ?? [], secrets: redact?.patterns ?? [] });
  return { session, sessionManager, rules };
}

/** Returns the configuration with the namespace of the loop. */
export function withNamespace({ session }: LoopContext, namespace: string | null): Config {
  return namespace === null ? session.config : { ...session.config, kubernetes: { namespace } };
}

/** Removes secrets and invisible characters from a text that someone else wrote. */
export function cleanUntrustedText({ rules }: LoopContext, text: string): string {
  return rules.redact(removeInvisibleCharacters(text)).trim();
}
