/** Chooses the language of built-in suggestions (`crates/core/src/knowledge/builtin.rs`), English or Chinese. */

import type { Locale } from 'argus-engine';
import { io } from '../system/io.ts';

/** Used for every locale that does not name Chinese. */
const DEFAULT_LOCALE: Locale = 'en';

/** Facts of the machine as values. */
export interface LocaleFacts {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  intlLocale: () => string;
}

/**
 * Uses the first of these that is known: the configuration, the environment, the system's locale on Windows (which has
 * no LANG), the language of the reader, English.
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

/** The first supported language in a browser's `Accept-Language`: `de, en-GB;q=0.9` gives `en`. */
export function acceptedLocale(header = ''): Locale | undefined {
  return header
    .split(',')
    .map((tag) => named(tag.trim().replace(/;.*/u, '')))
    .find((locale) => locale !== undefined);
}

/** Accepts `zh_CN.UTF-8`, `en-US`, `en`. `C` and `POSIX` name no language. */
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
