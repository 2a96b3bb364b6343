// Intervals in the format of the server, and times as text.
import { words } from '../words/words.svelte';

/** The intervals that the page offers. */
export const schedules = ['manual', '15m', '1h', '6h', '24h', '168h'] as const;

const seconds: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** secondsOf returns the seconds of an interval such as 1h30m0s; 0 for a manual schedule. */
export const secondsOf = (schedule: string): number => [...schedule.matchAll(/(\d+(?:\.\d+)?)(h|m(?!s)|s|d)/g)].reduce((sum, [, n, unit]) => sum + Number(n) * seconds[unit!]!, 0);

/** offered returns the offered interval of the same length. If there is none, it returns schedule. */
export function offered(schedule: string): string {
  const long = secondsOf(schedule);
  return schedules.find((s) => secondsOf(s) === long) ?? schedule;
}

/** scheduleText describes how often a source is synced. */
export function scheduleText(schedule: string): string {
  const say = words.sources;
  const long = secondsOf(schedule);
  if (long === 0) return say.manual;
  if (long % 86_400 === 0) return say.days(long / 86_400);
  if (long % 3600 === 0) return say.hours(long / 3600);
  return say.minutes(Math.max(1, Math.round(long / 60)));
}

const steps: [number, Intl.RelativeTimeFormatUnit][] = [[86_400, 'day'], [3600, 'hour'], [60, 'minute']];

/** until describes the time until something is due. */
export function until(time: string, now: number): string {
  return Date.parse(time) - now < 60_000 ? words.sources.soon : ago(time, now);
}

/** ago describes a time relative to now: "5 minutes ago", "in 2 hours". It returns '' without a time. */
export function ago(time: string | null | undefined, now: number): string {
  const at = time ? Date.parse(time) : NaN;
  if (Number.isNaN(at)) return '';
  const away = (at - now) / 1000;
  const step = steps.find(([size]) => Math.abs(away) >= size);
  if (!step) return away > 0 ? words.sources.soon : words.sources.justNow;
  return new Intl.RelativeTimeFormat(words.language, { numeric: 'auto' }).format(Math.round(away / step[0]), step[1]);
}
