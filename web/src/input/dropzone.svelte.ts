// Files that the user drops on the page or pastes into the box.

/** hasFiles reports whether a drop or a paste contains files. */
const hasFiles = (data: DataTransfer | null): boolean => data?.types.includes('Files') === true;

/** DropZone passes dropped and pasted files on while it is open. */
export class DropZone {
  /** Files are held over the page. */
  dragging = $state(false);

  constructor(
    private readonly open: () => boolean,
    private readonly attach: (files: FileList) => void,
  ) {}

  dragover = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer) || !this.open()) return;
    event.preventDefault();
    this.dragging = true;
  };

  dragleave = (event: DragEvent): void => {
    if (!event.relatedTarget) this.dragging = false;
  };

  drop = (event: DragEvent): void => {
    this.dragging = false;
    if (!hasFiles(event.dataTransfer) || !this.open()) return;
    event.preventDefault();
    this.attach(event.dataTransfer!.files);
  };

  // Office programs copy text together with its picture. Then the text is pasted.
  paste = (event: ClipboardEvent): void => {
    if (!hasFiles(event.clipboardData) || event.clipboardData!.types.includes('text/plain')) return;
    event.preventDefault();
    this.attach(event.clipboardData!.files);
  };
}
