// Locators of elements in jsdom, with the names that Playwright has for them. So a test can
// move between the browser and a mounted component unchanged.
import { queryAllByLabelText, queryAllByRole } from '@testing-library/dom';
import type { UserEvent } from '@testing-library/user-event';
import { expect } from 'vitest';

type Text = string | RegExp;

export interface RoleOptions {
  name?: Text;
  exact?: boolean;
  disabled?: boolean;
  level?: number;
}

const spaced = (s: string | null | undefined) => (s ?? '').replace(/\s+/g, ' ').trim();

/** matches compares as Playwright does: a string is a part of the text in any case, unless exact. */
function matches(text: string, wanted: Text, exact = false): boolean {
  if (wanted instanceof RegExp) return wanted.test(text);
  return exact ? text === wanted : text.toLowerCase().includes(wanted.toLowerCase());
}

/** shown reports whether an element is displayed, as far as attributes decide it. */
const shown = (el: Element) =>
  el.isConnected && !el.closest('[hidden], dialog:not([open]), [popover]:not([data-open])') && !hiddenByDetails(el);

function hiddenByDetails(el: Element): boolean {
  for (let d = el.parentElement?.closest('details'); d; d = d.parentElement?.closest('details')) {
    if (!d.open && el.closest('summary')?.parentElement !== d) return true;
  }
  return false;
}

/** Scope finds elements below others. */
export class Scope {
  constructor(
    protected readonly user: UserEvent,
    protected readonly roots: () => Element[],
  ) {}

  private below(find: (root: HTMLElement) => Element[]): Locator {
    return new Locator(this.user, () => [...new Set(this.roots().flatMap((root) => find(root as HTMLElement)))]);
  }

  locator(selector: string, { hasText }: { hasText?: Text } = {}): Locator {
    const found = this.below((root) => [...root.querySelectorAll(selector.startsWith('>') ? `:scope ${selector}` : selector)]);
    return hasText === undefined ? found : found.filter({ hasText });
  }

  getByRole(role: string, { name, exact = false, disabled, level }: RoleOptions = {}): Locator {
    return this.below((root) =>
      queryAllByRole(root, role, { hidden: true, ...(level !== undefined && { level }), ...(name !== undefined && { name: (n: string) => matches(spaced(n), name, exact) }) })
        .filter((el) => shown(el) && !el.closest('[inert], [aria-hidden=true]') && (disabled === undefined || el.matches(':disabled') === disabled)));
  }

  getByLabel(label: Text, { exact = false }: { exact?: boolean } = {}): Locator {
    return this.below((root) => queryAllByLabelText(root, label, { exact }));
  }

  getByPlaceholder(text: string): Locator {
    return this.below((root) => [...root.querySelectorAll('[placeholder]')].filter((el) => matches(el.getAttribute('placeholder')!, text)));
  }

  /** getByText finds the innermost elements with a text. */
  getByText(text: Text, { exact = false }: { exact?: boolean } = {}): Locator {
    const has = (el: Element) => el.localName !== 'script' && el.localName !== 'style' && matches(spaced(el.textContent), text, exact);
    // A part of the text of an element is also a part of its parent's text.
    const part = typeof text === 'string' && !exact;
    const innermost = (el: Element): Element[] => {
      const found = has(el);
      if (part && !found) return [];
      const children = [...el.children];
      const below = children.flatMap(innermost);
      return found && !children.some(has) ? [el, ...below] : below;
    };
    return this.below(innermost);
  }
}

export class Locator extends Scope {
  first = () => this.nth(0);
  last = () => this.nth(-1);
  nth = (n: number) => new Locator(this.user, () => [this.roots().at(n)].filter((el) => el !== undefined));
  and = (other: Locator) => new Locator(this.user, () => this.roots().filter((el) => other.roots().includes(el)));
  or = (other: Locator) => new Locator(this.user, () => [...new Set([...this.roots(), ...other.roots()])]);
  filter = ({ hasText }: { hasText: Text }) => new Locator(this.user, () => this.roots().filter((el) => matches(spaced(el.textContent), hasText)));

