// Files and folders that a person picked or dropped.

/** Picked is a file with its path from the folder that was chosen; its own name if none was. */
export interface Picked {
  file: File;
  path: string;
}

const endings = [
  'pdf doc docx dotx xls xlsx xlsm ppt pptx odt ods odp rtf', // office
  'eml msg mbox mht mhtml epub ipynb', // mail, books, and notebooks
  'html htm xhtml md markdown mdown mkd mdx qmd tex rst adoc asciidoc org xml dita srt vtt svg', // markup
  'txt text log csv tsv json jsonl ndjson yaml yml toml ini cfg conf properties sql', // text and data
  'zip tar tgz gz bz2 xz zst', // archives
  'png jpg jpeg tif tiff webp bmp gif', // images
  'go py pyi js mjs cjs jsx ts tsx svelte vue java kt kts scala groovy gradle c h cc cpp cxx hh hpp cs fs swift m rs zig rb php pl pm lua r jl', // source code
  'sh bash zsh fish ps1 bat ex exs erl hs ml mli clj el lisp scm dart proto graphql tf nix cmake mk css scss less xsd xsl s asm f90 vb diff patch awk vim',
];

/** accepted is the accept attribute of a file field: the formats that docent reads. */
export const accepted = ['text/*', ...endings.flatMap((line) => line.split(' ').map((e) => `.${e}`))].join(',');

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
