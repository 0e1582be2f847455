/** Lists whose rows lead to places of the page. Moving between rows: keys.ts. */

import { rows as moving } from './keys.ts';
import { router } from './router.svelte.ts';

/** Who comes back from what a row leads to is at that row again. */
export function rows(list: HTMLElement): () => void {
  [...list.querySelectorAll<HTMLElement>('a.row')]
    .find((link) => router.comesFrom(link.getAttribute('href') ?? ''))
    ?.focus();
  return moving(list);
}
