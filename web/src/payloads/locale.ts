// How plotly.js writes dates and numbers.

/** Locale is a language as plotly.js takes it. */
export interface Locale {
  moduleType: 'locale';
  name: string;
  dictionary: Record<string, string>;
  format: { days: string[]; shortDays: string[]; months: string[]; shortMonths: string[]; date: string; decimal: string; thousands: string };
}

/** localeOf returns a language with its own words, and with the dates and numbers that the browser knows. */
export function localeOf(language: string, dictionary: Record<string, string>): Locale {
  const names = (options: Intl.DateTimeFormatOptions, n: number, day: (i: number) => number) => {
    const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
    return Array.from({ length: n }, (_, i) => format.format(day(i)));
  };
  const weekday = (i: number) => Date.UTC(2023, 0, 1 + i); // a Sunday
  const month = (i: number) => Date.UTC(2023, i, 1);
  const numbers = new Intl.NumberFormat(language, { useGrouping: 'always' }).formatToParts(1234.5);
  const part = (type: string) => numbers.find((p) => p.type === type)?.value ?? '';
  return {
    moduleType: 'locale', name: language, dictionary,
    format: {
      days: names({ weekday: 'long' }, 7, weekday),
      shortDays: names({ weekday: 'short' }, 7, weekday),
      months: names({ month: 'long' }, 12, month),
      shortMonths: names({ month: 'short' }, 12, month),
      date: dateOf(language),
      decimal: part('decimal'),
      thousands: part('group'),
    },
  };
}

const places: Record<string, string> = { day: '%d', month: '%m', year: '%Y' };

// dateOf returns the order and the marks of a date, such as %d.%m.%Y.
const dateOf = (language: string): string =>
  new Intl.DateTimeFormat(language, { day: '2-digit', month: '2-digit', year: 'numeric' }).formatToParts(0).map((p) => places[p.type] ?? p.value).join('');
