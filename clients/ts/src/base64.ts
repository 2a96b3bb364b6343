// Converts files to base64 in pieces, so that the main thread stays responsive.

/** Attachment is a file in the form of a message. */
export interface Attachment {
  name: string;
  type: string;
  base64: string;
  /** The size in bytes. It is not sent. */
  size?: number;
  /** The base64 text of a large file as a blob, which browsers keep outside of the heap. */
  blob?: Blob;
}

/** The number of bytes to read at a time. Encoded pieces can be joined, because it is a multiple of 3. */
const piece = 3 << 18;

/** The number of bytes to convert at a time. String.fromCharCode fails with too many arguments. */
const slice = 0x8000;

/** Browsers can encode base64 outside of the main thread. Node.js has no FileReader. */
const native = typeof FileReader === 'function';

/** attachment reads a file in pieces. */
export async function attachment(file: File): Promise<Attachment> {
  const pieces: Blob[] = [];
  const text = await base64(file, (text) => void (native && pieces.push(new Blob([text]))));
  return { name: file.name, type: file.type, base64: text, size: file.size, ...(pieces.length > 1 && { blob: new Blob(pieces) }) };
}

/** base64 encodes bytes in pieces, and calls each with every piece. */
export async function base64(bytes: Blob, each?: (text: string) => void): Promise<string> {
  let encoded = '';
  for (let start = 0; start < bytes.size; start += piece) {
    const text = await encode(bytes.slice(start, start + piece));
    each?.(text);
    encoded += text;
  }
  return encoded;
}

function encode(part: Blob): Promise<string> {
  if (!native) return part.arrayBuffer().then((bytes) => encodeBytes(new Uint8Array(bytes)));
  return new Promise((ok, fail) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = reader.result as string;
      ok(address.slice(address.indexOf(',') + 1));
    };
    reader.onerror = () => fail(reader.error ?? new Error('the file could not be read'));
    reader.readAsDataURL(part);
  });
}

function encodeBytes(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += slice) text += String.fromCharCode(...bytes.subarray(i, i + slice));
  return btoa(text);
}
