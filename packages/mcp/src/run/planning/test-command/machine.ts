/** The facts about the machine that detection needs. */

/** The machine as a value, so that tests can replace it. */
export interface Machine {
  platform: string;
  /** Returns true if a program is on the PATH. */
  has(program: string): boolean;
}
