// Sends the confirmation; the queue is emptied in the background.
import { setTimeout as sleep } from 'node:timers/promises';

export class MailQueue {
  #waiting = [];
  #sent = [];

  push(mail) {
    this.#waiting.push(mail);
  }

  flush() {
    this.#sent.push(...this.#waiting.splice(0));
  }

  async delivered(count, signal) {
    while (this.#sent.length < count) await sleep(20, undefined, { signal });
    return this.#sent;
  }
}
