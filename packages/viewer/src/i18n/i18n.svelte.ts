/** The page's language: the reader's choice, otherwise the browser's. `en.ts` and `zh.ts` have the texts. */

import type { Language } from '../lib/format.ts';
import { kept } from '../lib/kept.ts';
import { type Dictionary, en } from './en.ts';
import { zh } from './zh.ts';

const DICTIONARIES: Record<Language, Dictionary> = { en, zh };
const read = kept('argus-language');
let language = $state<Language>(read.value === 'en' || read.value === 'zh' ? read.value : ofBrowser());

function ofBrowser(): Language {
  const first = navigator.languages.find((tag) => /^(en|zh)\b/i.test(tag)) ?? navigator.language;
  return /^zh\b/i.test(first) ? 'zh' : 'en';
}

export const i18n = {
  get language(): Language {
    return language;
  },

  set language(next: Language) {
    language = next;
    read.value = next;
  },

  get t(): Dictionary {
    return DICTIONARIES[language];
  },
};
