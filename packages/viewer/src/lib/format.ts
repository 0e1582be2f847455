/** Formats numbers, times and durations in the reader's language. */

export type Language = 'en' | 'zh';

/** Includes the reader's region, because it decides how a date is written. */
const TAGS: Record<Language, string> = { en: regional('en'), zh: regional('zh') };

const made = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>();

/** Caches formatters, because creating a formatter costs far more than using it. */
function keep<T extends Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>(
  key: string,
  kind: new (...args: never[]) => T,
  make: () => T,
): T {
  const known = made.get(key);
  if (known instanceof kind) return known;
  const fresh = make();
  made.set(key, fresh);
  return fresh;
}

function regional(language: Language): string {
  const tags = typeof navigator === 'undefined' ? [] : navigator.languages;
  return tags.find((tag) => tag.split('-')[0] === language) ?? (language === 'zh' ? 'zh-CN' : 'en');
}

export function integer(value: number, language: Language): string {
  return keep(`integer ${language}`, Intl.NumberFormat, () => new Intl.NumberFormat(TAGS[language])).format(value);
}

/** For example `67%`. A share above zero and below one never reads as `0%` or `100%`. */
export function percent(share: number, language: Language): string {
  const options = { style: 'percent', maximumFractionDigits: 0 } as const;
  const bounded = share > 0 && share < 0.005 ? 0.01 : share < 1 && share >= 0.995 ? 0.99 : share;
  const format = () => new Intl.NumberFormat(TAGS[language], options);
  return keep(`percent ${language}`, Intl.NumberFormat, format).format(bounded);
}

/** For example `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 12 min`. */
export function duration(milliseconds: number, language: Language): string {
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

/** The day and minute in the reader's time zone. */
export function moment(iso: string, language: Language): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  const options = { dateStyle: 'medium', timeStyle: 'short' } as const;
  const format = () => new Intl.DateTimeFormat(TAGS[language], options);
  return keep(`moment ${language}`, Intl.DateTimeFormat, format).format(time);
}

/** For example `Mar 4`, for narrow places. */
export function day(iso: string, language: Language): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  const options = { month: 'short', day: 'numeric' } as const;
  return keep(`day ${language}`, Intl.DateTimeFormat, () => new Intl.DateTimeFormat(TAGS[language], options)).format(
    time,
  );
}

const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30.44],
  ['month', 12],
] as const;

/** For example `3 hours ago`, relative to `now`. */
export function ago(iso: string, now: number, language: Language): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  const format = keep(
    `ago ${language}`,
    Intl.RelativeTimeFormat,
    () => new Intl.RelativeTimeFormat(TAGS[language], { numeric: 'auto' }),
  );
  let value = Math.min(0, (time - now) / 1000);
  for (const [unit, size] of STEPS) {
    if (Math.abs(value) < size * 0.95) return format.format(Math.round(value), unit);
    value /= size;
  }
  return format.format(Math.round(value), 'year');
}

/** Formats bytes in units of 1,000, like file managers do. */
export function bytes(size: number, language: Language): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  const step = size < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(size) / 3));
  const unit = units[step] ?? 'byte';
  const options = { style: 'unit', unit, maximumFractionDigits: step > 1 ? 1 : 0 } as const;
  return keep(`${unit} ${language}`, Intl.NumberFormat, () => new Intl.NumberFormat(TAGS[language], options)).format(
    size / 1000 ** step,
  );
}

/** The first characters of a commit's hash. */
export function short(hash: string): string {
  return hash.slice(0, 8);
}
