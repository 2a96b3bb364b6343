import { expect, test, vi } from 'vitest';
import { forget, soon } from '../../src/markdown/slices';

test('some parts are drawn at once and others in order, and a newer drawing replaces an older one', () => {
  vi.useFakeTimers();
  let clock = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  const drawn: string[] = [];
  const parts = Array.from({ length: 17 }, () => ({}));
  parts.forEach((part, i) => soon(part, () => {
    clock += 5; // two parts fill one slice
    drawn.push(String(i));
  }));
  const first = Array.from({ length: 12 }, (_, i) => String(i));
  expect(drawn).toEqual(first);
  soon(parts[13]!, () => drawn.push('13 again'));
  forget(parts[14]!);
  vi.advanceTimersToNextTimer();
  expect(drawn.slice(12)).toEqual(['12', '13 again', '15']); // only as many as there is time for
  vi.runAllTimers();
  expect(drawn.slice(12)).toEqual(['12', '13 again', '15', '16']);
  soon(parts[0]!, () => drawn.push('later')); // no part waits, so it is drawn at once
  expect(drawn.at(-1)).toBe('later');
  vi.runAllTimers();
  vi.useRealTimers();
});

test('a failure does not stop the other drawings', () => {
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
