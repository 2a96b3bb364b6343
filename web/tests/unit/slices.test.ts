import { expect, test, vi } from 'vitest';
import { forget, soon } from '../../src/markdown/slices';

test('a few parts are drawn at once, others in their order, a newer drawing instead of an older one', () => {
  vi.useFakeTimers();
  let clock = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  const drawn: string[] = [];
  const parts = Array.from({ length: 17 }, () => ({}));
  parts.forEach((part, i) => soon(part, () => {
    clock += 5; // two fill a turn
    drawn.push(String(i));
  }));
  const first = Array.from({ length: 12 }, (_, i) => String(i));
  expect(drawn).toEqual(first);
  soon(parts[13]!, () => drawn.push('13 again'));
  forget(parts[14]!);
  vi.advanceTimersToNextTimer();
  expect(drawn.slice(12)).toEqual(['12', '13 again', '15']); // no more than there is time for
  vi.runAllTimers();
  expect(drawn.slice(12)).toEqual(['12', '13 again', '15', '16']);
  soon(parts[0]!, () => drawn.push('later')); // nothing waits: it is drawn at once
  expect(drawn.at(-1)).toBe('later');
  vi.runAllTimers();
  vi.useRealTimers();
});

test('what fails is no reason not to draw the rest', () => {
  vi.useFakeTimers();
  const drawn: number[] = [];
  const parts = Array.from({ length: 14 }, () => ({}));
  parts.forEach((part, i) => soon(part, () => {
    if (i === 12) throw new Error('broken');
    drawn.push(i);
  }));
  expect(() => vi.advanceTimersToNextTimer()).toThrow('broken');
  vi.runAllTimers();
  expect(drawn).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13]);
  vi.useRealTimers();
});
