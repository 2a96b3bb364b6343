// The name of a browser, from its description of itself.

const browsers: [RegExp, string][] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/(?:Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: [RegExp, string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** browserName returns the browser and the system of a User-Agent, or the User-Agent if it names neither. */
export function browserName(agent: string): string {
  const found = [browsers, systems].flatMap((list) => list.find(([pattern]) => pattern.test(agent))?.[1] ?? []);
  return found.join(', ') || agent || '–';
}
