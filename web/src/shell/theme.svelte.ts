export type Theme = 'system' | 'light' | 'dark';

const stored = 'docent.theme';

class ThemeChoice {
  choice = $state<Theme>((document.documentElement.dataset.theme as Theme | undefined) ?? 'system');

  /** next goes round: system, light, dark. */
  next(): void {
    this.choice = this.choice === 'system' ? 'light' : this.choice === 'light' ? 'dark' : 'system';
    if (this.choice === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.choice;
    try {
      if (this.choice === 'system') localStorage.removeItem(stored);
      else localStorage.setItem(stored, this.choice);
    } catch {
      // Storage may be forbidden; the choice then lasts as long as the page.
    }
  }
}

export const theme = new ThemeChoice();
