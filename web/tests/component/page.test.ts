// The mounted page: questions, evidence, documents, and errors of the server.
import { beforeEach, describe, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

const field = () => page.getByLabel('Your question');
const panel = () => page.locator('.panel');

async function ask(text: string): Promise<void> {
  await field().fill(text);
  await field().press('Enter');
}

async function answered(n = 1): Promise<void> {
  await expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBe(n);
}

describe('conversation', () => {
  test('doubtful sentences are marked and explained', async () => {
    await page.goto('#/');
    await ask('backup');
    await answered();
    await expect.poll(() => page.locator('.doubtful[data-support=none]').allTextContents()).toEqual(['Most teams do this every night.']);
    await expect.poll(() => page.locator('.doubtful[data-support=weak]').first().textContent()).toContain('Größere Sammlungen 😀');
    await page.locator('.doubt').first().focus();
    await expect.poll(() => page.getByRole('tooltip').textContent()).toContain('only part of this sentence');
  });

  test('a reply without an answer looks different from an answer', async () => {
    await page.goto('#/');
    await ask('Something unknown');
    await answered();
    await expect.poll(() => page.locator('.answer.abstained').textContent()).toContain('Not found in the documents');
    await expect.poll(() => page.locator('.sources h3').count()).toBe(0);
    await accessible();
  });

  test('a new chat by its key takes the focus from the search', async () => {
    await page.goto('#/');
    await page.locator('#find-conversation').focus();
    await page.keyboard.press('Control+Shift+O');
    await expect.poll(() => document.activeElement?.getAttribute('aria-label')).toBe('Your question');
  });

  test('a search shows the found message, and its result opens the conversation there', async () => {
    await page.goto('#/');
    await ask('backup');
    await answered();
    await ask('Something unknown');
    await answered(2);
    await page.locator('#find-conversation').fill('MOST TEAMS');
    await expect.poll(() => page.locator('.conversation mark').allTextContents()).toEqual(['Most teams']);
    expect(await page.locator('.conversation .found').textContent()).not.toContain('**');
    await page.locator('.conversation a').first().click();
    await expect.poll(() => location.hash).toMatch(/^#\/c\/.+\/1$/);
    await expect.poll(() => page.locator('.turn.marked').allTextContents()).toEqual([expect.stringContaining('Most teams')]);
    await accessible();
  });

  test('a failed turn and a refused question say why and can be repeated', async () => {
    await page.goto('#/');
    await ask('please fail');
    await page.getByText('The model does not answer.').waitFor();
    await ask('busy now');
    await page.getByText('Too many questions at once').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Ask again' }).count()).toBe(2);
    await page.getByRole('button', { name: 'Ask again' }).first().click();
    await expect.poll(() => mock.received.length).toBe(3);
  });
});

describe('a question about chosen documents', () => {
  const message = () => mock.received.at(-1)!.content;

  test('the reader asks its document', async () => {
    await page.goto('#/documents/2');
    await page.getByRole('button', { name: 'Ask about this document' }).click();
    await expect.poll(() => page.locator('.scope li').allTextContents()).toHaveLength(1);
    await ask('When is the next backup?');
    await answered();
    expect(message()).toEqual({ message: 'When is the next backup?', documents: [2] });
    await expect.poll(() => page.locator('.asked').first().textContent()).toContain('from one document');
    await accessible();
    await page.getByRole('button', { name: /^Do not limit to/ }).click();
    await ask('backup');
    await answered(2);
    expect(message()).toBe('backup');
  });

  test('selected documents are asked together, also after a reload', async () => {
    await page.goto('#/documents');
    for (const box of [0, 1]) await page.getByRole('checkbox', { name: /^Select “/ }).nth(box).click();
    await page.getByRole('button', { name: 'Ask about these' }).click();
    await expect.poll(() => page.locator('.scope li').count()).toBe(2);
    await ask('backup');
    await answered();
    await page.reload();
    await answered();
    await expect.poll(() => page.locator('.scope li').count()).toBe(2);
  });
});

describe('evidence', () => {
  test('a passage that the document no longer has is shown as it was', async () => {
    await page.goto('#/');
    await ask('what changed');
    await answered();
    await page.locator('.cite').first().click();
    await page.getByText('has changed since this answer').waitFor();
    await expect.poll(() => page.locator('mark.active').textContent()).toContain('does not contain any more');
  });

  test('the used cells are marked, and the search details have the query', async () => {
    await page.goto('#/');
    await ask('cheapest');
    await answered();
    await page.locator('.cite').first().click();
    await expect.poll(() => page.locator('.panel mark.said').allTextContents()).toEqual(['one program', '8765']);
    await page.locator('.panel').getByRole('button', { name: 'Search details' }).click();
    await page.getByText('Query on the table').waitFor();
    await expect.poll(() => page.locator('.panel .made code').allTextContents()).toEqual(['SELECT "Name", "Price" FROM "prices.csv" ORDER BY "Price" ASC LIMIT 1']);
  });

  test('a deleted document leaves its passage', async () => {
    await page.goto('#/');
    await ask('backup');
    await answered();
    mock.documents = [];
    await page.locator('.cite').first().click();
    await page.getByText('docent cannot show the document').waitFor();
    await expect.poll(() => page.locator('mark.active').textContent()).toContain('docent keeps everything');
  });
});

describe('connection', () => {
  test('a message whose ack was lost is sent again with its id and stored once', async () => {
    await page.goto('#/');
    await ask('lost before the ack');
    await answered();
    expect(mock.received.length).toBe(2);
    expect(mock.received[0]).toEqual(mock.received[1]);
    await expect.poll(() => page.locator('.question').count()).toBe(1);
  });

  test('a question asked while offline waits', async () => {
    await page.goto('#/');
    await ask('backup');
    await answered();
    mock.cut();
    await page.getByText('Connection lost').waitFor();
    await ask('and again');
    await page.getByText('Will be sent when').waitFor();
    mock.mend();
    await answered(2);
  });
});

describe('documents', () => {
  test('a document opens at its own address', async () => {
    await page.goto('#/documents/2');
    await expect.poll(() => panel().textContent()).toContain('docent is one program without dependencies');
    await page.keyboard.press('Escape');
    await expect.poll(() => panel().count()).toBe(0);
  });

  test('no documents yet: the page shows the first steps', async () => {
    mock.documents = [];
    mock.extractive = true;
    await page.goto('#/');
    await page.getByRole('heading', { name: 'Add documents to begin' }).waitFor();
    await page.getByText('No language model is set up').click();
    await page.getByText('Set OPENAI_API_KEY').first().waitFor();
  });
});

test('an unreachable server is reported', async () => {
  await page.goto('#/');
  page.unreachable = /^\/api\/info/;
  await page.reload();
  await page.getByText('docent does not respond').waitFor();
  page.unreachable = undefined;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => page.getByText('docent does not respond').count()).toBe(0);
});

