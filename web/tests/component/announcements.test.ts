import { afterEach, expect, test } from 'vitest';
import { announceReply } from '../../src/conversation/announcements';
import type { Item } from '../../src/conversation/turns';
import { announcer } from '../../src/shell/announcer.svelte';
import { words } from '../../src/words/words.svelte';

afterEach(() => words.choose('en'));

const choice = (labels: string[], id?: string): Item[] =>
  [{ kind: 'replied', reply: { type: 'options', labels, ...(id ? { sentence: { id, params: [] } } : {}) } }] as unknown as Item[];

test('the answers to an approval are announced in the language of the page, other choices as they are', async () => {
  await words.choose('de');
  announceReply(choice(['Allow', 'Refuse'], 'approval_choices'));
  expect(announcer.text).toContain('Erlauben, Ablehnen');
  announceReply(choice(['Allow', 'Later']));
  expect(announcer.text).toContain('Allow, Later');
});
