// The dialog with the way of a conversation through the graph of its agent.
import { beforeEach, expect, test } from 'vitest';
import type { AgentPicture, SessionTrace } from '../../src/api/shapes';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

const state = (name: string, x: number) => ({ name, lines: [name || 'any state'], x, y: 40, width: 80, height: 30, initial: name === 'idle', global: name === 'help' });
const arrow = (from: number, to: number, label: string) => ({ from, to, labels: [label], lines: [label], d: 'M0 0L9 9', x: 20, y: 20 });
const picture: AgentPicture = {
  name: 'desk', width: 600, height: 200, start: 'M0 0L5 5',
  states: [state('idle', 50), state('order', 150), state('paid', 250), state('', 350), state('help', 450)],
  arrows: [arrow(0, 1, 'intent order'), arrow(1, 2, 'after 5m'), arrow(3, 4, 'intent help')],
};
const move = (turn: number, from: string, to: string, condition: string) => ({ turn, from, to, condition, event: '', at: '2026-05-03T09:00:00Z' });
const trace: SessionTrace = {
  agent_name: 'clerk',
  state: 'help',
  moves: [move(1, 'idle', 'order', 'Intent Matching - order'), move(2, 'order', 'help', 'Intent Matching - help')],
  intents: [{ turn: 1, intent: 'order', score: 0.82, classifier: 'Simple' }, { turn: 2, intent: 'help', score: 1, classifier: 'Simple' }, { turn: 3, intent: 'fallback_intent', score: 0, classifier: 'Simple' }],
};

const dialog = () => page.getByRole('dialog', { name: 'The way through the agent' });
const turn = (name: RegExp) => dialog().getByRole('button', { name });
const marked = (kind: string) => dialog().locator(`${kind}.on`).count();

beforeEach(async () => {
  ({ mock, page } = await start());
  mock.agent = 'desk';
  await page.goto('#/');
  await page.getByLabel('Your question').fill('two shirts, please');
  await page.keyboard.press('Enter');
  await page.locator('.answer:not([aria-busy]) .sources').waitFor();
  await page.getByRole('button', { name: 'Options for “two shirts, please”' }).click();
});

test('shows the whole way, and the part of a turn', async () => {
  Object.assign(mock.graph, { picture, trace });
  await page.getByRole('menuitem', { name: 'Show the way through the agent' }).click();
  await dialog().getByText('State now: help').waitFor();
  await accessible();
  expect([await marked('rect'), await marked('path.line')]).toEqual([3, 2]); // the way to help is the arrow from any state
  await turn(/^two shirts, please Intent order, 82%/).click();
  expect([await marked('rect'), await marked('path.line')]).toEqual([2, 1]);
  await turn(/^Turn 3 No intent No transition; stays in help/).click();
  expect([await marked('rect'), await marked('path.line')]).toEqual([0, 0]);
  await turn(/^The whole way/).click();
  expect(await marked('rect')).toBe(3);
  await dialog().getByRole('button', { name: 'Close' }).click();
  await dialog().waitFor({ state: 'hidden' });
});

test('tells a failure, and tries again', async () => {
  await page.getByRole('menuitem', { name: 'Show the way through the agent' }).click();
  await dialog().getByRole('alert').waitFor();
  Object.assign(mock.graph, { picture, trace });
  await dialog().getByRole('button', { name: 'Try again' }).click();
  await dialog().getByText('State now: help').waitFor();
});
