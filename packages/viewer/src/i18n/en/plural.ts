/** English singular and plural forms. */
export const plural = (count: number, one: string, many: string) => (count === 1 ? one : many);
