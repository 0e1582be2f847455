/** The chat's look on this page: theme, and the colours and fonts that have a counterpart here. */

import type { McpUiHostContext, McpUiStyleVariableKey } from '@modelcontextprotocol/ext-apps';

/** The page's variable, and the chat's that takes its place where it is given. */
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

/** Only what is a value of its kind. */
function take(root: HTMLElement, name: string, property: string, value: unknown): void {
  if (typeof value === 'string' && CSS.supports(property, value)) root.style.setProperty(name, value);
}
