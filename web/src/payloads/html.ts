// Keeps the text and the look of an agent's HTML. It removes scripts, requests, and all
// navigation except links.
import DOMPurify from 'dompurify';
import { safeLink } from '../markdown/render';

export interface Harmless {
  /** The content without its styles, which dress adds. */
  content: DocumentFragment;
  /** The rules of its style sheets. */
  rules: string[];
  /** The HTML has its own colors, which are made for white paper. */
  coloured: boolean;
  cut: boolean;
}

/** The limits: characters, tags, and style rules. */
const most = { characters: 1_000_000, tags: 12_000, rules: 500 };

// Browsers report forbidden styles and handlers even during parsing. Other names avoid
// these reports and keep the styles readable. The sanitizer makes the HTML safe.
const quietly = 'data-look';

/** disarmed returns HTML with other names for these attributes. */
export function disarmed(html: string): string {
  let out = '';
  let at = 0;
  for (let tag = html.indexOf('<'); tag >= 0; tag = html.indexOf('<', at)) {
    out += html.slice(at, tag + 1);
    at = tag + 1;
    const name = /^\/?[a-z][^\s/>]{0,100}/i.exec(html.slice(at, at + 101))?.[0];
    if (!name) continue;
    out += name.replace(/^(\/?)(?:style|base|script|link|meta)$/i, '$1template');
    at += name.length;
    [out, at] = attributes(html, at, out);
  }
  return out + html.slice(at);
}

// attributes moves to the end of a tag and skips quoted values.
function attributes(html: string, from: number, before: string): [string, number] {
  let out = before;
  let at = from;
  const token = /[\s/]+|>|[^\s/>=]+|=\s*(?:"[^"]*"?|'[^']*'?|[^\s>"']*)/y;
  while (at < html.length) {
    token.lastIndex = at;
    const t = token.exec(html)?.[0] || html[at]!;
    at += t.length;
    if (t[0] === '>') return [out + t, at];
    out += t.toLowerCase() === 'style' ? quietly : /^on/i.test(t) ? 'data-off' : t;
  }
  return [out, at];
}

// Attributes that cannot refer to a resource. The values of others are checked.
const saying = ['alt', 'title', 'colspan', 'rowspan', 'align', 'dir', 'lang', 'width', 'height', 'start', 'reversed', 'scope', 'span', 'open', 'id', 'class', 'datetime', quietly];

const allowed = {
  ALLOWED_TAGS: (
    'p br hr wbr div span section article header footer main aside figure figcaption address details summary strong b em i u s del ins mark small sub sup code pre kbd samp var ' +
    'q cite abbr time blockquote ul ol li dl dt dd h1 h2 h3 h4 h5 h6 table caption colgroup col thead tbody tfoot tr th td a img center font bdi bdo ruby rt rp'
  ).split(' '),
  ALLOWED_ATTR: ['href', 'src', ...saying],
  ADD_URI_SAFE_ATTR: saying,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/(?:png|jpeg|gif|webp);base64,)/i,
  RETURN_DOM_FRAGMENT: true as const,
};

// bounded limits the number of tags, because sanitizing takes time for each.
function bounded(html: string): string {
  let at = -1;
  for (let tags = 0; tags < most.tags; tags++) {
    at = html.indexOf('<', at + 1);
    if (at < 0 || at >= most.characters) return html.slice(0, most.characters);
  }
  return html.slice(0, at);
}

/** harmless returns HTML that is safe to show. */
export function harmless(html: string): Harmless {
  const text = bounded(html);
  const content = DOMPurify.sanitize(disarmed(text), allowed);
  for (const a of content.querySelectorAll('a')) {
    const to = safeLink(a.getAttribute('href') ?? '');
    if (to) Object.assign(a, { href: to, target: '_blank', rel: 'noopener noreferrer nofollow' });
    else a.replaceWith(...a.childNodes);
  }
  for (const img of content.querySelectorAll('img')) {
    if (!/^data:image\//.test(img.getAttribute('src') ?? '')) img.replaceWith(img.alt ? `[${img.alt}]` : '');
  }
  let coloured = false;
  for (const el of content.querySelectorAll<HTMLElement>(`[${quietly}]`)) {
    const probe = document.createElement('i').style;
    probe.cssText = el.getAttribute(quietly)!.slice(0, 2000);
    const kept = looks(probe);
    el.setAttribute(quietly, kept.map(([property, value]) => `${property}: ${value}`).join('; '));
    coloured ||= kept.some(([property]) => /color/.test(property));
  }
  const rules = sheets(text);
  coloured ||= rules.some((r) => /color:/.test(r));
  return { content, rules, coloured, cut: text.length < html.length };
}

/** dress applies the styles of elements after they are in the document. */
export function dress(root: ParentNode): void {
  for (const el of root.querySelectorAll<HTMLElement>(`[${quietly}]`)) {
    el.style.cssText = el.getAttribute(quietly)!;
    el.removeAttribute(quietly);
  }
}

const looking =
  /^(?:color|background|background-color|background-image|font(?:-.+)?|text-(?:align|decoration|transform|indent|overflow|wrap)(?:-.+)?|line-height|letter-spacing|word-spacing|white-space(?:-.+)?|word-break|overflow-wrap|vertical-align|direction|unicode-bidi|(?:padding|margin|border)(?:-.+)?|(?:min-|max-)?(?:width|height|inline-size|block-size)|box-sizing|box-shadow|opacity|display|gap|row-gap|column-gap|flex(?:-.+)?|order|align-(?:items|content|self)|justify-(?:items|content|self)|grid(?:-.+)?|list-style-(?:type|position)|float|clear|overflow(?:-[xy])?|caption-side|table-layout|empty-cells|columns?(?:-.+)?)$/;

// Values of declarations must not refer to other resources.
const plain = (value: string) => value.length <= 300 && !/url|image-set|image\(|element\(|src\(|attr\(|@|\\|expression/i.test(value);

function looks(style: CSSStyleDeclaration): [string, string][] {
  return Array.from({ length: style.length }, (_, i) => style.item(i)).flatMap((property): [string, string][] => {
    const value = style.getPropertyValue(property);
    return looking.test(property) && value && plain(value) ? [[property, value]] : [];
  });
}

/** sheets returns the harmless rules of style elements. It parses them without applying them. */
function sheets(html: string): string[] {
  const texts = [...html.matchAll(/<style\b[^>]*>([^<]{0,100000})<\/style/gi)].map((m) => m[1]!);
  if (texts.length === 0 || typeof CSSStyleSheet !== 'function') return [];
  const out: string[] = [];
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(texts.join('\n'));
    for (const rule of sheet.cssRules) {
      if (out.length >= most.rules) break;
      if (!(rule instanceof CSSStyleRule) || rule.selectorText.length > 500) continue;
      const said = looks(rule.style).filter(([, value]) => value !== 'none').map(([property, value]) => `${property}: ${value}`);
      if (said.length > 0) out.push(`${rule.selectorText} { ${said.join('; ')} }`);
    }
  } catch {
    return []; // the text is not a style sheet
  }
  return out;
}
