package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"docent/internal/fault"
)

const (
	// MaxWorkspaces bounds how many folders an agent has.
	MaxWorkspaces = 32
	// MaxListing is how many entries of a folder list_directory shows.
	MaxListing = 500
	// MaxDescribed is how many entries of a workspace its description shows.
	MaxDescribed = 50
	// maxScan is how many entries of a folder are looked at.
	maxScan = 10_000
)

// Workspace is a folder whose files a model may read.
type Workspace struct {
	// Name is what the model calls it by; unique.
	Name string
	// Description tells the model what is in it.
	Description string
	// Path is the folder. The model is not told of it.
	Path string
	// Writable also lets the model write and delete files. Every user of the
	// agent shares them. Default false.
	Writable bool
}

// Workspaces are folders opened for a model. No path leads out of them, by
// whatever links or however fast it is exchanged: the operating system resolves
// each below the open folder. They are safe for concurrent use.
type Workspaces struct {
	spaces []*space
}

type space struct {
	Workspace
	root *os.Root
}

// OpenWorkspaces opens folders; Close them.
func OpenWorkspaces(spaces ...Workspace) (*Workspaces, error) {
	if len(spaces) == 0 || len(spaces) > MaxWorkspaces {
		return nil, fault.New(fault.Invalid, "%d workspaces: it has to be 1 to %d", len(spaces), MaxWorkspaces)
	}
	w := &Workspaces{}
	for _, s := range spaces {
		if s.Name == "" || strings.ContainsFunc(s.Name, unicode.IsControl) {
			return nil, errors.Join(fault.New(fault.Invalid, "workspace %q: that is no name", s.Name), w.Close())
		}
		if slices.Contains(w.names(), s.Name) {
			return nil, errors.Join(fault.New(fault.Invalid, "two workspaces are called %s", s.Name), w.Close())
		}
		root, err := os.OpenRoot(s.Path)
		if err != nil {
			return nil, errors.Join(fault.Wrap(fault.Invalid, err, "workspace %s: its folder cannot be opened", s.Name), w.Close())
		}
		w.spaces = append(w.spaces, &space{Workspace: s, root: root})
	}
	return w, nil
}

// Close closes the folders. Tools used afterwards fail.
func (w *Workspaces) Close() error {
	var all []error
	for _, s := range w.spaces {
		all = append(all, s.root.Close())
	}
	return errors.Join(all...)
}

// Describe renders what the system prompt says of the workspaces: name, whether
// they can be written, and the entries at the top of each, MaxDescribed at most.
func (w *Workspaces) Describe(ctx context.Context) string {
	var b strings.Builder
	b.WriteString("## Workspaces\n\nFolders with files you can use. Look into them with list_directory and read_file before you answer from memory. Paths are relative to the workspace.")
	for _, s := range w.spaces {
		access := "read-only"
		if s.Writable {
			access = "writable"
		}
		fmt.Fprintf(&b, "\n\n### Workspace: %s (%s)\n", s.Name, access)
		if s.Description != "" {
			b.WriteString(s.Description + "\n")
		}
		if !s.Writable {
			b.WriteString("Its files cannot be written or deleted.\n")
		}
		listing, err := s.list(ctx, ".", MaxDescribed)
		if err != nil {
			listing = "(it cannot be read now)"
		}
		b.WriteString("\n" + listing)
	}
	return b.String()
}

func (w *Workspaces) names() []string {
	out := make([]string, len(w.spaces))
	for i, s := range w.spaces {
		out[i] = s.Name
	}
	return out
}

