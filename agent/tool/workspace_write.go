package tool

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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

// put replaces a file atomically. Readers see the old or the new content, even if the disk is full.
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

// create makes a file and fails if it exists.
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

// target returns the file for a writing tool.
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
