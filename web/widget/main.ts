// The widget as its script tag begins it; loader.js brings it.
import { attributes, read } from './attributes';
import { Panel } from './panel';
import { textsOf } from './words';

/** Widget is what the site's own scripts have as window.docentWidget. */
export interface Widget {
  open?: () => void;
  close?: () => void;
  /** Takes the widget out of the page. */
  remove?: () => void;
  /** remove was called before the widget was there. */
  removed?: boolean;
}

/** start puts the widget of a script tag into the page. */
export async function start(script: HTMLScriptElement, widget: Widget): Promise<void> {
  const settings = read(script);
  const panel = new Panel(new URL('.', script.src).href.replace(/\/$/, ''), settings, await textsOf(settings.language));
  if (widget.removed) return;
  const observer = new MutationObserver(() => panel.look(read(script)));
  observer.observe(script, { attributes: true, attributeFilter: [...attributes] });
  widget.open = () => panel.open();
  widget.close = () => panel.close();
  widget.remove = () => {
    observer.disconnect();
    panel.end();
  };
  // Beside the body: nothing that a site does with its body moves or cuts it.
  document.documentElement.append(panel.host);
  if (read(script).open) panel.open(false);
}
