/**
 * Writes the program for `expect` that runs a command and answers by what it asks, in whatever order. It holds no
 * secret: a value comes from the environment, and only a harmless one stands in the script too.
 */

import type { Input } from './inputs-model.ts';
import { UNKNOWN } from './script/shell-words.ts';

/** A question that comes back this often is not answered by its answer. */
const MAX_TIMES_ASKED = 3;

/** Shorter texts are found in any output. */
const MIN_LITERAL_CHARACTERS = 2;

/** The command itself, where it is another than when the script was written: with other arguments, say. */
export const COMMAND_VARIABLE = 'ARGUS_EXPECT_COMMAND';

/** The variable through which a value reaches the script; `NAME` and `name` are two. */
export function valueVariable(name: string): string {
  return `ARGUS_INPUT_${name.replaceAll(/\W/gu, '_')}`;
}

/** Null where a prompt shows nothing that it could be known by. */
export function expectScript(command: string, inputs: readonly Input[]): string | null {
  if (inputs.length === 0 || inputs.some(({ prompt }) => literalLength(prompt) < MIN_LITERAL_CHARACTERS)) return null;
  const rows = inputs.map((input) => {
    const { name, prompt, value, enter } = input;
    const proposed = input.deferred || value === undefined ? '' : ` ${tcl(value)}`;
    return `  -re {${pattern(prompt)}} { answer ${valueVariable(name)} ${tcl(enter === false ? '' : '\r')}${proposed}; exp_continue }`;
  });
  return `${[
    '# Runs the command and answers its questions by what it asks.',
    'set timeout -1',
    '# Texts are UTF-8 whatever the locale; the environment was read in the locale.',
    'set locale [encoding system]',
    'encoding system utf-8',
    'foreach channel [list $user_spawn_id stdout stderr] { catch { fconfigure $channel -encoding utf-8 } }',
    'proc utf8 {text} { global locale; encoding convertfrom utf-8 [encoding convertto $locale $text] }',
    'proc answer {name end args} {',
    '  global asked env',
    '  incr asked($name)',
    `  if {$asked($name) > ${MAX_TIMES_ASKED}} { puts stderr "\\nThe answer of $name was not taken."; exit 1 }`,
    '  if {[info exists env($name)]} { set value [utf8 $env($name)] } elseif {[llength $args]} { set value [lindex $args 0] } else {',
    '    puts stderr "\\nThere is no value for $name."; exit 1',
    '  }',
    '  # A program that hides what is typed forgets what was typed before.',
    '  after 100',
    '  send -- "$value$end"',
    '}',
    `set command ${tcl(command)}`,
    `if {[info exists env(${COMMAND_VARIABLE})]} { set command [utf8 $env(${COMMAND_VARIABLE})] }`,
    'spawn -noecho /bin/sh -c $command',
    'expect {',
    ...rows,
    '  eof {}',
    '}',
    'lassign [wait] pid id failed code',
    'if {$failed} { exit 1 }',
    'exit $code',
  ].join('\n')}\n`;
}

/** As a Tcl word. */
function tcl(text: string): string {
  const escaped = text
    .replaceAll(/[\\"$[\]{};]/gu, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `"${ascii(escaped)}"`;
}

/** The prompt at the end of what was printed; what only a run would know may be anything. */
function pattern(prompt: string): string {
  const parts = prompt.split(UNKNOWN).map(literal);
  return `${parts.join('[^\\r\\n]*')}(?:[ \\t\\r\\n]|\\u001b\\[[0-9;]*m)*$`;
}

/** Braces in a pattern must not meet Tcl's own; spaces at its ends may be missing. */
function literal(text: string): string {
  return (
    text
      .trim()
      .replaceAll(/[.*+?^$()[\]|\\]/gu, '\\$&')
      .replaceAll('{', '\\x7b')
      .replaceAll('}', '\\x7d')
      .replaceAll(/\s+/gu, '\\s+')
      // Tcl's own characters end where emoji begin.
      .replaceAll(/[\u{10000}-\u{10ffff}]+/gu, '[^\\r\\n]*')
      .replaceAll(/[^\u0020-\u007e]/gu, codePoint)
  );
}

/** As Tcl writes it in strings and patterns, so that the script is ASCII. */
function ascii(text: string): string {
  return text.replaceAll(/[^\u0020-\u007e]/gu, codePoint);
}

function codePoint(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

function literalLength(prompt: string): number {
  return prompt.replaceAll(UNKNOWN, '').replaceAll(/\W/gu, '').length || prompt.replaceAll(/[\s…]/gu, '').length;
}
