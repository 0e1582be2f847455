/** Formats numbers, times and durations in the reader's language. */

export type Language = 'en' | 'zh';

/** Language tags with the reader's region, because the region determines how a date is written. */
const LANGUAGE_TAGS: Record<Language, string> = { en: findRegionalTag('en'), zh: findRegionalTag('zh') };

const formatters = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>();

/** Returns the formatter for a key from the cache, because creating a formatter costs far more than using it. */
function getFormatter<T extends Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>(
  key: string,
  kind: new (...args: never[]) => T,
  make: () => T,
): T {
  const known = formatters.get(key);
  if (known instanceof kind) return known;
  const fresh = make();
  formatters.set(key, fresh);
  return fresh;
}

function findRegionalTag(language: Language): string {
  const tags = typeof navigator === 'undefined' ? [] : navigator.languages;
  return tags.find((tag) => tag.split('-')[0] === language) ?? (language === 'zh' ? 'zh-CN' : 'en');
}

export function formatInteger(value: number, language: Language): string {
  return getFormatter(
    `integer ${language}`,
    Intl.NumberFormat,
    () => new Intl.NumberFormat(LANGUAGE_TAGS[language]),
  ).format(value);
}

/** Formats a share, for example as `67%`. A share above zero and below one never becomes `0%` or `100%`. */
export function formatPercent(share: number, language: Language): string {
  const options = { style: 'percent', maximumFractionDigits: 0 } as const;
  const bounded = share > 0 && share < 0.005 ? 0.01 : share < 1 && share >= 0.995 ? 0.99 : share;
  const format = () => new Intl.NumberFormat(LANGUAGE_TAGS[language], options);
  return getFormatter(`percent ${language}`, Intl.NumberFormat, format).format(bounded);
}

/** Formats a duration, for example as `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 12 min`. */
export function formatDuration(milliseconds: number, language: Language): string {
  const [ms, s, min, h] = language === 'zh' ? [' 毫秒', ' 秒', ' 分', ' 小时'] : [' ms', ' s', ' min', ' h'];
  if (milliseconds < 1000) return `${Math.round(milliseconds)}${ms}`;
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}${s}`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}${s}`;
  if (whole < 3600) return `${Math.floor(whole / 60)}${min}${whole % 60 > 0 ? ` ${whole % 60}${s}` : ''}`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)}${h}${minutes % 60 > 0 ? ` ${minutes % 60}${min}` : ''}`;
}

/** Formats the day and the minute in the reader's time zone. */
export function formatMoment(iso: string, language: Language): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  const options = { dateStyle: 'medium', timeStyle: 'short' } as const;
  const format = () => new Intl.DateTimeFormat(LANGUAGE_TAGS[language], options);
  return getFormatter(`moment ${language}`, Intl.DateTimeFormat, format).format(time);
}

/** Formats a day as in `Mar 4`, for places with little space. */
export function formatDay(iso: string, language: Language): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  const options = { month: 'short', day: 'numeric' } as const;
  return getFormatter(
    `day ${language}`,
    Intl.DateTimeFormat,
    () => new Intl.DateTimeFormat(LANGUAGE_TAGS[language], options),
  ).format(time);
}

const RELATIVE_TIME_UNITS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30.44],
  ['month', 12],
] as const;

/** Formats a time relative to `now`, for example as `3 hours ago`. */
export function formatRelativeTime(iso: string, now: number, language: Language): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  const format = getFormatter(
    `ago ${language}`,
    Intl.RelativeTimeFormat,
    () => new Intl.RelativeTimeFormat(LANGUAGE_TAGS[language], { numeric: 'auto' }),
  );
  let value = Math.min(0, (time - now) / 1000);
  for (const [unit, size] of RELATIVE_TIME_UNITS) {
    if (Math.abs(value) < size * 0.95) return format.format(Math.round(value), unit);
    value /= size;
  }
  return format.format(Math.round(value), 'year');
}

/** Formats bytes in units of 1,000, as file managers do. */
export function formatBytes(size: number, language: Language): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  const step = size < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(size) / 3));
  const unit = units[step] ?? 'byte';
  const options = { style: 'unit', unit, maximumFractionDigits: step > 1 ? 1 : 0 } as const;
  return getFormatter(
    `${unit} ${language}`,
    Intl.NumberFormat,
    () => new Intl.NumberFormat(LANGUAGE_TAGS[language], options),
  ).format(size / 1000 ** step);
}

/** Returns the first characters of a commit's hash. */
export function shortenHash(hash: string): string {
  return hash.slice(0, 8);
}
