const marks: Record<string, string> = { en: ',', de: '.' };

/**
 * digits writes a whole number with its thousands apart, as a language does.
 * Intl would, but a browser takes long to begin with it, in the first load.
 */
export function digits(n: number, language: string): string {
  return String(n).replace(/\B(?=(?:\d{3})+$)/g, marks[language] ?? ',');
}
