/** The exit of a program, the ends of its output streams, and the code that waits for both need one turn each. */
const TURNS = 3;

/** Lets the event loop handle all events that are already pending. */
export async function turnsOfEvents(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
