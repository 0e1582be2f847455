/** Use of lists by keyboard and by pointer. */

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** Arrows move between the rows' links or buttons, which Enter follows, and so does a click beside them. */
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

/** A row is a large target; what was selected in it to be copied is no click. */
function follow(event: MouseEvent): void {
  if (!(event.target instanceof Element) || event.target.closest('a, button, input, select, label, summary')) return;
  if (getSelection()?.toString()) return;
  event.target.closest('tr')?.querySelector<HTMLElement>('.row')?.click();
}

/** From a search field down into what it found. */
export function toFirstRow(): void {
  document.querySelector<HTMLElement>('main .row')?.focus();
}

/** A key that was meant for a field is no command. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
