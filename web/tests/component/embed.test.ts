// The view of the widget in the console.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let page: Page;
let mock: MockDocent;

beforeEach(async () => {
  ({ mock, page } = await start());
});

const line = () => page.locator('section[aria-labelledby$="-steps"] pre').nth(1).innerText();
const tag = () => document.head.querySelector('script[src$="/widget.js"]');

test('the choices give one line for the pages of a site', async () => {
  await page.goto('#/console/embed');
  await page.getByLabel('Heading', { exact: true }).fill('Ask "Acme" & Co');
  await page.getByLabel('Questions to begin with').fill('Which oil?\n\nHow often | when?');
  await page.getByLabel('Contact for questions without an answer').fill('javascript:alert(1)');
  await page.getByText('The address must begin with').waitFor();
  await page.getByLabel('Language', { exact: true }).selectOption('de');
  const all = await line();
  expect(all).toMatch(/^<script src="http.*\/widget\.js" data-title="Ask &quot;Acme&quot; &amp; Co" data-lang="de" data-questions="Which oil\? \| How often when\?" async><\/script>$/);
  await page.getByLabel('Contact for questions without an answer').fill('mailto:help@example.com');
  await expect.poll(line).toContain('data-contact="mailto:help@example.com"');
  await page.getByLabel('Address of your site').fill('https://acme.example/shop');
  await page.getByText('docent serve --origins https://acme.example ').waitFor();
  await accessible();
});

test('the preview follows the choices, and ends with the view', async () => {
  await page.goto('#/console/embed');
  await page.getByRole('button', { name: 'Show the widget' }).click();
  await page.getByLabel('Brightness').selectOption('dark');
  await expect.poll(() => tag()?.getAttribute('data-theme')).toBe('dark');
  const first = tag();
  await page.getByLabel('Language', { exact: true }).selectOption('de'); // the widget reads it once
  await expect.poll(() => tag() !== first && tag()?.getAttribute('data-lang')).toBe('de');
  await page.getByRole('button', { name: 'Hide the widget' }).click();
  expect(tag()).toBe(null);
  await page.getByRole('button', { name: 'Show the widget' }).click();
  await page.goto('#/console/today');
  await expect.poll(tag).toBe(null);
});

test('the widget asks one of several agents', async () => {
  mock.otherAgents = ['desk', 'orders "2"'];
  await page.goto('#/console/embed');
  const agent = page.getByLabel('Agent', { exact: true });
  expect(await line()).not.toContain('data-agent');
  await agent.selectOption('orders "2"');
  await expect.poll(line).toContain(' data-agent="orders &quot;2&quot;"');
  await page.getByRole('button', { name: 'Show the widget' }).click();
  await expect.poll(() => tag()?.getAttribute('data-agent')).toBe('orders "2"');
  const first = tag();
  await agent.selectOption('desk'); // the widget reads it once
  await expect.poll(() => tag() !== first && tag()?.getAttribute('data-agent')).toBe('desk');
  await agent.selectOption('');
  await expect.poll(line).not.toContain('data-agent');
  await accessible();
});

test('one agent is no choice', async () => {
  await page.goto('#/console/embed');
  await page.getByLabel('Language', { exact: true }).waitFor();
  expect(await page.getByLabel('Agent', { exact: true }).count()).toBe(0);
});
