// The texts of the page in the chosen language. English is part of the first load, and
// other languages load when they are used. A language with a missing or extra text does not
// compile.
import { digits } from './digits';
import { en, type Catalogue } from './en';
import { languageOf, others, type Language } from './languages';
import { inLanguage, type Text } from './sentences';
import type { Parts, Texts } from './texts';

const stored = 'docent.language';

class Words {
  language = $state<Language>('en');
  private other = $state.raw<Texts | null>(null); // null: English
  private readonly said = $derived<Catalogue>(this.other?.page ?? en);

  /** start selects the stored language or that of the browser. It never fails. */
  async start(): Promise<void> {
    let chosen: Language | undefined;
    try {
      chosen = languageOf(localStorage.getItem(stored) ?? '');
    } catch {
      // The browser can forbid storage.
    }
    chosen ??= navigator.languages.map(languageOf).find(Boolean) ?? 'en';
    await this.use(chosen).catch(() => undefined); // English is the default
  }

  /** choose changes the language. It fails if the language cannot be loaded. */
  async choose(language: Language): Promise<void> {
    await this.use(language);
    try {
      localStorage.setItem(stored, language);
    } catch {
      // The choice lasts until the page is closed.
    }
  }

  private async use(language: Language): Promise<void> {
    this.other = language === 'en' ? null : (await others[language].page()).texts;
    this.language = language;
    document.documentElement.lang = language;
  }

  get chat() { return this.said.chat; }
  get payloads() { return this.said.payloads; }
  get evidence() { return this.said.evidence; }
  get documents() { return this.said.documents; }
  get shell() { return this.said.shell; }
  get settings() { return this.said.settings; }
  get sources() { return this.said.sources; }
  get input() { return this.said.input; }

  /** part returns the texts of a part of the page that loads later. The part brings its English texts. */
  part<Name extends keyof Parts>(name: Name, english: Parts[Name]): Parts[Name] {
    return this.other?.parts[name] ?? english;
  }

  /** server returns a sentence of the server in the language of the page. Sentences without a known id stay in English. */
  server(text: Text): string {
    return this.other ? inLanguage(this.other.server, text) : text.message;
  }

  /** number formats a number for the language of the page. */
  number(n: number, options?: Intl.NumberFormatOptions): string {
    return !options && Number.isInteger(n) ? digits(n, this.language) : n.toLocaleString(this.language, options);
  }
}

/** words has the texts of the page, for example words.chat.copy and words.chat.rows(3). */
export const words = new Words();
