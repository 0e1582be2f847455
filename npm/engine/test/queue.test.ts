/** Tests the queue of writers between handles on the same file. tests/hostile tests it between processes. */
import { readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { loadLockAddon, type NativeLocks } from '../src/node/lock-native.ts';
import { describeLockHolder, QueueFile } from '../src/node/queue-file.ts';
import { DEFAULT_WAIT_LIMITS, FileQueue, SHORT_WAIT_LIMITS, type WaitLimits } from '../src/node/write-queue.ts';
import { createTestFolder } from './setup.ts';

const SHORT_WAIT_EVENT = 'in vain';

function loadNativeLocks(): NativeLocks {
  const { addon: native, problem } = loadLockAddon();
  if (native === undefined) throw new Error(problem);
  return native;
}

const createQueuePath = () => join(createTestFolder(), 'argus.db.queue');

/** Opens a handle on the queue file. A ticket that it draws stays in use until the test finishes. */
function openQueueFile(at: string): QueueFile {
  const opened = QueueFile.open(at, loadNativeLocks(), true);
  if (opened === undefined) throw new Error('the queue cannot be used');
  onTestFinished(() => opened.close());
  return opened;
}

function drawTicket(opened: QueueFile): number {
  const ticket = opened.tryDrawTicket();
  if (ticket === undefined) throw new Error('nobody else draws');
  return ticket;
}

/** Creates a queue that behaves like another Argus process. `events` receives the names of completed writes. */
function createWriter(at: string, events: string[], patience?: WaitLimits) {
  const queue = new FileQueue(
    () => at,
    loadNativeLocks(),
    (work) => {
      events.push(SHORT_WAIT_EVENT);
      return work();
    },
    patience,
  );
  onTestFinished(() => queue.close());
  return { queue, write: (name: string) => queue.runInTurn(() => events.push(name)) };
}

test('lets writers write in the order in which they arrived', async () => {
  const [at, events] = [createQueuePath(), [] as string[]];
  const first = openQueueFile(at);
  const ticket = drawTicket(first);
  first.begin(ticket);
  const [one, other] = [createWriter(at, events), createWriter(at, events)];
  const writes = [one.write('1')];
  await sleep(50);
  writes.push(other.write('2'), other.write('4'));
  await sleep(50);
  writes.push(one.write('3'));
  await sleep(100);
  expect(events).toEqual([]);
  first.releaseTicket(ticket);
  await Promise.all(writes);
  // The calls of a process wait for each other before they draw a ticket, so 1 and 2 have tickets when 3 and 4 draw
  // theirs.
  expect(events.slice(0, 2)).toEqual(['1', '2']);
  expect(events.slice(2).sort()).toEqual(['3', '4']);
});

test('lets the next writer write after failed work', async () => {
  const [at, events] = [createQueuePath(), [] as string[]];
  const one = createWriter(at, events);
  await expect(
    one.queue.runInTurn(() => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await createWriter(at, events).write('next');
  expect(events).toEqual(['next']);
});

test('works with an empty, truncated or damaged queue file', async () => {
  const contents = [Buffer.alloc(0), Buffer.from('x'), Buffer.alloc(64 * 1024, 0xff), Buffer.alloc(40, 0x55)];
  for (const content of contents) {
    const [at, events] = [createQueuePath(), [] as string[]];
    writeFileSync(at, content);
    const first = openQueueFile(at);
    const ticket = drawTicket(first);
    first.begin(ticket);
    const waiting = createWriter(at, events).write('second');
    await sleep(50);
    expect(events).toEqual([]);
    first.releaseTicket(ticket);
    await waiting;
    truncateSync(at, 3);
    await createWriter(at, events).write('third');
    expect(events).toEqual(['second', 'third']);
  }
});

test('continues with ticket 1 after the last ticket', async () => {
  const [at, events] = [createQueuePath(), [] as string[]];
  const last = Buffer.alloc(8);
  last.writeUInt32LE(0x7fffffff, 0);
  last.writeUInt32LE(0x7ffffff0, 4);
  writeFileSync(at, last);
  const one = createWriter(at, events);
  for (const name of ['last', 'first', 'second']) await one.write(name);
  expect(events).toEqual(['last', 'first', 'second']);
  expect([readFileSync(at).readUInt32LE(0), readFileSync(at).readUInt32LE(4)]).toEqual([3, 0]);
});

test('creates a private queue file and does not follow links', async () => {
  const [at, events] = [createQueuePath(), [] as string[]];
  await createWriter(at, events).write('own');
  expect(statSync(at).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);

  const [link, target] = [createQueuePath(), createQueuePath()];
  writeFileSync(target, 'a letter');
  symlinkSync(target, link);
  await createWriter(link, events).write('beside a link');
  expect(readFileSync(target, 'utf8')).toBe('a letter');
  await createWriter(join(target, 'no', 'folder'), events).write('nowhere');
  expect(events).toEqual(['own', 'beside a link', 'nowhere']);
});

test('recreates a deleted queue file for all writers', async () => {
  const [at, events] = [createQueuePath(), [] as string[]];
  const one = createWriter(at, events);
  await one.write('old');
  rmSync(at);
  await one.write('new');
  const other = openQueueFile(at);
  const ticket = drawTicket(other);
  expect(ticket).toBe(2);
  const waiting = one.write('later');
  await sleep(30);
  expect(events).toEqual(['old', 'new']);
  other.releaseTicket(ticket);
  await waiting;
});

test('passes over a stopped waiter once', async () => {
  const [at, events] = [createQueuePath(), [] as string[]];
  drawTicket(openQueueFile(at));
  const began = performance.now();
  await createWriter(at, events).write('next');
  const first = performance.now();
  await createWriter(at, events).write('after');
  expect(first - began).toBeGreaterThan(1_500);
  expect(performance.now() - first).toBeLessThan(first - began);
  expect(events).toEqual(['next', 'after']);
});

/** A quarter of a writer's usual time limit. tests/hostile/memory/waiting.full.test.ts checks the whole 8 s. */
const QUARTER_WRITING_TIME: WaitLimits = { ...DEFAULT_WAIT_LIMITS, writingMs: DEFAULT_WAIT_LIMITS.writingMs / 4 };

test('waits while the queue moves, and gives up on a stuck writer', async () => {
  const [at, events] = [createQueuePath(), [] as string[]];
  const slow = Array.from({ length: 3 }, () => openQueueFile(at)).map((opened) => ({
    opened,
    ticket: drawTicket(opened),
  }));
  const waiting = createWriter(at, events, QUARTER_WRITING_TIME).write('patient');
  for (const { opened, ticket } of slow) {
    opened.begin(ticket);
    await sleep(1_000);
    opened.releaseTicket(ticket);
  }
  await waiting;
  expect(events).toEqual(['patient']);

  const stuck = openQueueFile(at);
  stuck.begin(drawTicket(stuck));
  await createWriter(at, events, QUARTER_WRITING_TIME).write('next');
  expect(events.slice(1)).toEqual([SHORT_WAIT_EVENT, 'next']);
  // The holder is this process, so the message must not identify it.
  expect(describeLockHolder(at.replace('.queue', ''), loadNativeLocks(), 0)).toBe('');
});

test('waits half a second for its turn if it has short wait limits', async () => {
  const [at, events] = [createQueuePath(), [] as string[]];
  const slow = openQueueFile(at);
  slow.begin(drawTicket(slow));
  const began = performance.now();
  await createWriter(at, events, SHORT_WAIT_LIMITS).write('soon');
  expect(events).toEqual([SHORT_WAIT_EVENT, 'soon']);
  expect(performance.now() - began).toBeLessThan(2_000);
});
