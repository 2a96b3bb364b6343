// Sources, passages and what was searched.
import type { Catalogue } from '../en';

export const evidence: Catalogue['evidence'] = {
};
