/** The English forms of one and of many. */
export const plural = (count: number, one: string, many: string) => (count === 1 ? one : many);
