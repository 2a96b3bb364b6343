// The view of the widget in the console.
import { beforeEach, expect, test } from 'vitest';
import { accessible, start, type Page } from './page';

let page: Page;

beforeEach(async () => {
  ({ page } = await start());
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
