/**
 * The contract's examples, as written, in a shell: only the commands' names are the new ones.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BUNDLE, environment, project } from '../harness.ts';
import { repository, stateOf } from './fix-loop.ts';

const SCRIPTS = {
  'package.json': '{"name":"shop","version":"1.2.0","scripts":{"build":"echo built"}}',
  'deploy.yaml': 'kind: Pod\n',
  'run-tests.sh': '#!/bin/sh\necho "all tests pass"\n',
  'interrogate.sh': '#!/bin/sh\ntest "$1 $2" = "--extract testapp" && echo "scope of $2"\n',
  'setup.sh':
    '#!/bin/bash\nread -r -p "Project name: " name\nread -r -p "Version [1.0.0]: " version\ntest -n "$name" && echo "$name $version"\n',
};
const PODS = 'NAME    READY   STATUS             RESTARTS   AGE\\nweb-1   0/1     ImagePullBackOff   0          2m\\n';

/** A project with the commands on its PATH. */
function shop(): {
  root: string;
  shell: (script: string) => { status: number | null; stdout: string; stderr: string };
} {
  const root = repository({ ...SCRIPTS, 'k8s/pod.yaml': 'kind: Pod\n' });
  for (const name of Object.keys(SCRIPTS).filter((one) => one.endsWith('.sh'))) chmodSync(path.join(root, name), 0o755);
  const bin = project();
  const programs = {
    'argus-mcp': `exec '${process.execPath}' '${BUNDLE}' "$@"`,
    kubectl: `case $1 in apply) echo "pod/web-1 created";; get) printf '${PODS}';; *) exit 1;; esac`,
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(path.join(bin, name), 0o755);
  }
  const env = environment({ PATH: `${bin}:${process.env.PATH}` });
  const shell = (script: string) => spawnSync('bash', ['-c', script], { cwd: root, env, encoding: 'utf8' });
  return { root, shell };
}

test.each([
  ['argus-mcp fix-problem "TypeError: undefined" --desired "Function returns array"', 3],
  ['argus-mcp fix-problem --command "npm run build" --desired "Build succeeds"', 0],
  ['argus-mcp fix-problem --command "kubectl apply -f deploy.yaml" --desired "Pods running" --namespace myapp', 0],
  ['argus-mcp fix-problem --command "./run-tests.sh" --timeout 300 --max-attempts 5 --desired "All tests pass"', 0],
  ['argus-mcp fix-problem --command "./setup.sh" --desired "Setup completes" --auto', 0],
  [
    'argus-mcp generate-inputs ./setup.sh && argus-mcp fix-problem --command "./setup.sh" --desired "Setup completes" --inputs .claude/inputs/setup-inputs.yaml',
    0,
  ],
  [
    `argus-mcp fix-problem \\
  --command "./interrogate.sh --extract testapp" \\
  --desired "Scope document created" \\
  --max-attempts 5 \\
  --timeout 300`,
    0,
  ],
  [
    `argus-mcp fix-problem \\
  --command "kubectl apply -f k8s/" \\
  --desired "All pods running" \\
  --namespace "myapp" \\
  --circuit-breaker 3`,
    0,
  ],
])('%s', (script, code) => {
  const { status, stderr } = shop().shell(script);
  expect(status, stderr).toBe(code);
});

test('a script is set up by inputs that were generated before', () => {
  const { root, shell } = shop();
  expect(shell('argus-mcp generate-inputs ./setup.sh').status).toBe(0);
  expect(existsSync(path.join(root, '.claude/inputs/setup-inputs.yaml'))).toBe(true);
  const { stderr } = shell('argus-mcp fix-problem --command "./setup.sh" --desired "Setup completes"');
  expect(stderr).toContain('shop 1.');
});

test('a step of a pipeline, with its function as written', () => {
  const { root, shell } = shop();
  const library = `
run_step_with_fix() {
  local step_command="$1"
  local desired="$2"

  argus-mcp fix-problem \\
    --command "$step_command" \\
    --desired "$desired" \\
    --max-attempts 3 \\
    --timeout 600
}
`;
  expect(shell(`${library} run_step_with_fix "./run-tests.sh" "All tests pass"`).status).toBe(0);
  expect(stateOf(root)).toMatchObject({ max_attempts: 3, timeout_seconds: 600, status: 'success' });
});

test('a captured error in a loop of the pipeline', () => {
  const { root, shell } = shop();
  const script = `
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
`;
  const { stdout, stderr } = shell(script);
  expect(stdout, stderr).toContain('ImagePullBackOff');
  expect(stateOf(root)).toMatchObject({ mode: 'error' });
  expect(stateOf(root).attempts.length).toBeLessThanOrEqual(3);
});
