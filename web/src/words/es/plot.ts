import type { plot as en } from '../en/plot';

export const plot: typeof en = {
  'min:': 'mín.:',
  'max:': 'máx.:',
  'median:': 'mediana:',
  'mean:': 'media:',
  'mean ± σ:': 'media ± σ:',
  'lower fence:': 'límite inferior:',
  'upper fence:': 'límite superior:',
};
