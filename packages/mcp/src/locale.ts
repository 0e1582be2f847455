/**
 * Which of the two languages built-in suggestions are written in.
 * Does not: translate anything.
 */

import type { Locale } from 'argus-engine';

/** The contract's own texts are Chinese. */
const CONTRACT_LOCALE: Locale = 'zh';

/** Facts of the machine, as values. */
export interface LocaleFacts {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  intlLocale: () => string;
}

/** Config first, then the environment, then (Windows has no LANG) what the system says, else the contract's. */
export function chooseLocale(configured: Locale | undefined, facts: LocaleFacts = machineFacts()): Locale {
  if (configured) return configured;
  const fromEnv = [facts.env.LC_ALL, facts.env.LC_MESSAGES, facts.env.LANG].find((value) => value);
  if (fromEnv) return named(fromEnv) ?? CONTRACT_LOCALE;
  const fromSystem = facts.platform === 'win32' ? named(facts.intlLocale()) : undefined;
  return fromSystem ?? CONTRACT_LOCALE;
}

/** `zh_CN.UTF-8`, `en-US`, `en`; `C` and `POSIX` name neither. */
function named(tag: string): Locale | undefined {
  const language = tag.toLowerCase().split(/[-_.@]/u, 1)[0];
  return language === 'zh' || language === 'en' ? language : undefined;
}

function machineFacts(): LocaleFacts {
  return {
    env: process.env,
    platform: process.platform,
    intlLocale: () => Intl.DateTimeFormat().resolvedOptions().locale,
  };
}
