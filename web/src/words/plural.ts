import { digits } from './digits';

/** plural counts things: one of them, or many. */
export const plural = (n: number, one: string, many: string, language = 'en'): string => `${digits(n, language)} ${n === 1 ? one : many}`;
