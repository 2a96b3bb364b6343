import type { Texts } from '../texts';
import { brief } from './brief';
import { chat } from './chat';
import { console } from './console';
import { documents } from './documents';
import { evidence } from './evidence';
import { input } from './input';
import { payloads } from './payloads';
import { plot } from './plot';
import { profile } from './profile';
import { server } from './server';
import { settings } from './settings';
import { shell } from './shell';
import { sources } from './sources';
import { start } from './start';
import { way } from './way';

/** texts is the page in French. */
export const texts: Texts = {
  page: { chat, documents, evidence, input, payloads, settings, shell, sources },
  parts: { brief, console, plot, profile, start, way },
  server,
};
