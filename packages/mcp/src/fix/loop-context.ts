/**
 * Where a loop works: the project, its configuration, its memories, and the rules with the project's own patterns.
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

/** Who follows what happens. */
export interface Watcher {
  signal?: AbortSignal | undefined;
  /** What a command prints, as it comes. */
  onOutput?: ((text: string) => Held) | undefined;
  /** One line for people about what happens now. */
  onNote?: ((line: string) => void) | undefined;
}

export function loopContextOf(session: Session, sessionManager: SessionManager): LoopContext {
  const { classify, redact } = session.config;
  const rules = createFixLoop({ rules: classify?.rules ?? [], secrets: redact?.patterns ?? [] });
  return { session, sessionManager, rules };
}

/** The configuration with the namespace that the caller named. */
export function configFor({ session }: LoopContext, namespace: string | null): Config {
  return namespace === null ? session.config : { ...session.config, kubernetes: { namespace } };
}

/** A text of somebody else as it may be kept and shown. */
export function cleanText({ rules }: LoopContext, text: string): string {
  return rules.redact(visible(text)).trim();
}
