/** The page's language: the reader's choice, otherwise the browser's. `en.ts` and `zh.ts` have the texts. */

import type { Language } from '../lib/format.ts';
import { createStoredChoice } from '../lib/stored-choice.ts';
import { type Dictionary, en } from './en.ts';
import { zh } from './zh.ts';

const DICTIONARIES: Record<Language, Dictionary> = { en, zh };
const storedLanguage = createStoredChoice('argus-language');
let language = $state<Language>(
  storedLanguage.value === 'en' || storedLanguage.value === 'zh' ? storedLanguage.value : findBrowserLanguage(),
);

function findBrowserLanguage(): Language {
  const first = navigator.languages.find((tag) => /^(en|zh)\b/i.test(tag)) ?? navigator.language;
  return /^zh\b/i.test(first) ? 'zh' : 'en';
}

export const i18n = {
  get language(): Language {
    return language;
  },

  set language(next: Language) {
    language = next;
    storedLanguage.value = next;
  },

  get t(): Dictionary {
    return DICTIONARIES[language];
  },
};
