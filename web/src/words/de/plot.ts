import type { plot as en } from '../en/plot';

export const plot: typeof en = {
  'min:': 'Min.:',
  'max:': 'Max.:',
  'median:': 'Median:',
  'mean:': 'Mittelwert:',
  'mean ± σ:': 'Mittelwert ± σ:',
  'lower fence:': 'Untere Schranke:',
  'upper fence:': 'Obere Schranke:',
};
