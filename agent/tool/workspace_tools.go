package tool

import (
	"cmp"
	"context"
)

const (
	// DefaultPage is the default size of a page of read_file and read_document, in bytes.
	DefaultPage = 20_000
	// MaxPage is the maximum size of a page. With its note, it fits DefaultMaxResult.
	MaxPage = 100_000
	// sniffed is the number of bytes at the start of a file that decide whether it is text.
	sniffed = 8 << 10
)

type listDirectory struct {
	Path      string `json:"relative_path,omitempty" description:"The directory, relative to the workspace; '.' is its top."`
	Workspace string `json:"workspace,omitempty" description:"The workspace's name; needed if there are several."`
}

type readFile struct {
	Path      string `json:"relative_path" description:"The file, relative to the workspace."`
	Offset    int64  `json:"offset,omitempty" description:"The byte to begin with; 0 is the first."`
	Limit     int    `json:"limit,omitempty" description:"How many bytes to read at most; 20000 if not given, 100000 at most; fewer if that is more than can be shown."`
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

// Tools returns list_directory and read_file. If a workspace is writable, it also returns write_file, create_file, and
// delete_file.
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

// with describes a tool to make.
func with[In any](name, description string, call func(context.Context, In) (any, error)) func() (Tool, error) {
	return func() (Tool, error) {
		t, err := New(name, description, call)
		t.Withheld = true
		return t, err
	}
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
