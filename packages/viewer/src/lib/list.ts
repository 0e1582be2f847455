/** Lists whose rows lead to places of the page. Does not: move between rows; `keys` does. */

import { rows as moving } from './keys.ts';
import { router } from './router.svelte.ts';

/** Who comes back from what a row leads to is at that row again. */
export function rows(list: HTMLElement): () => void {
  [...list.querySelectorAll<HTMLElement>('a.row')]
    .find((link) => router.comesFrom(link.getAttribute('href') ?? ''))
    ?.focus();
  return moving(list);
}
