package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"docent/internal/fault"
)

const (
	// MaxWorkspaces limits the workspaces of an agent.
	MaxWorkspaces = 32
	// MaxListing is the maximum number of entries in a list of list_directory.
	MaxListing = 500
	// MaxDescribed is the maximum number of entries in the description of a workspace.
	MaxDescribed = 50
	// maxScan is the maximum number of entries that are read from a folder.
	maxScan = 10_000
)

// Workspace is a folder whose files a model may read.
type Workspace struct {
	// Name is the unique name for the model.
	Name string
	// Description describes the contents to the model.
	Description string
	// Path is the path of the folder. The model does not see it.
	Path string
	// Writable also lets the model write and delete files. All users of the agent share them. Default: false.
	Writable bool
}

// Workspaces are open folders for a model. No path can leave them, even through links or while files are being exchanged:
// the operating system resolves each path below the open folder. They are safe for concurrent use.
type Workspaces struct {
	spaces []*space
}

type space struct {
	Workspace
	root *os.Root
}

// OpenWorkspaces opens folders. The caller closes them with Close.
func OpenWorkspaces(spaces ...Workspace) (*Workspaces, error) {
	if len(spaces) == 0 || len(spaces) > MaxWorkspaces {
		return nil, fault.New(fault.Invalid, "workspaces_out_of_range", "%d workspaces: it has to be 1 to %d", len(spaces), MaxWorkspaces)
	}
	w := &Workspaces{}
	for _, s := range spaces {
		if s.Name == "" || strings.ContainsFunc(s.Name, unicode.IsControl) {
			return nil, errors.Join(fault.New(fault.Invalid, "workspace_name_invalid", "workspace %q: that is no name", s.Name), w.Close())
		}
		if slices.Contains(w.names(), s.Name) {
			return nil, errors.Join(fault.New(fault.Invalid, "workspace_name_twice", "two workspaces are called %s", s.Name), w.Close())
		}
		root, err := os.OpenRoot(s.Path)
		if err != nil {
			return nil, errors.Join(fault.Wrap(fault.Invalid, err,
				"workspace_unopened", "workspace %s: its folder cannot be opened", s.Name), w.Close())
		}
		w.spaces = append(w.spaces, &space{Workspace: s, root: root})
	}
	return w, nil
}

// Close closes the folders. Later tool calls fail.
func (w *Workspaces) Close() error {
	var all []error
	for _, s := range w.spaces {
		all = append(all, s.root.Close())
	}
	return errors.Join(all...)
}

// Describe renders the workspaces for the system prompt: the name, whether the model may write, and at most MaxDescribed
// entries at the top of each.
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

// find returns the workspace of a call.
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

// local returns the path in the operating system's form, if it stays in the workspace.
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

// failed turns an error about a path into an error for the model. It does not reveal paths outside of the workspace.
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
		return fault.Wrap(fault.Unavailable, err, "workspace_closed", "the workspace is closed")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case !errors.As(err, &number): // os.Root refused it, not the operating system
		return s.escapes(path)
	}
	return refusal("WorkspaceError", "%s cannot be used: %s", shown(path), number)
}
