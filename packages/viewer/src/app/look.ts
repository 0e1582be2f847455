/** Applies the chat's look to this page: the theme, and colors and fonts that have a counterpart here. */

import type { McpUiHostContext, McpUiStyleVariableKey } from '@modelcontextprotocol/ext-apps';

/** Variables of the page and the chat's variables that replace them. */
const COLOURS: readonly (readonly [string, McpUiStyleVariableKey])[] = [
  ['--bg', '--color-background-primary'],
  ['--raised', '--color-background-primary'],
  ['--surface', '--color-background-secondary'],
  ['--sunken', '--color-background-tertiary'],
  ['--text', '--color-text-primary'],
  ['--text-2', '--color-text-secondary'],
  ['--line', '--color-border-primary'],
];
const FONTS: readonly (readonly [string, McpUiStyleVariableKey])[] = [
  ['--sans', '--font-sans'],
  ['--mono', '--font-mono'],
];

export function applyLook(context: McpUiHostContext, root: HTMLElement = document.documentElement): void {
  const { theme, styles, locale } = context;
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  if (typeof locale === 'string') root.lang = locale;
  const given = styles?.variables;
  if (given === undefined) return;
  for (const [ours, theirs] of COLOURS) take(root, ours, 'color', given[theirs]);
  for (const [ours, theirs] of FONTS) take(root, ours, 'font-family', given[theirs]);
}

/** Ignores a value that is not valid for the CSS property. */
function take(root: HTMLElement, name: string, property: string, value: unknown): void {
  if (typeof value === 'string' && CSS.supports(property, value)) root.style.setProperty(name, value);
}
