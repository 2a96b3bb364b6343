const marks: Record<string, string> = { en: ',', de: '.' };

/** digits formats a whole number with separators. It does not use Intl, which takes browsers long to load at first. */
export function digits(n: number, language: string): string {
  return String(n).replace(/\B(?=(?:\d{3})+$)/g, marks[language] ?? ',');
}
