/** For a program that has ended: its exit, the ends of what it printed, and what waits for both come one after the other. */
const TURNS = 3;

/** Lets what has happened by now be handled. */
export async function turnsOfEvents(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
