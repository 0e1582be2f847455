/** Keyboard use of lists and of the page. Does not: know what a row leads to; that is its link. */

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** Arrows move between the rows' links or buttons, which Enter follows. For a table, or any list of `.row`. */
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
  return () => list.removeEventListener('keydown', move);
}

/** A key that was meant for a field is no command. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
