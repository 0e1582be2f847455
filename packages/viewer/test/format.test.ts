// Formats numbers, times and durations in both languages.
import { expect, test } from 'vitest';
import {
  formatBytes,
  formatDuration,
  formatInteger,
  formatMoment,
  formatPercent,
  formatRelativeTime,
  shortenHash,
} from '../src/lib/format.ts';

const NOW_MS = Date.parse('2026-03-14T12:00:00Z');

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [1500, '1.5 s'],
  [12_400, '12 s'],
  [59_700, '1 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [4_320_000, '1 h 12 min'],
])('formats %d milliseconds as %s', (milliseconds, shown) => {
  expect(formatDuration(milliseconds, 'en')).toBe(shown);
});

test.each([
  ['2026-03-14T11:59:58Z', '2 seconds ago'],
  ['2026-03-14T11:57:00Z', '3 minutes ago'],
  ['2026-03-14T09:00:00Z', '3 hours ago'],
  ['2026-03-13T12:00:00Z', 'yesterday'],
  ['2026-01-13T12:00:00Z', '2 months ago'],
  ['2023-03-14T12:00:00Z', '3 years ago'],
  // A time in the future counts as now, because the clocks of two machines differ.
  ['2026-03-14T12:05:00Z', 'now'],
  ['not a time', 'not a time'],
])('formats %s as %s', (at, shown) => {
  expect(formatRelativeTime(at, NOW_MS, 'en')).toBe(shown);
});

test('never rounds a share to 0% or 100%', () => {
  expect([0, 0.001, 0.5, 0.999, 1].map((share) => formatPercent(share, 'en'))).toEqual([
    '0%',
    '1%',
    '50%',
    '99%',
    '100%',
  ]);
});

test('formats durations and times in the style of each language', () => {
  expect(formatDuration(125_000, 'zh')).toBe('2 分 5 秒');
  expect(formatRelativeTime('2026-03-14T11:57:00Z', NOW_MS, 'zh')).toBe('3分钟前');
  expect(formatMoment('nonsense', 'zh')).toBe('nonsense');
});

test('groups large numbers, adds units to sizes and shortens commits', () => {
  expect(formatInteger(100_000, 'en')).toBe('100,000');
  expect(formatBytes(2_000_000_000, 'en')).toBe('2 GB');
  expect(formatBytes(12, 'en')).toBe('12 byte');
  expect(shortenHash('9f3c21a7d0e1')).toBe('9f3c21a7');
});
