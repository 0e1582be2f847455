/** Makes lists usable with the keyboard and with a pointer. */

const STEPS_BY_KEY: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/**
 * Lets arrow keys move between the links or buttons of the rows. Enter activates a link or button, and so does a click
 * anywhere in its row.
 */
export function enableRowNavigation(list: HTMLElement): () => void {
  const move = (event: KeyboardEvent) => {
    const step = STEPS_BY_KEY[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    const links = [...list.querySelectorAll<HTMLElement>('.row')];
    const at = links.findIndex((link) => link.matches(':focus'));
    if (at < 0) return;
    event.preventDefault();
    links[step(at, links.length - 1)]?.focus();
  };
  list.addEventListener('keydown', move);
  list.addEventListener('click', clickRowLink);
  return () => {
    list.removeEventListener('keydown', move);
    list.removeEventListener('click', clickRowLink);
  };
}

/** Treats a click in a row as a click on the row's link, unless the reader selects text to copy it. */
function clickRowLink(event: MouseEvent): void {
  if (!(event.target instanceof Element) || event.target.closest('a, button, input, select, label, summary')) return;
  if (getSelection()?.toString()) return;
  event.target.closest('tr')?.querySelector<HTMLElement>('.row')?.click();
}

/** Moves the focus from a search field to the first result. */
export function focusFirstRow(): void {
  document.querySelector<HTMLElement>('main .row')?.focus();
}

/** Returns true if a key was typed into a field, because such a key is not a command. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
