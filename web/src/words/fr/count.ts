// Numbers in French, in which 0 and 1 are singular.
import { digits } from '../digits';
import { isOne, plural } from '../plural';

export const number = (n: number): string => digits(n, 'fr');

/** count returns a number with the singular or plural of a noun. */
export const count = (n: number, one: string, many: string): string => plural(n, one, many, 'fr');

/** agree returns the singular or the plural for a number. */
export const agree = (n: number, one: string, many: string): string => (isOne(n, 'fr') ? one : many);
