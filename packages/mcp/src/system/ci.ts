/** Whether a service of continuous integration runs this; all of them set the variable. */
export function isInCi(): boolean {
  const { CI } = process.env;
  return CI !== undefined && !['', '0', 'false'].includes(CI.toLowerCase());
}
