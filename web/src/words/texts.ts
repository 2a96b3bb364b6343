// The texts of a language. A language with a missing or extra text does not compile.
import type { Catalogue } from './en';
import type { brief } from './en/brief';
import type { console } from './en/console';
import type { plot } from './en/plot';
import type { profile } from './en/profile';
import type { start } from './en/start';
import type { way } from './en/way';
import type { Sentences } from './sentences';

/** Parts are the texts of the parts of the page that load later. */
export interface Parts {
  brief: typeof brief;
  console: typeof console;
  plot: typeof plot;
  profile: typeof profile;
  start: typeof start;
  way: typeof way;
}

/** Texts are all texts of the page in a language other than English. */
export interface Texts {
  page: Catalogue;
  parts: Parts;
  /** The sentences of the server. */
  server: Sentences;
}
