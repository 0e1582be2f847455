/**
 * Writes the `expect` program that runs a command and recognizes its questions in any order. The program contains no
 * secrets, because they come from the environment.
 */

import type { Input } from './inputs-file.ts';
import { UNKNOWN } from './prompts.ts';

/** The command if it differs from the command for which the script was written, for example in its arguments. */
export const COMMAND_VARIABLE = 'ARGUS_EXPECT_COMMAND';

/** Returns the variable that passes a value to the script. Names are case-sensitive. */
export function valueVariable(name: string): string {
  return `ARGUS_INPUT_${name.replaceAll(/\W/gu, '_')}`;
}

/** Undefined if answers in order are enough, or if a prompt has too little text to be recognized. */
export function expectScript(command: string, inputs: readonly Input[]): string | undefined {
  const needsTerminal = inputs.some(({ terminal, enter }) => terminal || enter === false);
  const isUnsure = inputs.length > 1 && inputs.some(({ conditional }) => conditional);
  const length = ({ prompt }: Input) => prompt.replaceAll(/[\s…]/gu, '').length;
  if (!(needsTerminal || isUnsure) || inputs.some((input) => length(input) < 2)) return undefined;
  // The prompt with the most text is the best match.
  const rows = [...inputs]
    .sort((one, other) => length(other) - length(one))
    .map(({ name, prompt, value, enter, deferred }) => {
      const args = `${enter === false ? '""' : '"\\r"'}${deferred || value === undefined ? '' : ` ${tclWord(value)}`}`;
      return `  -re {${pattern(prompt)}} { answer ${valueVariable(name)} ${args}; exp_continue }`;
    });
  return `# Runs the command and answers its questions by what it asks.
set timeout -1
proc answer {name end args} {
  global asked env
  # A question that comes back this often is not answered by its answer.
  if {[incr asked($name)] > 10} { puts stderr "\\nThe answer of $name was not taken."; exit 1 }
  if {[info exists env($name)]} { set args [list $env($name)] }
  if {![llength $args]} { puts stderr "\\nThere is no value for $name."; exit 1 }
  # A program that hides what is typed forgets what was typed before.
  after 100
  send -- "[lindex $args 0]$end"
}
set command ${tclWord(command)}
if {[info exists env(${COMMAND_VARIABLE})]} { set command $env(${COMMAND_VARIABLE}) }
spawn -noecho /bin/sh -c $command
expect {
${rows.join('\n')}
  eof {}
}
lassign [wait] pid id failed code
exit [expr {$failed ? 1 : $code}]
`;
}

function tclWord(text: string): string {
  const escaped = text.replaceAll(/[\\"$[\]{};]/gu, '\\$&');
  return `"${escaped.replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`;
}

/**
 * Returns a pattern for the prompt at the end of the output. Braces are escaped because of Tcl, and any whitespace
 * matches a space.
 */
function pattern(prompt: string): string {
  const parts = prompt.split(UNKNOWN).map((part) => {
    const escaped = part.trim().replaceAll(/[.*+?^$()[\]|\\]/gu, '\\$&');
    return escaped.replaceAll(/[{}]/gu, (brace) => (brace === '{' ? '\\x7b' : '\\x7d')).replaceAll(/\s+/gu, '\\s+');
  });
  return `${parts.join('[^\\r\\n]*')}(?:[ \\t\\r\\n]|\\u001b\\[[0-9;]*m)*$`;
}
