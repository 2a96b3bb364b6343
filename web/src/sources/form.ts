// What the form for a new source sends.
import type { NewSource, SourceKind, SourceOption } from '../api/sources';

/** Draft is what somebody has typed; options are texts, or booleans for switches. */
export interface Draft {
  location: string;
  name: string;
  collection: string;
  schedule: string;
  options: Record<string, string | boolean>;
}

/** isSwitch reports whether an option is on or off. */
export const isSwitch = (o: SourceOption): boolean => !o.secret && (o.type === 'bool' || typeof o.default === 'boolean' || o.default === 'true' || o.default === 'false');

/** startOf is what an option's field holds at first. Secrets have no defaults. */
export const startOf = (o: SourceOption): string | boolean => (isSwitch(o) ? o.default === true || o.default === 'true' : '');

/** typed is an option in the type of its default; undefined if the default is to be used. */
function typed(o: SourceOption, value: string | boolean | undefined): string | number | boolean | undefined {
  if (value === undefined || value === startOf(o)) return undefined;
  if (typeof value === 'boolean') return typeof o.default === 'boolean' ? value : String(value);
  const text = value.trim();
  if (text === '') return undefined;
  return typeof o.default === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** request is the source that a draft describes; only what differs from the defaults is sent. */
export function request(kind: SourceKind, draft: Draft): NewSource {
  const options: Record<string, string | number | boolean> = {};
  const secret: Record<string, string> = {};
  for (const o of kind.options ?? []) {
    const value = draft.options[o.name];
    if (o.secret) {
      if (typeof value === 'string' && value !== '') secret[o.name] = value; // blanks may belong to it
      continue;
    }
    const sent = typed(o, value);
    if (sent !== undefined) options[o.name] = sent;
  }
  const name = draft.name.trim();
  const collection = draft.collection.trim();
  return {
    kind: kind.kind,
    location: draft.location.trim(),
    ...(name && { name }),
    ...(collection && { collection }),
    ...(draft.schedule && { schedule: draft.schedule }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(Object.keys(secret).length > 0 && { secret }),
  };
}
