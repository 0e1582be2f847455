// The failures of the history: those of templates.mjs with values filled in, and texts that real runners printed (the
// development half of tests/recurrence).
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Chance, circumstances } from './chance.mjs';
import { COMMANDS, RUNNERS, THINGS } from './templates.mjs';

const RECORDED = new URL('../../recurrence/development.jsonl.gz', import.meta.url);

/** HTTP statuses for `{status}`. */
const STATUSES = [400, 403, 404, 409, 422, 429, 500, 502, 503];

const capitalized = (word) => word[0].toUpperCase() + word.slice(1);
const filled = (template, values) => template.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));

/** Values that stay the same at each occurrence of a failure. */
function particulars(chance, thing) {
  return {
    thing,
    Thing: capitalized(thing),
    THING: thing.toUpperCase(),
    m: chance.between(2, 90),
    n: chance.between(100, 990),
    status: chance.of(STATUSES),
    lines: { a: chance.between(8, 60), b: chance.between(61, 200), c: chance.between(201, 400) },
  };
}

/** Fills a template for one occurrence. */
function occurrence(template, own, { root, lines, values }) {
  const moved = Object.fromEntries(Object.entries(own.lines).map(([name, line]) => [name, line + lines]));
  return filled(template, { ...values, ...own, ...moved, root });
}

function made(chance, layout, template, thing) {
  const own = particulars(chance, thing);
  own.file = filled(layout.file, own);
  const { type, tag, message } = template;
  return {
    source: layout.runner,
    report: layout.report,
    file: own.file,
    suite: layout.suite.map((name) => filled(name, own)),
    name: filled(template.name, own),
    fix: filled(template.fix, own),
    type,
    tag,
    /** Text and message of one occurrence. */
    at: (here) => ({
      text: occurrence(template.text, own, here),
      ...(message === undefined ? {} : { message: occurrence(message, own, here) }),
    }),
  };
}

/** Failures of templates.mjs in the order of the runners. */
export function madeFailures(seed) {
  const chance = new Chance(seed);
  return RUNNERS.flatMap((layout) =>
    layout.failures.flatMap((template, index) =>
      Array.from({ length: layout.copies }, (_, copy) =>
        made(chance, layout, template, THINGS[(index * 7 + copy * 5) % THINGS.length]),
      ),
    ),
  );
}

/** Failures of commands that write no report. */
export function failingCommands(seed) {
  const chance = new Chance(seed + 1);
  return COMMANDS.flatMap(({ step, text, exit, fix }, index) =>
    [0, 1, 2].map((copy) => {
      const own = particulars(chance, THINGS[(index * 5 + copy * 11) % THINGS.length]);
      return {
        source: 'command',
        step,
        exit,
        fix: filled(fix, own),
        at: (here) => ({ text: occurrence(text, own, here) }),
      };
    }),
  );
}

/** Fix descriptions for recorded failures, whose cause is unknown here. */
const REPAIRS = [
  'Took back the change of {name} that came with the last merge.',
  'The rule that {name} tests was turned round; turned it back.',
  'Handled the missing value that {name} meets.',
  'Gave what {name} waits for a deadline of its own.',
  'Made {name} and the code agree on the new name.',
  'Read what {name} compares from the fixture, not from the clock.',
  'Restored the return value that {name} asks for.',
];

/** Failures that real runners printed, each with its texts, oldest first. */
export function recordedFailures() {
  const rows = gunzipSync(readFileSync(RECORDED))
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const groups = new Map();
  for (const row of rows.sort((a, b) => a.date.localeCompare(b.date)))
    groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  return [...groups.values()].map((met, index) => ({
    source: met[0].source,
    report: 'plain',
    file: '',
    suite: [],
    name: met[0].case,
    fix: `${filled(REPAIRS[index % REPAIRS.length], { name: met[0].case })} (${met[0].group.split('/')[1]})`,
    texts: met.map(({ text }) => text),
  }));
}

/** Report case of a failure at one occurrence; a recorded failure uses its text with this number. */
export function met(failure, number, seed) {
  const { file, suite, name, type, tag } = failure;
  const there = { file, suite, name, type, tag, status: 'failed' };
  if (failure.texts !== undefined) return { ...there, text: failure.texts[number % failure.texts.length] };
  return { ...there, ...failure.at(circumstances(new Chance(seed))) };
}
