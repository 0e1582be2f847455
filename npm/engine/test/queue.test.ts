/** The queue of writers, between handles on one file. Between processes: tests/hostile. */
import { readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { holderOf } from '../src/node/lock-holder.ts';
import { loadNative, type NativeLocks } from '../src/node/lock-native.ts';
import { QueueFile } from '../src/node/queue-file.ts';
import { FileQueue, IMPATIENT, PATIENT, type Patience } from '../src/node/write-queue.ts';
import { folder } from './setup.ts';

const IN_VAIN = 'in vain';

function addon(): NativeLocks {
  const { addon: native, problem } = loadNative();
  if (native === undefined) throw new Error(problem);
  return native;
}

const path = () => join(folder(), 'argus.db.queue');

/** A handle that draws a ticket and keeps it. */
function file(at: string): QueueFile {
  const opened = QueueFile.open(at, addon(), true);
  if (opened === undefined) throw new Error('the queue cannot be used');
  onTestFinished(() => opened.close());
  return opened;
}

function ticketOf(opened: QueueFile): number {
  const ticket = opened.draw();
  if (ticket === undefined) throw new Error('nobody else draws');
  return ticket;
}

/** Acts as an Argus process. `events` receives the names of completed writes. */
function participant(at: string, events: string[], patience?: Patience) {
  const queue = new FileQueue(
    () => at,
    addon(),
    (work) => {
      events.push(IN_VAIN);
      return work();
    },
    patience,
  );
  onTestFinished(() => queue.close());
  return { queue, write: (name: string) => queue.inTurn(() => events.push(name)) };
}

test('serves first come, first served', async () => {
  const [at, events] = [path(), [] as string[]];
  const first = file(at);
  const ticket = ticketOf(first);
  first.begin(ticket);
  const [one, other] = [participant(at, events), participant(at, events)];
  const writes = [one.write('1')];
  await sleep(50);
  writes.push(other.write('2'), other.write('4'));
  await sleep(50);
  writes.push(one.write('3'));
  await sleep(100);
  expect(events).toEqual([]);
  first.giveBack(ticket);
  await Promise.all(writes);
  // Calls of one process wait for each other before they draw a ticket, so 1 and 2 have tickets when 3 and 4 draw.
  expect(events.slice(0, 2)).toEqual(['1', '2']);
  expect(events.slice(2).sort()).toEqual(['3', '4']);
});

test('releases the turn after failed work', async () => {
  const [at, events] = [path(), [] as string[]];
  const one = participant(at, events);
  await expect(
    one.queue.inTurn(() => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await participant(at, events).write('next');
  expect(events).toEqual(['next']);
});

test('works with an empty, cut or damaged file', async () => {
  const contents = [Buffer.alloc(0), Buffer.from('x'), Buffer.alloc(64 * 1024, 0xff), Buffer.alloc(40, 0x55)];
  for (const content of contents) {
    const [at, events] = [path(), [] as string[]];
    writeFileSync(at, content);
    const first = file(at);
    const ticket = ticketOf(first);
    first.begin(ticket);
    const waiting = participant(at, events).write('second');
    await sleep(50);
    expect(events).toEqual([]);
    first.giveBack(ticket);
    await waiting;
    truncateSync(at, 3);
    await participant(at, events).write('third');
    expect(events).toEqual(['second', 'third']);
  }
});

test('wraps around after the last ticket', async () => {
  const [at, events] = [path(), [] as string[]];
  const last = Buffer.alloc(8);
  last.writeUInt32LE(0x7fffffff, 0);
  last.writeUInt32LE(0x7ffffff0, 4);
  writeFileSync(at, last);
  const one = participant(at, events);
  for (const name of ['last', 'first', 'second']) await one.write(name);
  expect(events).toEqual(['last', 'first', 'second']);
  expect([readFileSync(at).readUInt32LE(0), readFileSync(at).readUInt32LE(4)]).toEqual([3, 0]);
});

test('creates a private file and follows no links', async () => {
  const [at, events] = [path(), [] as string[]];
  await participant(at, events).write('own');
  expect(statSync(at).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);

  const [link, target] = [path(), path()];
  writeFileSync(target, 'a letter');
  symlinkSync(target, link);
  await participant(link, events).write('beside a link');
  expect(readFileSync(target, 'utf8')).toBe('a letter');
  await participant(join(target, 'no', 'folder'), events).write('nowhere');
  expect(events).toEqual(['own', 'beside a link', 'nowhere']);
});

test('recreates a deleted file for all writers', async () => {
  const [at, events] = [path(), [] as string[]];
  const one = participant(at, events);
  await one.write('old');
  rmSync(at);
  await one.write('new');
  const other = file(at);
  const ticket = ticketOf(other);
  expect(ticket).toBe(2);
  const waiting = one.write('later');
  await sleep(30);
  expect(events).toEqual(['old', 'new']);
  other.giveBack(ticket);
  await waiting;
});

test('passes over a stopped waiter once', async () => {
  const [at, events] = [path(), [] as string[]];
  ticketOf(file(at));
  const began = performance.now();
  await participant(at, events).write('next');
  const first = performance.now();
  await participant(at, events).write('after');
  expect(first - began).toBeGreaterThan(1_500);
  expect(performance.now() - first).toBeLessThan(first - began);
  expect(events).toEqual(['next', 'after']);
});

/** A quarter of the time a writer has. tests/hostile/memory/waiting.full.test.ts checks the 8 s. */
const QUARTER: Patience = { ...PATIENT, writingMs: PATIENT.writingMs / 4 };

test('waits in a moving line and gives up on a stuck writer', async () => {
  const [at, events] = [path(), [] as string[]];
  const slow = Array.from({ length: 3 }, () => file(at)).map((opened) => ({ opened, ticket: ticketOf(opened) }));
  const waiting = participant(at, events, QUARTER).write('patient');
  for (const { opened, ticket } of slow) {
    opened.begin(ticket);
    await sleep(1_000);
    opened.giveBack(ticket);
  }
  await waiting;
  expect(events).toEqual(['patient']);

  const stuck = file(at);
  stuck.begin(ticketOf(stuck));
  await participant(at, events, QUARTER).write('next');
  expect(events.slice(1)).toEqual([IN_VAIN, 'next']);
  // The holder is this process, so the message must not name it.
  expect(holderOf(at.replace('.queue', ''), addon(), 0)).toBe('');
});

test('waits half a second for a turn if impatient', async () => {
  const [at, events] = [path(), [] as string[]];
  const slow = file(at);
  slow.begin(ticketOf(slow));
  const began = performance.now();
  await participant(at, events, IMPATIENT).write('soon');
  expect(events).toEqual([IN_VAIN, 'soon']);
  expect(performance.now() - began).toBeLessThan(2_000);
});
