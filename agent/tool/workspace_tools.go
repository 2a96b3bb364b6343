package tool

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"

	"docent/internal/fault"
)

const (
	// DefaultPage is how many bytes read_file and read_document show at once.
	DefaultPage = 20_000
	// MaxPage is how many they show when asked for more, as BAF's read_file.
	MaxPage = 200_000
	// sniffed is how many bytes at the start of a file tell whether it is text.
	sniffed = 8 << 10
)

type listDirectory struct {
	Path      string `json:"relative_path,omitempty" description:"The directory, relative to the workspace; '.' is its top."`
	Workspace string `json:"workspace,omitempty" description:"The workspace's name; needed if there are several."`
}

type readFile struct {
	Path      string `json:"relative_path" description:"The file, relative to the workspace."`
	Offset    int64  `json:"offset,omitempty" description:"The byte to begin with; 0 is the first."`
	Limit     int    `json:"limit,omitempty" description:"How many bytes to read at most; 20000 if not given, 200000 at most."`
	Workspace string `json:"workspace,omitempty" description:"The workspace's name; needed if there are several."`
}

type writeFile struct {
	Path      string `json:"relative_path" description:"The file, relative to the workspace."`
	Content   string `json:"content" description:"The whole new content."`
	Workspace string `json:"workspace,omitempty" description:"The workspace's name; needed if there are several."`
}

type createFile struct {
	Path      string `json:"relative_path" description:"The file, relative to the workspace."`
	Content   string `json:"content,omitempty" description:"Its content; empty if not given."`
	Workspace string `json:"workspace,omitempty" description:"The workspace's name; needed if there are several."`
}

type deleteFile struct {
	Path      string `json:"relative_path" description:"The file, relative to the workspace."`
	Workspace string `json:"workspace,omitempty" description:"The workspace's name; needed if there are several."`
}

// Tools returns list_directory and read_file and, if a workspace is writable,
// write_file, create_file and delete_file.
func (w *Workspaces) Tools() ([]Tool, error) {
	tools, err := collect(
		with("list_directory", "List the files and directories in a directory of a workspace.", w.listDirectory),
		with("read_file", "Read a text file of a workspace. Long files come in pages: the end of a page says how to read on.", w.readFile),
	)
	if err != nil || !w.writable() {
		return tools, err
	}
	writing, err := collect(
		with("write_file", "Write a text file of a writable workspace; what was in it is replaced.", w.writeFile),
		with("create_file", "Create a text file in a writable workspace; fails if it exists.", w.createFile),
		with("delete_file", "Delete a file of a writable workspace.", w.deleteFile),
	)
	return append(tools, writing...), err
}

func (w *Workspaces) writable() bool {
	for _, s := range w.spaces {
		if s.Writable {
			return true
		}
	}
	return false
}

// with is a tool to be made.
func with[In any](name, description string, call func(context.Context, In) (any, error)) func() (Tool, error) {
	return func() (Tool, error) { return New(name, description, call) }
}

