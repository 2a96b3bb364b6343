// The page of a shared link, and the dialog that makes one.
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, test, vi } from 'vitest';
import { sharing } from '../../src/conversation/sharing.svelte';
import { server } from '../../src/shell/server.svelte';
import type { Info } from '../../src/api/shapes';
import Share from '../../src/shared/Share.svelte';
import Shared from '../../src/shared/Shared.svelte';
import { fillIn } from './jsdom';

fillIn();
const mounted: ReturnType<typeof mount>[] = [];
afterEach(async () => {
  for (const view of mounted.splice(0)) await unmount(view);
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

const response = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const source = { source: 'a/b.md', page: null, page_label: null, title: 'Handbook', heading: 'Boats', start: 0, end: 1, score: 1, document_id: 0, chunk_id: 0 };

test('a link shows answers with their passages, and says which are withheld', async () => {
  const rag = {
    llm_name: 'm', question: 'q', answer: 'Moor **first** [1]. Then sail [2].', sentences: [], abstained: false,
    docs: [{ content: 'Moor boats first.', metadata: source }, { content: '', metadata: { ...source, title: 'no longer available', unavailable: true } }],
  };
  const at = '2026-01-02T03:04:05Z';
  vi.stubGlobal('fetch', vi.fn(() => Promise.resolve(response({
    name: 'Mooring', owner_name: 'ann', created_at: at, public: true, messages: [
      { seq: 1, turn: 1, type: 'str', content: 'How?', is_user: true, timestamp: at },
      { seq: 2, turn: 1, type: 'rag_answer', content: rag, is_user: false, timestamp: at },
      { seq: 3, turn: 2, type: 'str', content: 'This answer is not available to you.', is_user: false, sentence: { id: 'share_withheld', params: [] }, timestamp: at },
    ],
  }))));
  mounted.push(mount(Shared, { target: document.body, props: { id: 'x' } }));
  await expect.poll(() => document.querySelector('h1')?.textContent).toBe('Mooring');
  expect(document.body.textContent).toMatch(/Shared by ann on January 2, 2026[^]*How\?[^]*Moor first/);
  expect(document.querySelector('blockquote')!.textContent).toBe('Moor boats first.');
  expect(document.querySelector('.source')!.textContent).toMatch(/2\s+Not available to you/);
  expect(document.querySelector('.withheld')!.textContent).toContain('not available to you');
  expect(document.querySelector('a[href^="#/documents"]')).toBeNull(); // the reader has no rights
  document.querySelector<HTMLElement>('.cite[data-cite="1"]')!.click();
  expect(document.querySelector('details')!.open).toBe(true);
});

test('a revoked link says so', async () => {
  vi.stubGlobal('fetch', vi.fn(() => Promise.resolve(response({ code: 'not_found', id: 'no_share', params: [], message: 'this link does not exist', retryable: false }, 404))));
  mounted.push(mount(Shared, { target: document.body, props: { id: 'x' } }));
  await expect.poll(() => document.querySelector('[role=alert]')?.textContent).toBe('This link does not exist.');
});

test('a link for everybody expires, and files are shared only on request', async () => {
  const sent = vi.fn((_path: string, init: RequestInit) => Promise.resolve(response({ id: 'abc', public: true, withheld: 2, body: init.body }, 201)));
  vi.stubGlobal('fetch', sent);
  server.info = { public_links: true } as Info;
  sharing.ask({ session: 's', turn: 3, files: true });
  mounted.push(mount(Share, { target: document.body, props: { subject: sharing.subject! } }));
  flushSync();
  const label = (text: string) => [...document.querySelectorAll('label')].find((l) => l.textContent!.includes(text))!;
  expect([...document.querySelectorAll('option')].map((o) => o.value)).toEqual(['', '7', '30', '90']);
  label('Everybody').querySelector('input')!.click();
  label('up to here').querySelector('input')!.click();
  flushSync();
  expect([...document.querySelectorAll('option')].map((o) => o.value)).toEqual(['7', '30', '90']);
  document.querySelector('form')!.requestSubmit();
  await expect.poll(() => document.querySelector<HTMLInputElement>('.link input')?.value).toMatch(/#\/shared\/abc$/);
  const wish = JSON.parse(sent.mock.calls[0]![1].body as string) as { expires_at: string };
  expect(wish).toMatchObject({ session_id: 's', turn: 3, only: false, public: true });
  expect(wish).not.toHaveProperty('files');
  expect(Date.parse(wish.expires_at)).toBeGreaterThan(Date.now());
  expect(document.body.textContent).toContain('2 answers are not shown');
});
