// Files as base64, without anything having to wait long for it.

/** Attachment is a file as it is sent. */
export interface Attachment {
  name: string;
  type: string;
  base64: string;
  /** How many bytes it has; it is not sent. */
  size?: number;
  /** The base64 as a browser keeps it beside the thread: a large file is sent from there. */
  blob?: Blob;
}

/** How many bytes are read at a time; a multiple of 3, so that the pieces join. */
const piece = 3 << 18;

/** How many become characters at a time; String.fromCharCode takes no more at once. */
const slice = 0x8000;

/** A browser writes base64 by itself, beside the thread; Node.js has no such reader. */
const native = typeof FileReader === 'function';

/** attachment reads a file in pieces: between them, the thread is free. */
export async function attachment(file: File): Promise<Attachment> {
  const pieces: Blob[] = [];
  const text = await base64(file, (text) => void (native && pieces.push(new Blob([text]))));
  return { name: file.name, type: file.type, base64: text, size: file.size, ...(pieces.length > 1 && { blob: new Blob(pieces) }) };
}

/** base64 reads bytes in pieces. */
export async function base64(bytes: Blob, each?: (text: string) => void): Promise<string> {
  let all = '';
  for (let at = 0; at < bytes.size; at += piece) {
    const text = await read(bytes.slice(at, at + piece));
    each?.(text);
    all += text;
  }
  return all;
}

function read(part: Blob): Promise<string> {
  if (!native) return part.arrayBuffer().then((bytes) => encoded(new Uint8Array(bytes)));
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

function encoded(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += slice) text += String.fromCharCode(...bytes.subarray(i, i + slice));
  return btoa(text);
}
