/**
 * Detects commands that run tests where a reporter of this machine is not loaded: in a container or on another machine.
 * Their cases are read from the output, or from a report that the command copies back (`test.report`).
 */

import { commandWords, scriptWords } from '../planning/plan.ts';

/** Programs, with the subcommands that run another command elsewhere. Without `commands`, all subcommands do. */
const ELSEWHERE: readonly { program: RegExp; commands?: ReadonlySet<string>; where: string }[] = [
  {
    program: /^(?:docker|podman|nerdctl)(?:-compose)?$/u,
    commands: new Set(['run', 'exec', 'up']),
    where: 'a container',
  },
  { program: /^(?:kubectl|oc)$/u, commands: new Set(['exec', 'run', 'debug']), where: 'a container' },
  { program: /^devcontainer$/u, commands: new Set(['exec']), where: 'a container' },
  { program: /^(?:ssh|vagrant)$/u, where: 'another machine' },
];

/** A note for a run without a report. */
export function elsewhereNote(command: string, root: string): string | undefined {
  for (const words of [commandWords(command), scriptWords(command, root)]) {
    const found = ELSEWHERE.find(({ program, commands }) => {
      return program.test(words[0] ?? '') && (commands === undefined || words.some((word) => commands.has(word)));
    });
    if (found !== undefined) return sentence(found.where);
  }
  return undefined;
}

function sentence(where: string): string {
  return `Where tests run in ${where}, Argus adds no reporter: their cases are read from what is printed. For all of them, let the command write a report into a folder that this machine sees, and name it in argus.yaml (test.report).`;
}
