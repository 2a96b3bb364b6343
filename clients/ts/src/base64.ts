// Bytes as base64, without anything having to wait long for it.

/** How many bytes are read at a time; a multiple of 3, so that the pieces join. */
const piece = 3 << 17;

/** How many become characters at a time; String.fromCharCode takes no more at once. */
const slice = 0x8000;

/** base64 reads a file in pieces: between them, the thread is free. */
export async function base64(file: Blob): Promise<string> {
  let text = '';
  for (let at = 0; at < file.size; at += piece) text += encoded(new Uint8Array(await file.slice(at, at + piece).arrayBuffer()));
  return text;
}

function encoded(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += slice) text += String.fromCharCode(...bytes.subarray(i, i + slice));
  return btoa(text);
}
