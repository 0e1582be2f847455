/** serve: the server of a team, until it is told to end. */

import { answerMcp } from '../../server/team-mcp.ts';
import { io } from '../../system/io.ts';
import { type ServeOptions, startTeamServer } from '../../team/server/start-server.ts';

export async function serve(options: ServeOptions): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) io().onceSignal(signal, () => resolve());
  });
  const { url, database, close } = await startTeamServer(options, answerMcp);
  // One JSON object a line, as what follows: whoever starts the server reads the port.
  const say = (event: object) =>
    io().stdout.write(`${JSON.stringify({ at: new Date(io().now()).toISOString(), ...event })}\n`);
  say({ event: 'listening', url, database });
  await ended;
  say({ event: 'ending' });
  await close();
}
