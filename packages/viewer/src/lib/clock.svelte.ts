/** The current time, updated every half minute so that `3 minutes ago` stays true. */

const EVERY_MS = 30_000;

let now = $state(Date.now());
setInterval(() => {
  now = Date.now();
}, EVERY_MS);

export const clock = {
  get now(): number {
    return now;
  },
};
