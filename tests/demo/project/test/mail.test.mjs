import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MailQueue } from '../src/mail.mjs';

test('confirmation mail is delivered', { timeout: 400 }, async (t) => {
  const queue = new MailQueue();
  queue.push({ to: 'ada@example.com', subject: 'Your order' });
  const sent = await queue.delivered(1, t.signal);
  assert.equal(sent[0].to, 'ada@example.com');
});
