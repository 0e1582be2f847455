/**
 * Which of the two languages built-in suggestions are written in. The suggestions: crates/core/src/knowledge/builtin.rs.
 */

import type { Locale } from 'argus-engine';
import { io } from '../system/io.ts';

/** For everybody whose locale does not name Chinese, in which the contract's own texts are. */
const DEFAULT_LOCALE: Locale = 'en';

/** Facts of the machine, as values. */
export interface LocaleFacts {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  intlLocale: () => string;
}

/**
 * Config first, then the environment, then (Windows has no LANG) what the system says, else the reader's where one is
 * known, else English.
 */
export function chooseLocale(
  configured: Locale | undefined,
  facts: LocaleFacts = machineFacts(),
  reader: Locale = DEFAULT_LOCALE,
): Locale {
  if (configured) return configured;
  const fromEnv = [facts.env.LC_ALL, facts.env.LC_MESSAGES, facts.env.LANG].find((value) => value);
  if (fromEnv) return named(fromEnv) ?? reader;
  const fromSystem = facts.platform === 'win32' ? named(facts.intlLocale()) : undefined;
  return fromSystem ?? reader;
}

/** The first of the two that a browser's `Accept-Language` names: `de, en-GB;q=0.9` is `en`. */
export function acceptedLocale(header = ''): Locale | undefined {
  return header
    .split(',')
    .map((tag) => named(tag.trim().replace(/;.*/u, '')))
    .find((locale) => locale !== undefined);
}

/** `zh_CN.UTF-8`, `en-US`, `en`; `C` and `POSIX` name neither. */
function named(tag: string): Locale | undefined {
  const language = tag.toLowerCase().split(/[-_.@]/u, 1)[0];
  return language === 'zh' || language === 'en' ? language : undefined;
}

function machineFacts(): LocaleFacts {
  return {
    env: io().env,
    platform: process.platform,
    intlLocale: () => Intl.DateTimeFormat().resolvedOptions().locale,
  };
}
