// The demo's debug memory: an agent solves and stores a problem, and then another agent describes the problem in other
// words.
import { dim } from './show.mjs';

const CRASH = `node:internal/process/promises:394
      triggerUncaughtException(err, true /* fromPromise */);
Error: EMFILE: too many open files, watch '/srv/corner-shop/src'
    at FSWatcher.<computed> (node:internal/fs/watchers:247:19)
    at Object.watch (node:fs:2468:36)
    at watchSources (file:///srv/corner-shop/dev/watch.mjs:31:10)
Node.js v20.19.0`;

/** How the next agent describes the same problem. */
const PARAPHRASE = 'dev watcher of the corner shop dies with EMFILE: too many open files while watching src';

const SOLUTION_STEPS =
  'Watch the folder recursively in one watcher (fs.watch with recursive: true) instead of one watcher a file.';

export async function showDebugMemory(agent, projectPath, must) {
  const search = { query_text: CRASH, env: {}, projectPath };
  const unknown = await agent.call('ranked_solutions', search);
  must(unknown.next_action.type === 'NO_MATCH_DEBUG_THEN_ADD_INCIDENT', 'a new problem must not match an old one');

  console.log(dim('   the agent debugs, finds a fix, and stores both'));
  const incident = {
    title: 'Dev watcher runs out of file handles (EMFILE)',
    error_signature: CRASH,
    summary: 'One watcher was opened for every source file.',
    tags: ['node', 'dev'],
    steps: SOLUTION_STEPS,
    env: {},
    worked: true,
    lookup_id: unknown.lookup_id,
    projectPath,
  };
  const added = await agent.call('add_incident', incident);
  must(added.created, 'the incident must be new');

  console.log(dim('   another agent tells it in its own words'));
  const known = await agent.call('ranked_solutions', {
    query_text: PARAPHRASE,
    env: { os: 'macos', node: 22 },
    projectPath,
  });
  must(known.recommended_solution?.solution_id === added.solution_id, 'the paraphrase must find the solution');
  const outcome = {
    lookup_id: known.lookup_id,
    solution_id: added.solution_id,
    worked: true,
    env: { os: 'macos', node: 22 },
    projectPath,
  };
  const { solution_stats } = await agent.call('record_outcome', outcome);
  must(solution_stats.worked === 2, 'both successes must count');

  const again = { ...incident, title: 'EMFILE: too many open files in the watcher', lookup_id: undefined };
  const duplicate = await agent.call('add_incident', again);
  must(duplicate.created === false, 'the same problem must not be stored twice');
}
