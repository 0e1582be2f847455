/** Names and errors in Markdown: a stranger's text is no link, no mention and no HTML. */

const MAX_CHARS = 200;

export function listed(names: readonly string[]): string[] {
  return names.map((name) => `- ${code(name)}`);
}

/** As code, in which nothing has a meaning: a longer fence than any run of backticks. */
export function code(value: string): string {
  const line = shortened(value);
  const longest = Math.max(0, ...[...line.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** The same in a table, whose cells end before code does, and where a backslash would take the one before a bar for itself. */
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
