/** Commands whose processes leave their process group, and a pipe that shows when all processes have ended. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { createProject } from '../harness.ts';

export const SLEEP = 'sleep 5817';

/** Leaves its process group in two ways, and keeps the pipe open as long as one of its processes lives. */
export const LEAVE_PROCESS_GROUP = `exec 3>pipe; setsid ${SLEEP} & setsid --fork ${SLEEP}; echo begun >&3;`;

/** Creates a project with a named pipe for a command. */
export function createProjectWithPipe() {
  const root = createProject();
  const file = path.join(root, 'pipe');
  execFileSync('mkfifo', [file]);
  const pipe = createReadStream(file);
  // The pipe closes when every process that has it open has ended.
  return { root, begun: once(pipe, 'data'), allEnded: once(pipe, 'close') };
}
