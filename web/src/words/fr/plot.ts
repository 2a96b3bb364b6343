import type { plot as en } from '../en/plot';

export const plot: typeof en = {
  'min:': 'min :',
  'max:': 'max :',
  'median:': 'médiane :',
  'mean:': 'moyenne :',
  'mean ± σ:': 'moyenne ± σ :',
  'lower fence:': 'limite inférieure :',
  'upper fence:': 'limite supérieure :',
};
