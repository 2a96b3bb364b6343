// Schedules, times, and the request of the form for a new source.
import { describe, expect, test } from 'vitest';
import type { SourceKind } from '../../src/api/sources';
import { isSwitch, request, startOf, type Draft } from '../../src/sources/form';
import { ago, offered, scheduleText, secondsOf, until } from '../../src/sources/schedule';
import { kinds } from '../mock/sources';

test.each([
  ['manual', 0, 'manual', 'Manual'], ['', 0, 'manual', 'Manual'], ['15m', 900, '15m', 'Every 15 minutes'], ['15m0s', 900, '15m', 'Every 15 minutes'], ['1h0m0s', 3600, '1h', 'Every hour'],
  ['24h0m0s', 86_400, '24h', 'Every day'], ['168h', 604_800, '168h', 'Every week'], ['1h30m', 5400, '1h30m', 'Every 90 minutes'], ['7d', 604_800, '168h', 'Every week'], ['48h', 172_800, '48h', 'Every 2 days'], ['90s', 90, '90s', 'Every 2 minutes'],
])('the schedule %j', (schedule, seconds, offer, text) => {
  expect([secondsOf(schedule), offered(schedule), scheduleText(schedule)]).toEqual([seconds, offer, text]);
});

test('times are relative to now', () => {
  const now = Date.parse('2026-01-10T12:00:00Z');
  const said = ['2026-01-10T11:59:40Z', '2026-01-10T11:55:00Z', '2026-01-10T09:00:00Z', '2026-01-08T12:00:00Z', '2026-01-10T12:00:30Z', '2026-01-10T13:00:00Z', '', 'never', null].map((t) => ago(t, now));
  expect(['2026-01-10T11:00:00Z', '2026-01-10T12:00:59Z', '2026-01-10T12:05:00Z'].map((t) => until(t, now))).toEqual(['in less than a minute', 'in less than a minute', 'in 5 minutes']);
  expect(said).toEqual(['just now', '5 minutes ago', '3 hours ago', '2 days ago', 'in less than a minute', 'in 1 hour', '', '', '']);
});

describe('a new source', () => {
  const draft = (kind: SourceKind, more: Partial<Draft> = {}): Draft => ({
    location: ' https://example.org ', name: '', collection: 'default', schedule: '1h', ...more, options: { ...Object.fromEntries((kind.options ?? []).map((o) => [o.name, startOf(o)])), ...more.options },
  });
  const of = (name: string) => kinds.find((k) => k.kind === name)!;
  const plain = { location: 'https://example.org', collection: 'default', schedule: '1h' };

  test('without options has none', () => expect(request(of('web'), draft(of('web')))).toEqual({ kind: 'web', ...plain }));

  test('options are sent as text', () => {
    expect(request(of('web'), draft(of('web'), { name: ' Site ', options: { depth: ' 5 ', sitemap: true } }))).toEqual({ kind: 'web', ...plain, name: 'Site', options: { depth: '5', sitemap: 'true' } });
    const kind: SourceKind = { kind: 'x', local: false, options: [{ name: 'n', title: 'N', type: 'number', secret: false, required: false, default: '3' }, { name: 'b', title: 'B', type: 'bool', secret: false, required: false, default: '' }] };
    expect(request(kind, draft(kind, { options: { n: '5', b: true } })).options).toEqual({ n: '5', b: 'true' });
  });

  test('secrets are separate and keep their spaces', () => {
    expect(request(of('webdav'), draft(of('webdav'), { options: { user: ' ada ', password: ' x ' } }))).toEqual({ kind: 'webdav', ...plain, options: { user: 'ada' }, secret: { password: ' x ' } });
    expect(request(of('git'), draft(of('git')))).toEqual({ kind: 'git', ...plain });
  });

  test('switches are sent as text', () => {
    const o = { name: 'tls', title: 'TLS', type: 'bool' as const, secret: false, required: false, default: 'true' };
    const kind = { kind: 'x', local: false, options: [o] };
    expect([isSwitch(o), startOf(o)]).toEqual([true, true]);
    expect(request(kind, draft(kind, { options: { tls: false } })).options).toEqual({ tls: 'false' });
    expect(request(kind, draft(kind)).options).toBeUndefined();
  });
});
