import { chat } from './chat';
import { documents } from './documents';
import { evidence } from './evidence';
import { input } from './input';
import { payloads } from './payloads';
import { settings } from './settings';
import { shell } from './shell';
import { sources } from './sources';

/** en is the page in English, by which the other languages are measured. */
export const en = { chat, documents, evidence, input, payloads, settings, shell, sources };

/** Catalogue is what a language has to say: texts, and functions of numbers and names. */
export type Catalogue = typeof en;
