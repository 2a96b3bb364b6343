import { digits } from './digits';

/** plural returns a number with the singular or plural of a noun. */
export const plural = (n: number, one: string, many: string, language = 'en'): string => `${digits(n, language)} ${n === 1 ? one : many}`;
