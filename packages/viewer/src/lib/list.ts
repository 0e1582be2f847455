/** Lists whose rows lead to places of the page. `keys.ts` moves between the rows. */

import { rows as moving } from './keys.ts';
import { router } from './router.svelte.ts';

/** Focuses the row from which the reader opened a detail when the reader returns to the list. */
export function rows(list: HTMLElement): () => void {
  [...list.querySelectorAll<HTMLElement>('a.row')]
    .find((link) => router.comesFrom(link.getAttribute('href') ?? ''))
    ?.focus();
  return moving(list);
}
