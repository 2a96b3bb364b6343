// The form for a new source.
import type { NewSource, SourceKind, SourceOption } from '../api/sources';

/** Draft is the content of the form. An option is text, or a boolean for a switch. */
export interface Draft {
  location: string;
  name: string;
  collection: string;
  schedule: string;
  options: Record<string, string | boolean>;
}

/** isSwitch reports whether an option is on or off. */
export const isSwitch = (option: SourceOption): boolean => !option.secret && option.type === 'bool';

/** startOf returns the first value of an option's field. Only switches start with their default. */
export const startOf = (option: SourceOption): string | boolean => (isSwitch(option) ? option.default === 'true' : '');

/** written returns an option as text, or undefined to use its default. */
function written(option: SourceOption, value: string | boolean | undefined): string | undefined {
  if (value === undefined || value === startOf(option)) return undefined;
  return String(value).trim() || undefined;
}

/** request returns the source that a draft describes. Options with their default value are left out. */
export function request(kind: SourceKind, draft: Draft): NewSource {
  const options: Record<string, string> = {};
  const secret: Record<string, string> = {};
  for (const option of kind.options) {
    const value = draft.options[option.name];
    if (option.secret) {
      if (typeof value === 'string' && value !== '') secret[option.name] = value; // keep spaces, a secret can contain them
      continue;
    }
    const text = written(option, value);
    if (text !== undefined) options[option.name] = text;
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
