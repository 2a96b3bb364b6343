// Replies that are not text, in the mounted page.
import { beforeEach, expect, test, vi } from 'vitest';
import type { MockDocent } from '../mock/server';
import { start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

interface Sentence { id: string; params: string[] }

/** open shows a conversation with these replies. */
async function open(replies: [type: string, content: unknown, sentence?: Sentence][]): Promise<void> {
  const timestamp = new Date().toISOString();
  const message = (type: string, content: unknown, seq: number, sentence?: Sentence) => ({ seq, turn: 1, type, content, is_user: seq === 1, timestamp, ...(sentence && { sentence }) });
  const session = mock.create('told');
  session.messages = [['str', 'Show me'] as const, ...replies].map(([type, content, sentence], i) => message(type, content, i + 1, sentence));
  session.seq = session.messages.length;
  session.turn = 1;
  await page.goto('#/c/told');
  await page.locator('.column').getByText('Show me', { exact: true }).first().waitFor();
}

/** saved clicks a button, and returns the file that the page saves then. */
async function saved(name: string | RegExp): Promise<{ name: string; text: string }> {
  const file = new Promise<{ name: string; blob: Blob }>((ok) => {
    let blob: Blob;
    URL.createObjectURL = (b) => ((blob = b as Blob), 'blob:saved');
    URL.revokeObjectURL = () => undefined;
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      ok({ name: this.download, blob });
    });
  });
  await page.getByRole('button', { name }).first().click();
  const { name: called, blob } = await file;
  vi.restoreAllMocks();
  const text = await new Promise<string>((ok) => {
    const reader = new FileReader();
    reader.onload = () => ok(String(reader.result));
    reader.readAsText(blob);
  });
  return { name: called, text };
}

test('a table keeps the order of columns and rows, and missing values', async () => {
  await open([['dataframe', '{"2026":{"7":1.5,"3":null},"2025":{"7":"=1+1","3":"a,\\"b\\""},"ok":{"7":true,"3":false}}']]);
  await page.getByRole('table').waitFor();
  await expect.poll(() => page.getByRole('columnheader').allInnerTexts().then((all) => all.map((t) => t.trim()))).toEqual(['Row', '2026', '2025', 'ok']);
  await expect.poll(() => page.locator('tbody tr').evaluateAll((rows) => rows.map((r) => [...r.children].map((c) => c.textContent)))).toEqual([['7', '1.5', '=1+1', 'yes'], ['3', '', 'a,"b"', 'no']]);
  expect((await saved('Download CSV')).text).toBe('Row,2026,2025,ok\r\n7,1.5,\'=1+1,true\r\n3,,"a,""b""",false\r\n');
});

test('a call of a tool can be allowed with other arguments', async () => {
  const choices = { id: 'approval_choices', params: ['pay', '{"amount":20}', '2027-01-02T03:04:05Z'] };
  await open([['options', '{"0": "Allow", "1": "Refuse", "2": "Always allow in this conversation"}', choices]]);
  await page.getByRole('group', { name: 'Choices' }).getByRole('button', { name: 'Refuse' }).waitFor();
  await page.getByRole('button', { name: 'Change the call' }).click();
  await page.getByLabel('Arguments').fill('twenty');
  await page.getByRole('button', { name: 'Allow the changed call' }).click();
  await page.getByText('The arguments must be a JSON object.').waitFor();
  await page.getByLabel('Arguments').fill('{"amount": 5}');
  await page.getByRole('button', { name: 'Allow the changed call' }).click();
  await expect.poll(() => mock.received.at(-1)?.text).toBe('Allow {"amount":5}');
});

test('a file name cannot imitate another', async () => {
  await open([['file', { name: 'report\u202egpj.exe', type: 'image/jpeg', base64: 'TVo=' }]]);
  await page.getByText('report\ufffdgpj.exe', { exact: true }).waitFor();
  await expect.poll(() => page.locator('.card .sign').first().textContent()).toBe('EXE');
  expect((await saved(/Download report/)).name).not.toContain('\u202e');
});

test('a place is shown, and opens another site only on request', async () => {
  await open([['location', { latitude: 49.611621, longitude: -6.131935 }]]);
  await page.getByText('49.61162° N, 6.13194° W').waitFor();
  const link = page.getByRole('link', { name: 'Open in OpenStreetMap' });
  expect([await link.getAttribute('href'), await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
    'https://www.openstreetmap.org/?mlat=49.611621&mlon=-6.131935#map=15/49.611621/-6.131935', '_blank', 'noopener noreferrer nofollow',
  ]);
  await page.getByRole('button', { name: 'Copy the coordinates' }).click();
  await page.getByText('Copied', { exact: true }).waitFor();
});

test('a place is called copied only if the browser copied it', async () => {
  await open([['location', { latitude: 1, longitude: 2 }]]);
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('no'));
  await page.getByRole('button', { name: 'Copy the coordinates' }).click();
  await page.getByText('Your browser did not allow copying. Select the coordinates and copy them.').waitFor();
  expect(await page.getByText('Copied', { exact: true }).count()).toBe(0);
  vi.restoreAllMocks();
});
