// What agents say that is not text.
import type { Catalogue } from '../en';

export const payloads: Catalogue['payloads'] = {
};
