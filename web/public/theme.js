// Runs before the first paint, so that a chosen theme or size does not flash.
try {
  const chosen = document.documentElement.dataset;
  const theme = localStorage.getItem('docent.theme');
  if (theme === 'light' || theme === 'dark') chosen.theme = theme;
  const size = localStorage.getItem('docent.size');
  if (size === 'small' || size === 'large' || size === 'x-large') chosen.size = size;
} catch {
  // Storage may be forbidden; the system's theme and size are used then.
}
