// Messages that are not stored yet, kept in the tab. After a reload, they are sent again
// with the same ids, so each is stored once.
import type { Outgoing, Pending } from 'docent-client';
import { PerConversation, tab } from './kept';

/** The maximum size of one kept message, in UTF-16 units. The storage of a tab is small. */
const maxKept = 1 << 20;

const isList = (v: unknown): v is Outgoing[] =>
  Array.isArray(v) && v.every((o: Partial<Outgoing> | null) => typeof o?.id === 'string' && typeof o.action === 'string');

const unsent = new PerConversation(tab, 'docent.unsent', isList);

const bulk = (content: unknown): number =>
  typeof content === 'string' ? content.length : ((content as { base64?: string } | null | undefined)?.base64?.length ?? 0);

/** keepable reports whether a message survives a reload. Large files do not. */
export const keepable = (p: Outgoing): boolean => bulk(p.content) <= maxKept;

/** storeUnsent stores the waiting messages of a conversation, without refused ones. */
export function storeUnsent(session: string, pending: readonly Pending[]): void {
  const waiting = pending.filter((p) => (!p.error || p.error.retryable) && keepable(p));
  unsent.set(session, waiting.length > 0 ? waiting.map(({ error: _, ...outgoing }) => outgoing) : undefined);
}

/** storedUnsent returns the waiting messages of a conversation. */
export const storedUnsent = (session: string): Outgoing[] => unsent.get(session) ?? [];
