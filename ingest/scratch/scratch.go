// Package scratch creates temporary folders that are removed even if their
// process is killed. An owner locks its folder. If the owner is killed, the
// operating system releases the lock. Later processes remove the folders that
// they can lock.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Kind is the purpose of a folder. It is the prefix of the folder's name.
type Kind string

// The kinds of folders.
const (
	// Parts holds the documents inside a source until they are read.
	Parts Kind = "docent-parts-"
	// Tool holds the files of another program, such as LibreOffice.
	Tool Kind = "docent-tool-"
	// Upload holds a file of a request.
	Upload Kind = "docent-upload-"
	// Response holds the body of a response.
	Response Kind = "docent-response-"
)

// Folder is a temporary folder. It is not safe for concurrent use.
type Folder struct {
	// Path is the path of the folder.
	Path string
	lock *os.File // nil on systems that cannot lock folders
}

// maxTries bounds how often a folder is created again after a sweep removed it
// before it was locked.
const maxTries = 10

// Make creates a folder in the system's temporary folder. Remove it when done.
func Make(kind Kind) (*Folder, error) {
	for range maxTries {
		path, err := os.MkdirTemp("", string(kind)+strconv.Itoa(os.Getpid())+"-")
		if err != nil {
			return nil, fmt.Errorf("make a temporary folder: %w", err)
		}
		lock, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process swept it
		}
		if err != nil {
			return nil, fmt.Errorf("make a temporary folder: %w", err)
		}
		if err := wait(lock); errors.Is(err, errors.ErrUnsupported) {
			// No process sweeps the folder. Windows does not remove an open one.
			return &Folder{Path: path}, lock.Close()
		}
		if _, err := os.Lstat(path); err == nil {
			return &Folder{Path: path, lock: lock}, nil
		}
		_ = lock.Close() // another process swept it
	}
	return nil, errors.New("make a temporary folder: others remove it")
}

// Remove removes the folder and its content.
func (f *Folder) Remove() error {
	err := os.RemoveAll(f.Path)
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return err
}

// Sweep removes the folders of processes that have ended, and returns their
// paths. It keeps folders that it cannot lock.
func Sweep() (removed []string, err error) {
	dir := os.TempDir()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look for temporary folders: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !isOurs(e.Name()) || !e.IsDir() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		swept, err := sweep(path)
		if swept {
			removed = append(removed, path)
		}
		errs = append(errs, err)
	}
	return removed, errors.Join(errs...)
}

// isOurs reports whether a name has the form of Make's names. Folders of
// programs without locks have other names.
func isOurs(name string) bool {
	return slices.ContainsFunc([]Kind{Parts, Tool, Upload, Response}, func(k Kind) bool {
		rest, ok := strings.CutPrefix(name, string(k))
		pid, _, made := strings.Cut(rest, "-")
		_, err := strconv.Atoi(pid)
		return ok && made && err == nil
	})
}

// sweep removes a folder without an owner.
func sweep(path string) (swept bool, err error) {
	lock, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false, nil // it no longer exists, or it belongs to another user
	}
	if err != nil {
		return false, fmt.Errorf("sweep a temporary folder: %w", err)
	}
	defer lock.Close() //nolint:errcheck // nothing was written
	if !try(lock) {
		return false, nil
	}
	if err := os.RemoveAll(path); err != nil {
		return false, fmt.Errorf("sweep a temporary folder: %w", err)
	}
	return true, nil
}
