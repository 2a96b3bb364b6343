// Files and folders that a person picked or dropped.
import { formats, sourceEndings } from '../api/formats';

/** Picked is a file with its path from the folder that was chosen; its own name if none was. */
export interface Picked {
  file: File;
  path: string;
}

/** accepted is the accept attribute of a file field: the formats that docent reads. */
export const accepted = ['text/*', ...new Set([...formats.flatMap((f) => f.endings), ...sourceEndings])].join(',');

const system = /^(?:Thumbs\.db|ehthumbs\.db|desktop\.ini|__MACOSX|\$RECYCLE\.BIN|System Volume Information|Icon\r|~\$.*)$/i;

/** unwanted are files that programs leave in folders, and what is hidden in one. */
export function unwanted(path: string): boolean {
  const parts = path.split('/');
  return parts.some((p) => system.test(p) || p === '.DS_Store') || (parts.length > 1 && parts.some((p) => p.startsWith('.')));
}

/** picked are the files of a form's field, whose folders have paths. */
export const picked = (files: Iterable<File>): Picked[] => Array.from(files, (file) => ({ file, path: file.webkitRelativePath || file.name }));

/** Dropped is what was dropped: its files, and the paths of the files and folders that could not be read. */
export interface Dropped {
  files: Picked[];
  unread: string[];
}

/** dropped are all files of what was dropped, those of folders in them too. A drop holds them only while it is told, so it is called at once. */
export async function dropped(items: Iterable<DataTransferItem>, seen?: (files: number) => void): Promise<Dropped> {
  const out: Picked[] = [];
  const unread: string[] = [];
  const waiting: FileSystemEntry[] = [];
  for (const item of items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry();
    const file = entry ? null : item.getAsFile();
    if (entry) waiting.push(entry);
    else if (file) out.push({ file, path: file.name });
  }
  for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
    const path = entry.fullPath.replace(/^\//, '');
    if (unwanted(path) && entry.isDirectory) continue; // there may be ten thousand files in .git
    try {
      if (entry.isDirectory) waiting.unshift(...(await list(entry as FileSystemDirectoryEntry)));
      else out.push({ file: await read(entry as FileSystemFileEntry), path });
    } catch {
      unread.push(path); // it may not be read, or was moved since
    }
    if (out.length % 100 === 0) seen?.(out.length);
  }
  return { files: out, unread };
}

const read = (entry: FileSystemFileEntry) => new Promise<File>((ok, fail) => entry.file(ok, fail));

async function list(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    // Browsers tell of a hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((ok, fail) => reader.readEntries(ok, fail));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
