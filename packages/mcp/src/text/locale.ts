/** Chooses the language of built-in suggestions (`crates/core/src/knowledge/builtin.rs`): English or Chinese. */

import type { Locale } from 'argus-engine';
import { io } from '../system/io.ts';

/** Used for every locale except Chinese. */
const DEFAULT_LOCALE: Locale = 'en';

/** Facts about the machine. Tests pass other values. */
export interface LocaleFacts {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  intlLocale: () => string;
}

/**
 * Returns the first known locale of: the configuration, the environment variables, the system (only on Windows, which
 * has no LANG), and `reader`, the language of the person who reads the texts. The default of `reader` is English.
 */
export function chooseLocale(
  configured: Locale | undefined,
  facts: LocaleFacts = getLocaleFacts(),
  reader: Locale = DEFAULT_LOCALE,
): Locale {
  if (configured) return configured;
  const fromEnv = [facts.env.LC_ALL, facts.env.LC_MESSAGES, facts.env.LANG].find((value) => value);
  if (fromEnv) return parseLocale(fromEnv) ?? reader;
  const fromSystem = facts.platform === 'win32' ? parseLocale(facts.intlLocale()) : undefined;
  return fromSystem ?? reader;
}

/** Returns the first supported language in a browser's `Accept-Language` header: `de, en-GB;q=0.9` gives `en`. */
export function findAcceptedLocale(header = ''): Locale | undefined {
  return header
    .split(',')
    .map((tag) => parseLocale(tag.trim().replace(/;.*/u, '')))
    .find((locale) => locale !== undefined);
}

/** Accepts `zh_CN.UTF-8`, `en-US` and `en`. `C` and `POSIX` give undefined. */
function parseLocale(tag: string): Locale | undefined {
  const language = tag.toLowerCase().split(/[-_.@]/u, 1)[0];
  return language === 'zh' || language === 'en' ? language : undefined;
}

function getLocaleFacts(): LocaleFacts {
  return {
    env: io().env,
    platform: process.platform,
    intlLocale: () => Intl.DateTimeFormat().resolvedOptions().locale,
  };
}
