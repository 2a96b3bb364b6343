// Changes what is drawn into what is to be drawn, and keeps every node that can
// be kept: nothing flickers, what is selected or scrolled stays so.

/** morph makes the children of to what those of from are. */
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

/** adapt makes a node like another; false if they have nothing in common. */
function adapt(a: ChildNode, b: ChildNode): boolean {
  if (a.nodeName !== b.nodeName) return false;
  if (a instanceof Text && b instanceof Text) {
    if (b.data.startsWith(a.data)) a.appendData(b.data.slice(a.data.length));
    else a.data = b.data;
    return true;
  }
  if (!(a instanceof HTMLElement) || !(b instanceof HTMLElement)) return a.isEqualNode(b);
  // What is set in type or coloured afterwards stays so while its source does.
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
