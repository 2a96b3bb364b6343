// Draws formulas as MathML. The library loads with the first formula.
import DOMPurify from 'dompurify';

/** typeset draws the formulas in el. An invalid formula shows its source. */
export async function typeset(el: HTMLElement): Promise<void> {
  const found = [...el.querySelectorAll<HTMLElement>('.math:not([data-set])')];
  if (found.length === 0) return;
  const { default: temml } = await import('temml');
  for (const span of found) {
    const source = span.dataset.source ?? '';
    if (span.dataset.set) continue;
    span.dataset.set = 'yes';
    const display = span.classList.contains('display');
    try {
      const tex = source.replace(/^(?:\$\$?|\\[([])/, '').replace(/(?:\$\$?|\\[)\]])$/, '');
      const html = temml.renderToString(tex, { displayMode: display, throwOnError: true, trust: false, maxSize: [10, 10], maxExpand: 500 });
      // The content security policy forbids styles, and browsers report them.
      const drawn = DOMPurify.sanitize(html.replace(/ style="[^"]*"/g, ''), { USE_PROFILES: { mathMl: true }, FORBID_ATTR: ['style', 'href', 'class', 'id'], RETURN_DOM_FRAGMENT: true });
      if (!drawn.querySelector('math')) continue;
      span.replaceChildren(drawn);
      if (display) span.tabIndex = 0; // users of the keyboard must be able to scroll
    } catch {
      // The source stays visible.
    }
  }
}
