import { chat } from './chat';
import { documents } from './documents';
import { evidence } from './evidence';
import { input } from './input';
import { payloads } from './payloads';
import { settings } from './settings';
import { shell } from './shell';
import { sources } from './sources';
import type { Catalogue } from '../en';

/** de is the page in German. */
export const de: Catalogue = { chat, documents, evidence, input, payloads, settings, shell, sources };

export { server } from './server';
