/** What detection asks of the machine. */

/** What is on the machine, as values. */
export interface Machine {
  platform: string;
  /** Whether a program is on the PATH. */
  has(program: string): boolean;
}
