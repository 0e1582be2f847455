/** Escapes names and errors for Markdown, so that a stranger's text cannot become a link, a mention or HTML. */

const MAX_CHARS = 200;

export function listed(names: readonly string[]): string[] {
  return names.map((name) => `- ${code(name)}`);
}

/** Formats a text as code, where Markdown has no meaning. The fence is longer than any run of backticks in the text. */
export function code(value: string): string {
  const line = shortened(value);
  const longest = Math.max(0, ...[...line.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/**
 * Formats code for a table cell. A bar ends a cell even inside code, and a backslash before the bar would take away the
 * escape, so backslashes before a bar are removed.
 */
export function cell(value: string): string {
  return code(value).replaceAll(/\\*\|/gu, '\\|');
}

export function text(value: string): string {
  return shortened(value).replaceAll(/[\\`*_{}[\]<>()#+!|@]/gu, (sign) => `\\${sign}`);
}

function shortened(value: string): string {
  const line = value.replaceAll(/\s+/gu, ' ').trim();
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS).toWellFormed()}…` : line;
}
