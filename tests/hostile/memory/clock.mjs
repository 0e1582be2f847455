/**
 * Loaded into a process before its own code (`node --import`): its clock says what ARGUS_TEST_CLOCK says, in
 * milliseconds since 1970, and goes on from there. Timers keep their own clock.
 */

const ahead = Number(process.env.ARGUS_TEST_CLOCK) - Date.now();
const now = Date.now;

Date.now = () => now() + ahead;
globalThis.Date = class extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [now() + ahead] : given));
  }
};
