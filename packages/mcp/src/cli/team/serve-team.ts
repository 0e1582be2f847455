/** serve: runs the team's server until a signal ends it. */

import { answerMcp } from '../../server/team-mcp.ts';
import { io } from '../../system/io.ts';
import { type ServeOptions, startTeamServer } from '../../team/server/start-server.ts';

export async function serve(options: ServeOptions): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) io().onceSignal(signal, () => resolve());
  });
  const { url, database, close } = await startTeamServer(options, answerMcp);
  // Each event is one JSON object on a line, because the program that starts the server reads the port from it.
  const say = (event: object) =>
    io().stdout.write(`${JSON.stringify({ at: new Date(io().now()).toISOString(), ...event })}\n`);
  say({ event: 'listening', url, database });
  await ended;
  say({ event: 'ending' });
  await close();
}
