// The page with several agents.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { expect, onTestFinished, test, beforeAll } from 'vitest';
import { accessible, launch, watch } from './browser';
import { startProgram } from './program';

let browser: Browser;
beforeAll(async () => void (browser = await launch()));

const says = (name: string, text: string) =>
  `name: ${name}\nstates:\n  greet: {initial: true, body: [{reply: Welcome to ${name}.}], on: [{message: any, to: say}]}\n  say: {body: [{reply: ${text}}], on: [{message: any, to: say}]}\n`;

test('a new conversation chooses its agent, keeps it, and shows it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'docent-agents-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const second = join(folder, 'second.yaml');
  writeFileSync(second, says('support', 'Support here.'));
  const program = await startProgram({ agent: says('orders', 'Order taken.'), options: ['--agent', second] });
  onTestFinished(() => program.stop());
  const { page, check } = await watch(browser, program.url);
  const answer = (text: string) => page.getByRole('article').getByText(text);
  await page.goto(program.url);
  await answer('Welcome to orders.').waitFor();
  const choice = page.getByRole('group', { name: 'Agent:' });
  expect(await choice.getByRole('radio', { name: 'orders' }).isChecked()).toBe(true);
  await accessible(page);
  await choice.getByRole('radio', { name: 'support' }).check();
  await answer('Welcome to support.').waitFor();
  await page.getByLabel('Your message').fill('hello');
  await page.keyboard.press('Enter');
  await answer('Support here.').waitFor();
  await expect.poll(() => choice.count()).toBe(0);
  const shown = page.getByText('Agent: support');
  await shown.waitFor();
  await page.reload();
  await answer('Support here.').waitFor();
  await shown.waitFor();
  await page.getByLabel('Your message').fill('again');
  await page.keyboard.press('Enter');
  await expect.poll(() => answer('Support here.').count()).toBe(2);
  // The page remembers the choice for the next conversation.
  await page.goto(`${program.url}/#/`);
  await page.reload();
  await answer('Welcome to support.').waitFor();
  expect(await choice.getByRole('radio', { name: 'support' }).isChecked()).toBe(true);
  await check();
});
