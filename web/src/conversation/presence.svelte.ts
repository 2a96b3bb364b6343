// Whether the connection has been gone long enough to speak of it.
import { conversation } from './conversation.svelte';

/** A connection that comes back sooner was never missed, in ms. */
const blink = 1000;

class Presence {
  /** The connection is lost, and not only for a blink. */
  lost = $state(false);

  /** watch keeps that; it is for an effect. */
  watch(): (() => void) | undefined {
    this.lost = false;
    if (conversation.link !== 'lost') return undefined;
    const timer = setTimeout(() => (this.lost = true), blink);
    return () => clearTimeout(timer);
  }
}

export const presence = new Presence();
