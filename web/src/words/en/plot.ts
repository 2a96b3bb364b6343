// The words of plotly.js when the pointer is on a box of a box plot. Their keys are those of plotly.js.
export const plot = {
  'min:': 'min:',
  'max:': 'max:',
  'median:': 'median:',
  'mean:': 'mean:',
  'mean ± σ:': 'mean ± σ:',
  'lower fence:': 'lower fence:',
  'upper fence:': 'upper fence:',
};
