// The button and the panel that it opens, in a shadow root that the site's own
// style cannot reach.
import type { Settings } from './attributes';
import { Card } from './card';
import { accent } from './colours';
import { make, sign } from './dom';
import { drawn } from './rows';
import { Session } from './session';
import { rows, type Row } from './view';
import style from './widget.css?inline';
import type { Words } from '../src/words/widget';

/** Within so many px of the end, what comes is followed. */
const near = 40;
/** How much of an answer is read out, in characters. */
const readOut = 400;

export class Panel {
  /** It stands in the site's page; everything else is inside. */
  readonly host = document.createElement('docent-widget');
  private readonly session: Session;
  private readonly root: HTMLElement;
  private readonly button: HTMLButtonElement;
  private readonly panel: HTMLElement;
  private readonly heading = make('h2', { id: 'title' });
  private readonly greeting = make('p', { class: 'greeting', dir: 'auto' });
  private readonly questions = make('div', { class: 'options questions', role: 'group' });
  private readonly list = make('div', { class: 'rows' });
  private readonly log: HTMLElement;
  private readonly notice = make('div', { class: 'notice', role: 'status', hidden: true });
  /** Whether something was said here of which no answer was read out. */
  private awaiting = false;
  private readonly heard = make('p', { class: 'unseen', role: 'status' });
  private readonly input: HTMLTextAreaElement;
  private readonly submit: HTMLButtonElement;
  private readonly card: Card;
  private drawing = 0;
  private running: (Row & { kind: 'pending' }) | undefined;
  private follow = true;
  private position: Settings['position'] = 'end';
  /** The address of a person who helps, or ''. */
  private contact = '';
  /** The site has a greeting of its own. */
  private greets = false;

  constructor(server: string, settings: Settings, private readonly words: Words) {
    this.session = new Session({ server, token: settings.token, collections: settings.collections, agent: settings.agent, changed: () => this.changed() });
    this.button = make('button', { type: 'button', class: 'launcher', 'aria-expanded': 'false', 'aria-haspopup': 'dialog', click: () => (this.shown ? this.close() : this.open()) }, sign('chat'));
    this.input = make('textarea', { rows: '1', 'aria-label': words.question, placeholder: words.placeholder, dir: 'auto', enterkeyhint: 'send', input: () => this.typed(), keydown: (e) => this.key(e as KeyboardEvent) });
    this.submit = make('button', { type: 'submit', class: 'send' });
    this.log = make('div', { class: 'log', role: 'log', 'aria-live': 'off', 'aria-label': words.conversation, tabindex: '0' }, this.greeting, this.questions, this.list);
    this.questions.setAttribute('aria-label', words.questions);
    this.log.addEventListener('scroll', () => (this.follow = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < near));
    const head = make('header', {}, this.heading,
      make('button', { type: 'button', class: 'icon', 'aria-label': words.fresh, title: words.fresh, click: () => this.fresh() }, sign('fresh')),
      make('button', { type: 'button', class: 'icon', 'aria-label': words.close, title: words.close, click: () => this.close() }, sign('close')));
    const form = make('form', { submit: (e) => (e.preventDefault(), this.running ? this.stop() : this.send(this.input.value)) }, this.input, this.submit);
    this.card = new Card(this.log, words);
    this.panel = make('section', { class: 'panel', role: 'dialog', 'aria-labelledby': 'title', hidden: true }, head, this.log, this.notice, form, this.heard, this.card.element);
    this.root = make('div', { class: 'root', lang: settings.language, dir: words.direction }, this.panel, this.button);
    this.guard();
    const shadow = this.host.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    shadow.adoptedStyleSheets = [sheet];
    shadow.append(this.root);
    this.look(settings);
    this.changed();
  }

  get shown(): boolean {
    return !this.panel.hidden;
  }

  open(focus = true): void {
    this.stand();
    this.panel.hidden = false;
    this.root.classList.add('open');
    this.button.setAttribute('aria-expanded', 'true');
    this.session.connect();
    this.log.scrollTop = this.log.scrollHeight;
    if (focus) this.input.focus();
  }

  close(): void {
    if (!this.shown) return;
    this.card.hide();
    const inside = this.panel.contains(this.host.shadowRoot!.activeElement);
    this.panel.hidden = true;
    this.root.classList.remove('open');
    this.button.setAttribute('aria-expanded', 'false');
    if (inside) this.button.focus();
  }

  /** end takes the widget out of the page. */
  end(): void {
    this.session.close();
    this.host.remove();
  }

  /** look follows what the site's attributes say of looks; the rest stays as it began. */
  look(settings: Settings): void {
    const title = settings.title || this.words.title;
    this.heading.textContent = title;
    this.button.setAttribute('aria-label', this.words.open(title));
    this.greets = settings.greeting !== '';
    this.greeting.textContent = settings.greeting || this.words.greeting;
    this.contact = settings.contact;
    this.questions.replaceChildren(...settings.questions.map((q) => make('button', { type: 'button', class: 'button', dir: 'auto', click: () => this.send(q) }, q)));
    this.root.dataset.theme = settings.theme;
    this.position = settings.position;
    this.stand();
    const colours = settings.accent ? accent(settings.accent) : null;
    const values = { '--accent': colours && settings.accent, '--on-accent': colours?.on, '--accent-light': colours?.light, '--accent-dark': colours?.dark };
    for (const [name, value] of Object.entries(values)) this.root.style.setProperty(name, value || null);
    this.root.toggleAttribute('data-accent', colours !== null);
  }

