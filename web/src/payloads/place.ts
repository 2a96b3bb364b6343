// A location on Earth.
import { fields, parsed } from '../conversation/replies';

export interface Where {
  latitude: number;
  longitude: number;
}

/** place reads a location, or returns null. */
export function place(content: unknown): Where | null {
  const { latitude, longitude } = fields(parsed(content)) ?? {};
  const on = (v: unknown, most: number): v is number => typeof v === 'number' && Math.abs(v) <= most;
  return on(latitude, 90) && on(longitude, 180) ? { latitude, longitude } : null;
}

/** degrees formats a coordinate with a letter for its sign. */
export const degrees = (v: number, plus: string, minus: string): string => `${+Math.abs(v).toFixed(5)}° ${v < 0 ? minus : plus}`;

/** onMap returns the address of a location on OpenStreetMap. */
export function onMap({ latitude, longitude }: Where): string {
  const [lat, lon] = [+latitude.toFixed(6), +longitude.toFixed(6)];
  return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=15/${lat}/${lon}`;
}

/** geo returns the address of a location for map programs. */
export const geo = ({ latitude, longitude }: Where): string => `geo:${+latitude.toFixed(6)},${+longitude.toFixed(6)}`;
