// Messages that are not stored yet, kept in the tab: after a reload they are
// sent again with the same ids, and so are stored once.
import type { Outgoing, Pending } from 'docent-client';
import { PerConversation, tab } from './kept';

/** How much of one message a tab keeps, in UTF-16 units; a tab's storage is small. */
const room = 1 << 20;

const isList = (v: unknown): v is Outgoing[] =>
  Array.isArray(v) && v.every((o: Partial<Outgoing> | null) => typeof o?.id === 'string' && typeof o.action === 'string');

const unsent = new PerConversation(tab, 'docent.unsent', isList);

const bulk = (content: unknown): number =>
  typeof content === 'string' ? content.length : ((content as { base64?: string } | null | undefined)?.base64?.length ?? 0);

/** keepable reports that a message outlives a reload; a large file does not. */
export const keepable = (p: Outgoing): boolean => bulk(p.content) <= room;

/** keep notes what waits in a conversation; what was refused for good does not. */
export function keep(session: string, pending: readonly Pending[]): void {
  const waiting = pending.filter((p) => (!p.error || p.error.retryable) && keepable(p));
  unsent.set(session, waiting.length > 0 ? waiting.map(({ error: _, ...outgoing }) => outgoing) : undefined);
}

/** kept is what waited in a conversation. */
export const kept = (session: string): Outgoing[] => unsent.get(session) ?? [];
