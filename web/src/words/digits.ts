// The separators of the first languages. Intl takes browsers long to load at first.
const marks: Record<string, string> = { en: ',', de: '.' };

const formats = new Map<string, Intl.NumberFormat>();

/** digits formats a whole number with the separators of a language. */
export function digits(n: number, language: string): string {
  const mark = marks[language];
  if (mark) return String(n).replace(/\B(?=(?:\d{3})+$)/g, mark);
  let format = formats.get(language);
  if (!format) formats.set(language, (format = new Intl.NumberFormat(language)));
  return format.format(n);
}
