// The colors of the page as values, for plots and frames, which cannot read its variables.
const names = ['ink', 'muted', 'paper', 'surface', 'sunken', 'line', 'accent'] as const;

export type Colours = Record<(typeof names)[number], string> & { dark: boolean };

function read(): Colours {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  const found: Record<string, string> = Object.fromEntries(names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  }));
  probe.remove();
  const scheme = document.documentElement.dataset.theme;
  return { ...(found as Record<(typeof names)[number], string>), dark: scheme ? scheme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches };
}

/** Looked has the present colors, which change with the theme. */
class Looked {
  current = $state.raw(read());

  constructor() {
    const again = () => (this.current = read());
    new MutationObserver(again).observe(document.documentElement, { attributeFilter: ['data-theme'] });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  }
}

export const colours = new Looked();
