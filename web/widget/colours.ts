// A site's colour, made readable on what it stands on.

type Rgb = [number, number, number];

const light: Rgb = [255, 255, 255];
const dark: Rgb = [32, 31, 28];
const black: Rgb = [0, 0, 0];

/** What text needs against what it stands on, with a little to spare. */
const enough = 4.6;

export interface Accent {
  /** Text on the colour. */
  on: string;
  /** The colour as text, on light and on dark. */
  light: string;
  dark: string;
}

/** accent makes what is needed of a colour; null if the browser does not tell what it looks like. */
export function accent(colour: string): Accent | null {
  const rgb = seen(colour);
  if (!rgb) return null;
  return {
    on: written(contrast(rgb, light) >= enough || contrast(rgb, light) > contrast(rgb, black) ? light : black),
    light: written(towards(rgb, black, light)),
    dark: written(towards(rgb, light, dark)),
  };
}

function seen(colour: string): Rgb | null {
  const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d');
  if (!context) return null;
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
  return [r!, g!, b!];
}

// The colour, mixed with another until it can be read on what is behind.
function towards(rgb: Rgb, other: Rgb, behind: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = rgb.map((v, i) => Math.round(v + (other[i]! - v) * share)) as Rgb;
    if (contrast(mixed, behind) >= enough) return mixed;
  }
  return other;
}

function contrast(a: Rgb, b: Rgb): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const written = (rgb: Rgb) => `rgb(${rgb.join(' ')})`;