func collect(makers ...func() (Tool, error)) ([]Tool, error) {
	out := make([]Tool, len(makers))
	for i, m := range makers {
		var err error
		if out[i], err = m(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (w *Workspaces) listDirectory(ctx context.Context, in listDirectory) (any, error) {
	s, err := w.find(in.Workspace)
	if err != nil {
		return nil, err
	}
	return s.list(ctx, cmp.Or(in.Path, "."), MaxListing)
}

func (w *Workspaces) readFile(_ context.Context, in readFile) (any, error) {
	s, err := w.find(in.Workspace)
	if err != nil {
		return nil, err
	}
	local, err := s.local(in.Path)
	if err != nil {
		return nil, err
	}
	if in.Offset < 0 || in.Limit < 0 {
		return nil, refusal("WorkspaceError", "offset and limit cannot be negative")
	}
	// Opening a pipe would wait for who writes to it.
	f, err := s.root.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, s.failed(err, in.Path)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, s.failed(err, in.Path)
	}
	if !info.Mode().IsRegular() {
		return nil, refusal("WorkspaceError", "Not a file: %s", shown(in.Path))
	}
	return page(f, info.Size(), in)
}

// page reads a part of a file as text.
func page(f io.ReaderAt, size int64, in readFile) (string, error) {
	head := make([]byte, min(size, sniffed))
	if err := readAt(f, head, 0); err != nil {
		return "", fault.Wrap(fault.Internal, err, "%s cannot be read", shown(in.Path))
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return "", refusal("WorkspaceError", "%s is not UTF-8 text but a file of %d bytes and type %s; it cannot be read", shown(in.Path), size, http.DetectContentType(head))
	}
	if size == 0 {
		return fmt.Sprintf("(empty file: %s)", printable(in.Path)), nil
	}
	if in.Offset >= size {
		return "", refusal("WorkspaceError", "offset %d is behind the end: %s has %d bytes", in.Offset, shown(in.Path), size)
	}
	// A few bytes more on both sides show where characters begin.
	from := max(in.Offset-utf8.UTFMax, 0)
	limit := int64(min(cmp.Or(in.Limit, DefaultPage), MaxPage))
	text := make([]byte, min(in.Offset+limit+utf8.UTFMax, size)-from)
	if err := readAt(f, text, from); err != nil {
		return "", fault.Wrap(fault.Internal, err, "%s cannot be read", shown(in.Path))
	}
	start, end := runes(text, int(in.Offset-from), int(min(in.Offset+limit, size)-from))
	first, last := from+int64(start), from+int64(end)
	text = text[start:end]
	if bytes.IndexByte(text, 0) >= 0 {
		return "", refusal("WorkspaceError", "%s is not text: there are NUL bytes from offset %d on", shown(in.Path), first+int64(bytes.IndexByte(text, 0)))
	}
	return string(text) + pageNote(first, last, size, "offset"), nil
}

// pageNote says what part of a text a page is, unless it is all of it.
func pageNote(first, last, size int64, parameter string) string {
	if first == 0 && last == size {
		return ""
	}
	note := fmt.Sprintf("\n[bytes %d to %d of %d", first, last, size)
	if last < size {
		return note + fmt.Sprintf("; %d are left, read on with %s=%d]", size-last, parameter, last)
	}
	return note + "; this is the end]"
}

// readAt fills b; a file that has become shorter meanwhile leaves zeros behind,
// which are taken for what is not text.
func readAt(f io.ReaderAt, b []byte, offset int64) error {
	if _, err := f.ReadAt(b, offset); err != nil && !errors.Is(err, io.EOF) {
		return err //nolint:wrapcheck // the caller says what it read
	}
	return nil
}

// runes moves the bounds of a part of text to where characters begin: the start
// backwards, the end too unless nothing would be left.
func runes(text []byte, start, end int) (from, to int) {
	from, to = runeStart(text, start), runeStart(text, end)
	if to <= from { // one character, or less, was asked for
		_, n := utf8.DecodeRune(text[from:])
		to = from + n
	}
	return from, to
}

// runeStart returns where the character begins that i is within; i itself if
// the bytes there are no character.
func runeStart(text []byte, i int) int {
	for back := range min(i, utf8.UTFMax-1) + 1 {
		if start := i - back; start < len(text) && utf8.RuneStart(text[start]) {
			if _, n := utf8.DecodeRune(text[start:]); start+n > i {
				return start
			}
			break
		}
	}
	return i
}

func (w *Workspaces) writeFile(_ context.Context, in writeFile) (any, error) {
	s, local, err := w.target(in.Workspace, in.Path)
	if err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o644)
	switch info, err := s.root.Lstat(local); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, s.failed(err, in.Path)
	case info.IsDir():
		return nil, refusal("WorkspaceError", "Is a directory: %s", shown(in.Path))
	case !info.Mode().IsRegular():
		return nil, refusal("WorkspaceError", "Not a file but a link or device, which cannot be written: %s", shown(in.Path))
	default:
		mode = info.Mode().Perm()
	}
	if err := s.put(local, []byte(in.Content), mode); err != nil {
		return nil, s.failed(err, in.Path)
	}
	return fmt.Sprintf("Wrote %d bytes to %s.", len(in.Content), shown(in.Path)), nil
}

// put replaces a file in one moment: whoever reads it meanwhile, or a full
// disk, meets the old content or the new.
func (s *space) put(local string, content []byte, mode fs.FileMode) (err error) {
	if err := s.root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
		return err //nolint:wrapcheck // failed says what it means
	}
	fresh := filepath.Join(filepath.Dir(local), ".docent-"+rand.Text()+".tmp")
	defer func() {
		if err != nil {
			_ = s.root.Remove(fresh)
		}
	}()
	if err := s.create(fresh, content, mode); err != nil {
		return err
	}
	return s.root.Rename(fresh, local) //nolint:wrapcheck // failed says what it means
}

// create makes a file that must not exist.
func (s *space) create(local string, content []byte, mode fs.FileMode) error {
	f, err := s.root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err //nolint:wrapcheck // failed says what it means
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		_ = s.root.Remove(local)
		return err
	}
	return nil
}

func (w *Workspaces) createFile(_ context.Context, in createFile) (any, error) {
	s, local, err := w.target(in.Workspace, in.Path)
	if err != nil {
		return nil, err
	}
	if err := s.root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
		return nil, s.failed(err, in.Path)
	}
	if err := s.create(local, []byte(in.Content), 0o644); err != nil {
		return nil, s.failed(err, in.Path)
	}
	return fmt.Sprintf("Created %s (%d bytes).", shown(in.Path), len(in.Content)), nil
}

func (w *Workspaces) deleteFile(_ context.Context, in deleteFile) (any, error) {
	s, local, err := w.target(in.Workspace, in.Path)
	if err != nil {
		return nil, err
	}
	info, err := s.root.Lstat(local)
	if err != nil {
		return nil, s.failed(err, in.Path)
	}
	if info.IsDir() {
		return nil, refusal("WorkspaceError", "Is a directory: %s", shown(in.Path))
	}
	if err := s.root.Remove(local); err != nil {
		return nil, s.failed(err, in.Path)
	}
	return fmt.Sprintf("Deleted %s.", shown(in.Path)), nil
}

// target finds the file a writing tool is about.
func (w *Workspaces) target(workspace, path string) (*space, string, error) {
	s, err := w.find(workspace)
	if err != nil {
		return nil, "", err
	}
	if !s.Writable {
		return nil, "", refusal("WorkspaceError", "Workspace '%s' is read-only", s.Name)
	}
	local, err := s.local(path)
	if err == nil && local == "." {
		err = refusal("WorkspaceError", "Is a directory: %s", shown(cmp.Or(path, ".")))
	}
	return s, local, err
}
