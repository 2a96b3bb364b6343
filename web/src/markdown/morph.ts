// Changes drawn DOM into new DOM and keeps as many nodes as possible, so selections and
// scroll positions survive and nothing flickers.

/** morph gives a node the children of another. */
export function morph(to: Node, from: Node): void {
  let at: ChildNode | null = to.firstChild;
  for (let next = from.firstChild; next; ) {
    const after: ChildNode | null = next.nextSibling;
    if (!at) to.appendChild(next);
    else if (!adapt(at, next)) {
      const gone: ChildNode = at;
      at = at.nextSibling;
      to.replaceChild(next, gone);
    } else at = at.nextSibling;
    next = after;
  }
  while (at) {
    const gone: ChildNode = at;
    at = at.nextSibling;
    gone.remove();
  }
}

/** adapt changes a node into another. It returns false if they are too different. */
function adapt(a: ChildNode, b: ChildNode): boolean {
  if (a.nodeName !== b.nodeName) return false;
  if (a instanceof Text && b instanceof Text) {
    if (b.data.startsWith(a.data)) a.appendData(b.data.slice(a.data.length));
    else a.data = b.data;
    return true;
  }
  if (!(a instanceof HTMLElement) || !(b instanceof HTMLElement)) return a.isEqualNode(b);
  // Drawn formulas and colors stay while their source is unchanged.
  if (a.dataset.source !== b.dataset.source) return false;
  if (a.dataset.source !== undefined || a.classList.contains('copy')) return true;
  if (a.nodeName === 'PRE') {
    if (a.textContent === b.textContent && a.dataset.language === b.dataset.language) return true;
    if (a.dataset.coloured) return false;
  }
  for (const { name } of [...a.attributes]) if (!b.hasAttribute(name)) a.removeAttribute(name);
  for (const { name, value } of b.attributes) if (a.getAttribute(name) !== value) a.setAttribute(name, value);
  morph(a, b);
  return true;
}
