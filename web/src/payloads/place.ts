// A place on Earth.
import { fields, parsed } from '../conversation/replies';

export interface Where {
  latitude: number;
  longitude: number;
}

/** place reads a location; null if it is none on Earth. */
export function place(content: unknown): Where | null {
  const { latitude, longitude } = fields(parsed(content)) ?? {};
  const on = (v: unknown, most: number): v is number => typeof v === 'number' && Math.abs(v) <= most;
  return on(latitude, 90) && on(longitude, 180) ? { latitude, longitude } : null;
}

/** degrees is one coordinate for people: the sign is a letter. */
export const degrees = (v: number, plus: string, minus: string): string => `${+Math.abs(v).toFixed(5)}° ${v < 0 ? minus : plus}`;

/** onMap is the page of OpenStreetMap that shows a place. */
export function onMap({ latitude, longitude }: Where): string {
  const [lat, lon] = [+latitude.toFixed(6), +longitude.toFixed(6)];
  return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=15/${lat}/${lon}`;
}

/** geo is the address of a place that programs for maps open. */
export const geo = ({ latitude, longitude }: Where): string => `geo:${+latitude.toFixed(6)},${+longitude.toFixed(6)}`;