  // The side is by how the site reads, all inside by the widget's own language.
  private stand(): void {
    const turned = getComputedStyle(document.documentElement).direction !== this.words.direction;
    this.root.dataset.position = turned === (this.position === 'start') ? 'end' : 'start';
  }

  // What is typed here is none of the site's shortcuts; Escape closes what is open.
  private guard(): void {
    for (const type of ['keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'paste'] as const) {
      this.root.addEventListener(type, (e) => {
        e.stopPropagation();
        if (!(e instanceof KeyboardEvent) || type !== 'keydown' || e.key !== 'Escape' || e.isComposing) return;
        if (this.card.open) this.card.hide();
        else this.close();
      });
    }
  }

  private key(e: KeyboardEvent): void {
    if (e.key !== 'Enter' || e.shiftKey || e.isComposing) return;
    e.preventDefault();
    if (!this.running) this.send(this.input.value);
  }

  private typed(): void {
    this.input.style.blockSize = 'auto';
    this.input.style.blockSize = `${this.input.scrollHeight + 2}px`;
    this.submit.disabled = !this.running && this.input.value.trim() === '';
  }

  private send(text: string): void {
    if (text.trim() === '' || this.session.trouble === 'foreign') return;
    this.input.value = '';
    this.typed();
    this.follow = true;
    this.session.send(text.trim());
    this.awaiting = true;
    this.input.focus();
  }

  private stop(): void {
    this.session.stop(this.running?.turn);
    this.input.focus();
  }

  private fresh(): void {
    this.card.hide();
    this.session.fresh();
    this.input.focus();
  }

  // However much comes, it is drawn once a frame.
  private changed(): void {
    this.drawing ||= requestAnimationFrame(() => {
      this.drawing = 0;
      this.draw();
    });
  }

  private draw(): void {
    const before = this.running;
    const all = rows(this.session.transcript, this.words.recording, this.greets, this.session.ratings);
    this.questions.hidden = all.some((r) => r.kind === 'question');
    // An agent that greets does it in its own words.
    this.greeting.hidden = !this.greets && all[0]?.kind === 'reply';
    this.running = all.findLast((r): r is Row & { kind: 'pending' } => r.kind === 'pending');
    const old = new Map([...this.list.children].map((el) => [(el as HTMLElement).dataset.key, el as HTMLElement]));
    const elements = all.map((row) => {
      const key = `${row.kind} ${row.key}`;
      const el = drawn(row, old.get(key), { words: this.words, choose: (label) => this.send(label), again: (turn) => this.session.again(turn), rate: (turn, given) => this.session.rate(turn, given), contact: this.contact });
      el.dataset.key = key;
      return el;
    });
    // What stays is left where it is: moving it would take the focus from it.
    elements.forEach((el, i) => this.list.children[i] !== el && this.list.insertBefore(el, this.list.children[i] ?? null));
    while (this.list.children.length > elements.length) this.list.lastChild!.remove();
    if (this.follow) this.log.scrollTop = this.log.scrollHeight;
    this.state();
    const last = all.findLast((r) => r.kind !== 'rating');
    // An answer that is there by the next frame was never seen to run.
    const sudden = this.awaiting && last?.kind === 'reply' && !old.has(`reply ${last.key}`);
    if (!this.running && (before || sudden)) {
      this.awaiting = false;
      this.say(last && elements[all.indexOf(last)]);
    } else if (!before && this.running) this.heard.textContent = this.words.working;
  }

  private say(last: HTMLElement | undefined): void {
    const said = last?.querySelector('.prose, .text, p');
    const verdict = last?.querySelector('.verdict')?.textContent;
    if (said) this.heard.textContent = this.words.answered([verdict, said.textContent].filter(Boolean).join('. ').slice(0, readOut));
  }

  private state(): void {
    const { trouble } = this.session;
    const calm = trouble === '' || (trouble === 'connecting' && this.list.children.length === 0);
    this.notice.hidden = calm;
    if (!calm && this.notice.dataset.trouble !== trouble) {
      const again = trouble === 'token' || trouble === 'refused';
      this.notice.replaceChildren(make('p', {}, this.words[trouble]), ...(again ? [make('button', { type: 'button', class: 'button', click: () => this.session.connect() }, this.words.retry)] : []));
    }
    this.notice.dataset.trouble = calm ? '' : trouble;
    this.input.readOnly = trouble === 'foreign'; // not disabled: it may have the focus
    const what = this.running ? 'stop' : 'send';
    if (this.submit.dataset.what !== what) {
      this.submit.dataset.what = what;
      this.submit.setAttribute('aria-label', this.words[what]);
      this.submit.replaceChildren(sign(what));
    }
    this.submit.disabled = !this.running && this.input.value.trim() === '';
  }
}
