// The conversation: questions, answers, what can be done with them.
import type { Catalogue } from '../en';

export const chat: Catalogue['chat'] = {
};
