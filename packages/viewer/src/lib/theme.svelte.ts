/** The light or dark theme: the reader's choice, otherwise the system's. `styles/tokens.css` has the colors. */

import { createStoredChoice } from './stored-choice.ts';

export type Theme = 'light' | 'dark';

const systemDarkQuery = matchMedia('(prefers-color-scheme: dark)');
const storedTheme = createStoredChoice('argus-theme');
let chosenTheme = $state<Theme | undefined>(
  storedTheme.value === 'light' || storedTheme.value === 'dark' ? storedTheme.value : undefined,
);
let isSystemDark = $state(systemDarkQuery.matches);

systemDarkQuery.addEventListener('change', (event) => {
  isSystemDark = event.matches;
});

export const theme = {
  get current(): Theme {
    return chosenTheme ?? (isSystemDark ? 'dark' : 'light');
  },

  toggle(): void {
    const next = this.current === 'dark' ? 'light' : 'dark';
    // If the choice equals the system's theme, the page follows the system again.
    chosenTheme = (next === 'dark') === isSystemDark ? undefined : next;
    storedTheme.value = chosenTheme;
  },
};
