import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { conversation } from '../../src/conversation/conversation.svelte';
import { presence } from '../../src/conversation/presence.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  conversation.link = 'idle';
});

test('a connection is reported as lost if it does not return at once', () => {
  conversation.link = 'lost';
  let end = presence.watch();
  vi.advanceTimersByTime(700);
  expect(presence.lost).toBe(false);
  end?.();
  conversation.link = 'open';
  end = presence.watch();
  vi.advanceTimersByTime(5000);
  expect(presence.lost).toBe(false);
  end?.();
  conversation.link = 'lost';
  end = presence.watch();
  vi.advanceTimersByTime(1100);
  expect(presence.lost).toBe(true);
  end?.();
  conversation.link = 'open';
  presence.watch();
  expect(presence.lost).toBe(false);
});
