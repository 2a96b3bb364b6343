// The dates and numbers of figures.
import { expect, test } from 'vitest';
import { localeOf } from '../../src/payloads/locale';

test.each([
  ['en', '%m/%d/%Y', '.,', 'Sunday', 'Dec'],
  ['de', '%d.%m.%Y', ',.', 'Sonntag', 'Dez'],
  ['es', '%d/%m/%Y', ',.', 'domingo', 'dic'],
  ['fr', '%d/%m/%Y', ',\u202f', 'dimanche', 'déc.'],
])('%s', (language, date, separators, sunday, december) => {
  const { name, dictionary, format } = localeOf(language, { 'min:': 'x' });
  expect([name, dictionary['min:'], format.date, format.decimal + format.thousands, format.days[0], format.shortMonths[11]]).toEqual([language, 'x', date, separators, sunday, december]);
  expect([format.days.length, format.shortDays.length, format.months.length]).toEqual([7, 7, 12]);
});
