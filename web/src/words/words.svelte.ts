// What the page says, in the language that was chosen. English is part of the
// first load; the others come when they are wanted. A language that lacks a
// text, or has one too many, does not compile.
import { digits } from './digits';
import { en, type Catalogue } from './en';
import { inLanguage, type Sentences, type Text } from './sentences';

export type Language = 'en' | 'de';

/** Every language, with its name in itself. */
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

  /** start takes the language chosen earlier, or the browser's. It never fails. */
  async start(): Promise<void> {
    let chosen: Language | undefined;
    try {
      chosen = known(localStorage.getItem(stored));
    } catch {
      // Storage may be forbidden.
    }
    chosen ??= navigator.languages.map((tag) => known(tag.split('-')[0]!.toLowerCase())).find(Boolean) ?? 'en';
    await this.use(chosen).catch(() => undefined); // then it is English
  }

  /** choose changes the language from now on. It fails if it cannot be loaded. */
  async choose(language: Language): Promise<void> {
    await this.use(language);
    try {
      localStorage.setItem(stored, language);
    } catch {
      // The choice then lasts as long as the page.
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

  /** server words a sentence of the server by its id. Sentences without a known id stay in English. */
  server(text: Text): string {
    return this.sentences ? inLanguage(this.sentences, text) : text.message;
  }

  /** number writes a number as the language does. */
  number(n: number, options?: Intl.NumberFormatOptions): string {
    return !options && Number.isInteger(n) ? digits(n, this.language) : n.toLocaleString(this.language, options);
  }
}

/** words is what the page says: words.chat.copy, words.chat.rows(3). */
export const words = new Words();
