/** The light or dark theme: the reader's choice, otherwise the system's. `styles/tokens.css` has the colors. */

import { kept } from './kept.ts';

export type Theme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');
const read = kept('argus-theme');
let chosen = $state<Theme | undefined>(read.value === 'light' || read.value === 'dark' ? read.value : undefined);
let dark = $state(system.matches);

system.addEventListener('change', (event) => {
  dark = event.matches;
});

export const theme = {
  get current(): Theme {
    return chosen ?? (dark ? 'dark' : 'light');
  },

  toggle(): void {
    const next = this.current === 'dark' ? 'light' : 'dark';
    // If the choice equals the system's theme, the page follows the system again.
    chosen = (next === 'dark') === dark ? undefined : next;
    read.value = chosen;
  },
};
