// Formats the demo's output: headings, tool calls, and answers as compact JSON. Only the printed text is shortened, and
// visibly so; the agent gets the full answer.

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
export const bold = paint(1);
export const dim = paint(2);
const cyan = paint(36);

const LINE_CHARACTERS = 118;
const MAX_TEXT_CHARACTERS = 150;

export function heading(text) {
  return `\n${bold(`== ${text} ${'='.repeat(Math.max(0, LINE_CHARACTERS - text.length - 4))}`)}`;
}

export function asCall(tool, args) {
  return `\n${cyan(`-> ${tool}`)} ${compact(args)}`;
}

/** Removes the hidden keys from answer data and lists their names. */
export function asData(data, hide = []) {
  const shown = Object.entries(data).filter(([key]) => !hide.includes(key));
  const lines = shown.map(([key, value]) => `   ${JSON.stringify(key)}: ${block(value, '   ')}`);
  const rest = hide.filter((key) => key in data);
  return [...lines, ...(rest.length > 0 ? [dim(`   (also: ${rest.join(', ')})`)] : [])].join('\n');
}

/** Formats a value on a single line when it fits, otherwise with a line for each entry. */
function block(value, indent) {
  const line = compact(value);
  if (typeof value !== 'object' || value === null || line.length + indent.length <= LINE_CHARACTERS) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((it) => inner + block(it, inner)).join(',\n')}\n${indent}]`;
  const entries = Object.entries(value).map(([key, it]) => `${inner}${JSON.stringify(key)}: ${block(it, inner)}`);
  return `{\n${entries.join(',\n')}\n${indent}}`;
}

function compact(value) {
  return JSON.stringify(value, (_key, it) => {
    if (typeof it === 'string' && it.length > MAX_TEXT_CHARACTERS) return `${it.slice(0, MAX_TEXT_CHARACTERS)}…`;
    return typeof it === 'number' && !Number.isInteger(it) ? Math.round(it * 1000) / 1000 : it;
  });
}
