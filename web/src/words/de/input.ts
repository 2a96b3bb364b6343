// What the user says, and with what.
import type { Catalogue } from '../en';

export const input: Catalogue['input'] = {
};
