// The {placeholders} of prompts.

const placeholder = /\{(\p{L}[\p{L}\p{N} _-]{0,39})\}/gu;

/** placeholders returns the names in a text, each once. */
export const placeholders = (text: string): string[] => [...new Set([...text.matchAll(placeholder)].map(([, name]) => name!))];

/** fill replaces placeholders with their values. Those without a value stay. */
export const fill = (text: string, values: Record<string, string>): string => text.replace(placeholder, (whole, name: string) => values[name]?.trim() || whole);