// find returns the workspace a call is about.
func (w *Workspaces) find(name string) (*space, error) {
	if name == "" && len(w.spaces) == 1 {
		return w.spaces[0], nil
	}
	if name == "" {
		return nil, refusal("ValueError", "There are several workspaces, name one. Available: %s", list(w.names()))
	}
	for _, s := range w.spaces {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, refusal("ValueError", "Workspace '%s' not found. Available: %s", clip(name, 64), list(w.names()))
}

// local returns the path as the operating system writes it, if it stays in the
// workspace as it reads.
func (s *space) local(relative string) (string, error) {
	relative = cmp.Or(relative, ".")
	path := filepath.FromSlash(relative)
	if strings.ContainsRune(relative, 0) {
		return "", refusal("WorkspaceError", "Not a path: %s", shown(relative))
	}
	if !filepath.IsLocal(path) {
		return "", s.escapes(relative)
	}
	return filepath.Clean(path), nil
}

func (s *space) escapes(path string) error {
	return refusal("WorkspaceError", "Path escapes workspace '%s': %s", s.Name, shown(path))
}

// failed says what is wrong with a path, without what the operating system
// knows about it beyond the workspace.
func (s *space) failed(err error, path string) error {
	var number syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refusal("WorkspaceError", "Not found: %s", shown(path))
	case errors.Is(err, fs.ErrExist):
		return refusal("WorkspaceError", "File exists: %s", shown(path))
	case errors.Is(err, fs.ErrPermission):
		return refusal("WorkspaceError", "Permission denied: %s", shown(path))
	case errors.Is(err, fs.ErrClosed):
		return fault.Wrap(fault.Unavailable, err, "the workspace is closed")
	case !errors.As(err, &number): // os.Root refused it, not the operating system
		return s.escapes(path)
	}
	return fault.Wrap(fault.Internal, err, "%s cannot be used", shown(path))
}

// list renders a folder: folders first, then by name, letter case ignored.
func (s *space) list(ctx context.Context, path string, limit int) (string, error) {
	local, err := s.local(path)
	if err != nil {
		return "", err
	}
	info, err := s.root.Stat(local)
	if err != nil {
		return "", s.failed(err, path)
	}
	if !info.IsDir() {
		return "", refusal("WorkspaceError", "Not a directory: %s", shown(path))
	}
	dir, err := s.root.Open(local)
	if err != nil {
		return "", s.failed(err, path)
	}
	defer dir.Close()
	entries, more, err := scan(ctx, dir)
	if err != nil {
		return "", fault.Wrap(fault.KindOf(err), err, "the directory %s cannot be read", shown(path))
	}
	if len(entries) == 0 {
		return fmt.Sprintf("(empty directory: %s)", printable(path)), nil
	}
	return s.render(local, entries, more, limit), nil
}

// scan reads the entries of a folder, at most maxScan.
func scan(ctx context.Context, dir *os.File) (entries []fs.DirEntry, more bool, err error) {
	for len(entries) <= maxScan {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		some, err := dir.ReadDir(512)
		entries = append(entries, some...)
		if errors.Is(err, io.EOF) {
			return entries, false, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return entries[:maxScan], true, nil
}

func (s *space) render(folder string, entries []fs.DirEntry, more bool, limit int) string {
	type line struct{ kind, name string }
	lines := make([]line, len(entries))
	for i, e := range entries {
		lines[i] = line{s.kind(folder, e), e.Name()}
	}
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or(compareBool(b.kind == "DIR", a.kind == "DIR"),
			cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name)), cmp.Compare(a.name, b.name))
	})
	var b strings.Builder
	for i, l := range lines[:min(limit, len(lines))] {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%s] %s", l.kind, printable(l.name))
	}
	switch left := len(lines) - limit; {
	case more:
		fmt.Fprintf(&b, "\n(there are more than %d entries; not all are shown)", maxScan)
	case left > 0:
		fmt.Fprintf(&b, "\n(%d more entries are not shown)", left)
	}
	return b.String()
}

// kind is DIR, FILE or, for a link that leads nowhere or out, LINK.
func (s *space) kind(folder string, e fs.DirEntry) string {
	if e.Type()&fs.ModeSymlink != 0 {
		info, err := s.root.Stat(filepath.Join(folder, e.Name()))
		if err != nil {
			return "LINK"
		}
		e = fs.FileInfoToDirEntry(info)
	}
	if e.IsDir() {
		return "DIR"
	}
	return "FILE"
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// printable writes a name so that it stays in its line: file names may hold
// line ends, and words that look like ours.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

func shown(path string) string { return "'" + printable(clip(path, 256)) + "'" }
