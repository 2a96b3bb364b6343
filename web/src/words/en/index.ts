import { chat } from './chat';
import { documents } from './documents';
import { evidence } from './evidence';
import { input } from './input';
import { payloads } from './payloads';
import { settings } from './settings';
import { shell } from './shell';
import { sources } from './sources';

/** en is the page in English, which the other languages must match. */
export const en = { chat, documents, evidence, input, payloads, settings, shell, sources };

/** Catalogue is the type of all texts in one language: strings, and functions of numbers and names. */
export type Catalogue = typeof en;
