// The theme and other choices for this browser. public/theme.js applies the theme before
// the first paint.
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const sizes = ['small', 'normal', 'large', 'x-large'] as const;
export type Size = (typeof sizes)[number];

export const sendKeys = ['enter', 'ctrl-enter'] as const;
export type SendKey = (typeof sendKeys)[number];

/** keep stores a choice. It stores nothing for the usual one. */
function keep(name: string, choice: string, usual: string): void {
  try {
    if (choice === usual) localStorage.removeItem(name);
    else localStorage.setItem(name, choice);
  } catch {
    // The browser can forbid storage. The choice then lasts until the page is closed.
  }
}

function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

const root = document.documentElement;

class ThemeChoice {
  choice = $state<Theme>((root.dataset.theme as Theme | undefined) ?? 'system');
  size = $state<Size>((root.dataset.size as Size | undefined) ?? 'normal');
  /** The key that sends a message. The other key starts a new line. */
  send = $state<SendKey>(kept('docent.send') === 'ctrl-enter' ? 'ctrl-enter' : 'enter');

  choose(theme: Theme): void {
    this.choice = theme;
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
    keep('docent.theme', theme, 'system');
  }

  /** next selects the next theme: system, light, dark. */
  next(): void {
    this.choose(themes[(themes.indexOf(this.choice) + 1) % themes.length]!);
  }

  enlarge(size: Size): void {
    this.size = size;
    if (size === 'normal') delete root.dataset.size;
    else root.dataset.size = size;
    keep('docent.size', size, 'normal');
  }

  sendWith(key: SendKey): void {
    this.send = key;
    keep('docent.send', key, 'enter');
  }
}

export const theme = new ThemeChoice();