  /** element waits for the only element. */
  private async element(): Promise<HTMLElement> {
    await expect.poll(() => this.roots().length).toBe(1);
    return this.roots()[0] as HTMLElement;
  }

  async waitFor({ state = 'visible' }: { state?: 'visible' | 'hidden' | 'attached' | 'detached' } = {}): Promise<void> {
    const is = { visible: (all: Element[]) => all.some(shown), attached: (all: Element[]) => all.length > 0, hidden: (all: Element[]) => !all.some(shown), detached: (all: Element[]) => all.length === 0 };
    await expect.poll(() => is[state](this.roots())).toBe(true);
  }

  all = async () => this.roots().map((el) => new Locator(this.user, () => [el]));
  count = async () => this.roots().length;
  allTextContents = async () => this.roots().map((el) => el.textContent ?? '');
  allInnerTexts = async () => this.roots().map((el) => spaced(el.textContent));
  evaluateAll = async <T>(f: (all: Element[]) => T) => f(this.roots());
  evaluate = async <T>(f: (el: HTMLElement) => T) => f(await this.element());
  textContent = async () => (await this.element()).textContent ?? '';
  innerText = async () => spaced((await this.element()).textContent);
  getAttribute = async (name: string) => (await this.element()).getAttribute(name);
  inputValue = async () => ((await this.element()) as HTMLInputElement).value;
  isChecked = async () => ((await this.element()) as HTMLInputElement).checked;
  isDisabled = async () => (await this.element()).matches(':disabled');
  isEditable = async () => !(await this.element()).matches(':disabled, [readonly]');
  isVisible = async () => this.roots().some(shown);

  click = async () => this.user.click(await this.enabled());
  hover = async () => this.user.hover(await this.element());
  focus = async () => (await this.element()).focus();
  blur = async () => (await this.element()).blur();

  async selectOption(option: string | { label: string }): Promise<void> {
    const el = (await this.enabled()) as HTMLSelectElement;
    const wanted = typeof option === 'string' ? option : option.label;
    const is = (o: HTMLOptionElement) => o.value === wanted || o.label === wanted;
    await expect.poll(() => [...el.options].some(is)).toBe(true);
    await this.user.selectOptions(el, [...el.options].find(is)!);
  }

  /** enabled waits until the element can be used. */
  private async enabled(): Promise<HTMLElement> {
    await expect.poll(() => this.roots().map((el) => el.matches(':disabled'))).toEqual([false]);
    return this.roots()[0] as HTMLElement;
  }

  async check(): Promise<void> {
    if (!(await this.isChecked())) await this.click();
  }

  async uncheck(): Promise<void> {
    if (await this.isChecked()) await this.click();
  }

  async fill(text: string): Promise<void> {
    const el = (await this.enabled()) as HTMLInputElement;
    el.focus();
    el.value = text;
    el.dispatchEvent(new Event('input', { bubbles: true }));
    el.dispatchEvent(new Event('change', { bubbles: true }));
  }

  async press(key: string): Promise<void> {
    await this.focus();
    await press(this.user, key);
  }

  async setInputFiles(files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> {
    await this.user.upload(await this.element(), files.map((f) => new File([new Uint8Array(f.buffer)], f.name, { type: f.mimeType })));
  }
}

/** press presses a key with its modifiers, such as Control+k. */
export async function press(user: UserEvent, keys: string): Promise<void> {
  const all = keys.split('+');
  const key = all.pop()!;
  const held = all.map((k) => `{${k}>}`).join('');
  const released = all.map((k) => `{/${k}}`).reverse().join('');
  await user.keyboard(`${held}${key.length === 1 ? key : key === 'Space' ? ' ' : `{${key}}`}${released}`);
}
