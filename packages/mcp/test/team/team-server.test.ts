/** The server of a team, over a memory that does not answer. Over real ones: tests/e2e/team/server.test.ts. */

import { once } from 'node:events';
import { type CallName, type Calls, NamedCalls, openEngine } from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { Auth } from '../../src/team/server/auth.ts';
import { TeamServer } from '../../src/team/server/team-server.ts';
import { newToken } from '../../src/team/server/tokens.ts';

class StuckMemory extends NamedCalls {
  call<N extends CallName>(_: N): Promise<Calls[N]['result']> {
    return new Promise(() => {});
  }

  callOnce<N extends CallName>(name: N): Promise<Calls[N]['result']> {
    return this.call(name);
  }
}

test('a call that takes too long is answered as lost', async () => {
  const engine = await openEngine({ databasePath: ':memory:', projectRoot: '/', locale: 'en' });
  const projects = {
    own: async () => engine,
    memoryOf: async () => new StuckMemory(),
    names: async () => [],
    watch: () => ({ close: () => {} }),
    close: () => engine.close(),
  };
  const { token, id, digest } = newToken();
  await engine.createToken({ id, digest, name: 'Ada', scope: 'read', projects: null, expiresInDays: null });
  const auth = new Auth(projects.own);
  const options = { callsPerSecond: 200, trustsProxy: false, tls: undefined, mcp: async () => {}, callMs: 1 };
  const server = new TeamServer({ ...options, projects, auth });
  onTestFinished(() => server.close(0));
  await once(server.http.listen(0, '127.0.0.1'), 'listening');
  const address = server.http.address();
  const port = typeof address === 'object' ? address?.port : address;
  const call = { protocol: 1, callId: uuidV7(), now: Date.now(), method: 'overview', params: {} };
  const response = await fetch(`http://127.0.0.1:${port}/v1/projects/shop/call`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(call),
  });
  const message = 'The call takes too long. Make it again with the same callId.';
  expect([response.status, await response.json()]).toEqual([503, { error: { code: 'DATABASE_LOCKED', message } }]);
});
