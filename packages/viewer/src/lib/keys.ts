/** Makes lists usable by keyboard and pointer. */

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/**
 * Arrow keys move between the links or buttons of the rows. Enter activates them, and so does a click anywhere in the
 * row.
 */
export function rows(list: HTMLElement): () => void {
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    const links = [...list.querySelectorAll<HTMLElement>('.row')];
    const at = links.findIndex((link) => link.matches(':focus'));
    if (at < 0) return;
    event.preventDefault();
    links[step(at, links.length - 1)]?.focus();
  };
  list.addEventListener('keydown', move);
  list.addEventListener('click', follow);
  return () => {
    list.removeEventListener('keydown', move);
    list.removeEventListener('click', follow);
  };
}

/** Treats a click in a row as a click on its link, except when the reader selects text to copy it. */
function follow(event: MouseEvent): void {
  if (!(event.target instanceof Element) || event.target.closest('a, button, input, select, label, summary')) return;
  if (getSelection()?.toString()) return;
  event.target.closest('tr')?.querySelector<HTMLElement>('.row')?.click();
}

/** Moves the focus from a search field to the first result. */
export function toFirstRow(): void {
  document.querySelector<HTMLElement>('main .row')?.focus();
}

/** Returns true if a key was typed into a field. Such a key is not a command. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
