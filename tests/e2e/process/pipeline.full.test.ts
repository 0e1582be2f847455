/** The built program as a step of a shell pipeline, as in the contract's example. */

import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readState } from '../fix-loop/fix-loop.ts';
import { createEnvironment, createProject, PROGRAM_PATH } from '../harness.ts';

const PODS_TABLE =
  'NAME    READY   STATUS             RESTARTS   AGE\\nweb-1   0/1     ImagePullBackOff   0          2m\\n';
const PROGRAM_FILES = {
  kubectl: `case $1 in get) printf '${PODS_TABLE}';; *) exit 1;; esac`,
  'argus-mcp': `exec '${process.execPath}' '${PROGRAM_PATH}' "$@"`,
};

/** Creates a folder of programs and returns its path. */
function createProgramFolder(texts: Record<string, string>): string {
  const scripts = Object.entries(texts).map(([name, text]) => [name, `#!/bin/bash\n${text}\n`]);
  const root = createProject(Object.fromEntries(scripts));
  for (const name of Object.keys(texts)) chmodSync(path.join(root, name), 0o755);
  return root;
}

test('a shell pipeline continues after a fix loop that fails', () => {
  const root = createProgramFolder({ 'run-tests.sh': 'echo "all tests pass"' });
  const env = { PATH: `${createProgramFolder(PROGRAM_FILES)}${path.delimiter}${process.env.PATH}` };
  const script = `
run_step_with_fix() {
  local step_command="$1"
  local desired="$2"

  argus-mcp fix-problem \\
    --command "$step_command" \\
    --desired "$desired" \\
    --max-attempts 3 \\
    --timeout 600
}
execute_step() { return 1; }
if ! execute_step 10; then  # deploy failed
  for attempt in 1 2 3; do
    argus-mcp fix-problem "Error: deployment web exceeded its progress deadline" \\
      --desired "Deployment completes successfully with all pods running" \\
      --test "kubectl get pods -n myapp | grep -v Running | grep -v Completed | wc -l | grep -q '^0$'" \\
      --namespace "myapp"

    if [ $? -eq 0 ]; then
      break  # Fixed, continue pipeline
    fi
  done
fi
rm -r .claude
run_step_with_fix "./run-tests.sh" "All tests pass"
`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: root,
    env: createEnvironment(env),
    encoding: 'utf8',
  });
  // The brief contains the state of the namespace.
  expect(stdout, stderr).toContain('1 pod, 1 not well\nweb-1  0/1  ImagePullBackOff');
  expect(status, stderr).toBe(0);
  expect(readState(root)).toMatchObject({ max_attempts: 3, timeout_seconds: 600, status: 'success' });
});
