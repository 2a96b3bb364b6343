// Reports a lost connection only after some time.
import { conversation } from './conversation.svelte';

/** The page does not report shorter interruptions, in ms. */
const blink = 1000;

class Presence {
  /** The connection is lost for longer than that. */
  lost = $state(false);

  /** watch updates lost. Call it in an effect. */
  watch(): (() => void) | undefined {
    this.lost = false;
    if (conversation.link !== 'lost') return undefined;
    const timer = setTimeout(() => (this.lost = true), blink);
    return () => clearTimeout(timer);
  }
}

export const presence = new Presence();
