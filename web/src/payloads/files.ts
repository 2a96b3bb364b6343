// Detects the type of a file from its bytes and its name, for previews.
export type FileKind = 'text' | 'image' | 'pdf' | 'other';

/** The limits of a preview: bytes of text, and pixels of an image. */
export const limits = { text: 100_000, pixels: 60_000_000 };

const begins = (bytes: Uint8Array, ...codes: number[]): boolean => codes.every((c, i) => bytes[i] === c);

/** imageType returns the media type of an image that browsers show, or ''. */
export function imageType(b: Uint8Array): string {
  if (begins(b, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  if (begins(b, 0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (begins(b, 0x47, 0x49, 0x46, 0x38)) return 'image/gif';
  if (begins(b, 0x52, 0x49, 0x46, 0x46) && begins(b.subarray(8), 0x57, 0x45, 0x42, 0x50)) return 'image/webp';
  return '';
}

/** pixels returns the number of pixels from the header of an image; 0 for unknown headers. */
export function pixels(b: Uint8Array): number {
  const v = new DataView(b.buffer, b.byteOffset, b.byteLength);
  switch (imageType(b)) {
    case 'image/png': return b.length >= 24 ? v.getUint32(16) * v.getUint32(20) : 0;
    case 'image/gif': return b.length >= 10 ? v.getUint16(6, true) * v.getUint16(8, true) : 0;
    case 'image/jpeg': return jpegPixels(b, v);
    case 'image/webp': return b.length >= 30 && b[15] === 0x58 ? (1 + (v.getUint32(24, true) & 0xffffff)) * (1 + (v.getUint32(26, true) >>> 8)) : 0;
    default: return 0;
  }
}

// The size is in the frame segment of a JPEG.
function jpegPixels(b: Uint8Array, v: DataView): number {
  for (let at = 2; at + 9 < b.length && b[at] === 0xff; at += 2 + v.getUint16(at + 2)) {
    const marker = b[at + 1]!;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return v.getUint16(at + 5) * v.getUint16(at + 7);
  }
  return 0;
}

/** fileKind returns the kind of preview for a file. */
export function fileKind(b: Uint8Array): FileKind {
  if (imageType(b)) return 'image';
  if (begins(b, 0x25, 0x50, 0x44, 0x46, 0x2d)) return 'pdf';
  return b.length > 0 && read(b) !== null ? 'text' : 'other';
}

/** read returns the beginning of a file as text, or null. */
export function read(b: Uint8Array): string | null {
  const wide = begins(b, 0xff, 0xfe) ? 'utf-16le' : begins(b, 0xfe, 0xff) ? 'utf-16be' : '';
  const beginning = b.subarray(0, limits.text);
  if (wide) return new TextDecoder(wide).decode(beginning);
  if (beginning.subarray(0, 8000).includes(0)) return null;
  try {
    // The beginning can end inside a character, which is no error for a stream.
    return new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: beginning.length < b.length });
  } catch {
    // Older files have one byte for each character. Files with control characters are
    // not text.
    const text = new TextDecoder('windows-1252').decode(beginning);
    return /[\u0001-\u0008\u000e-\u001a\u001c-\u001f]/.test(text.slice(0, 8000)) ? null : text;
  }
}

/** extension returns the extension of a file name, for its icon. */
export const extension = (name: string): string => (/\.([A-Za-z0-9]{1,5})[.\s\ufffd]*$/.exec(name)?.[1] ?? '').toUpperCase();
