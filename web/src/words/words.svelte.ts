// The texts of the page in the chosen language. English is part of the first load, and
// other languages load when they are used. A language with a missing or extra text does not
// compile.
import { digits } from './digits';
import { en, type Catalogue } from './en';
import { inLanguage, type Sentences, type Text } from './sentences';

export type Language = 'en' | 'de';

/** The languages, each with its own name. */
export const languages: Record<Language, string> = { en: 'English', de: 'Deutsch' };

/** Other is a language other than English: its texts for the page and for the sentences of the server. */
interface Other {
  said: Catalogue;
  server: Sentences;
}

const others: Record<Exclude<Language, 'en'>, () => Promise<Other>> = {
  de: () => import('./de').then((m) => ({ said: m.de, server: m.server })),
};

const stored = 'docent.language';

const known = (tag: string | null | undefined): Language | undefined =>
  tag && Object.hasOwn(languages, tag) ? (tag as Language) : undefined;

class Words {
  language = $state<Language>('en');
  private said = $state.raw<Catalogue>(en);
  private sentences = $state.raw<Sentences | null>(null); // null: English, as the server sends it

  /** start selects the stored language or that of the browser. It never fails. */
  async start(): Promise<void> {
    let chosen: Language | undefined;
    try {
      chosen = known(localStorage.getItem(stored));
    } catch {
      // The browser can forbid storage.
    }
    chosen ??= navigator.languages.map((tag) => known(tag.split('-')[0]!.toLowerCase())).find(Boolean) ?? 'en';
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
    const { said, server } = language === 'en' ? { said: en, server: null } : await others[language]();
    this.said = said;
    this.sentences = server;
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

  /** server returns a sentence of the server in the language of the page. Sentences without a known id stay in English. */
  server(text: Text): string {
    return this.sentences ? inLanguage(this.sentences, text) : text.message;
  }

  /** number formats a number for the language of the page. */
  number(n: number, options?: Intl.NumberFormatOptions): string {
    return !options && Number.isInteger(n) ? digits(n, this.language) : n.toLocaleString(this.language, options);
  }
}

/** words has the texts of the page, for example words.chat.copy and words.chat.rows(3). */
export const words = new Words();
