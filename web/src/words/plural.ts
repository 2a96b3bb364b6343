/** plural counts things: one of them, or many. */
export const plural = (n: number, one: string, many: string, language = 'en'): string => `${n.toLocaleString(language)} ${n === 1 ? one : many}`;
