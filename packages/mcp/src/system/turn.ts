/** Lets what has happened by now be handled: programs that have ended, data that has come. */
export function turnOfEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
