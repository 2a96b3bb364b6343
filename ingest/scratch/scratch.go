// Package scratch makes temporary folders that are removed even if the process
// that made them is killed: a later process sweeps them. An owner locks its folder.
// The system ends the lock with the owner, so a folder that can be locked has none.
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

// Kind says what a folder is for, and begins its name.
type Kind string

// The kinds of folders.
const (
	// Parts holds the documents inside a source until they are read.
	Parts Kind = "docent-parts-"
	// Tool holds the files of another program, such as LibreOffice.
	Tool Kind = "docent-tool-"
)

// Folder is a temporary folder. One goroutine uses it at a time.
type Folder struct {
	// Path is the folder's.
	Path string
	lock *os.File
}

// maxTries bounds how often a folder is made that a sweep removes before it is
// locked.
const maxTries = 10

// Make makes a folder in the system's folder for temporary files. Remove it when
// done.
func Make(kind Kind) (*Folder, error) {
	for range maxTries {
		path, err := os.MkdirTemp("", string(kind)+strconv.Itoa(os.Getpid())+"-")
		if err != nil {
			return nil, fmt.Errorf("make a temporary folder: %w", err)
		}
		lock, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // swept
		}
		if err != nil {
			return nil, fmt.Errorf("make a temporary folder: %w", err)
		}
		// Where the system cannot lock folders, nothing sweeps them.
		_ = wait(lock)
		if _, err := os.Lstat(path); err == nil {
			return &Folder{Path: path, lock: lock}, nil
		}
		_ = lock.Close() // swept
	}
	return nil, errors.New("make a temporary folder: others remove it")
}

// Remove removes the folder with its content.
func (f *Folder) Remove() error {
	return errors.Join(os.RemoveAll(f.Path), f.lock.Close())
}

// Sweep removes the folders of processes that have ended, and returns their paths.
// It leaves those alone that it cannot lock.
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

// isOurs reports whether Make gives such names. Folders of programs that lock none
// have other names.
func isOurs(name string) bool {
	return slices.ContainsFunc([]Kind{Parts, Tool}, func(k Kind) bool {
		rest, ok := strings.CutPrefix(name, string(k))
		pid, _, made := strings.Cut(rest, "-")
		_, err := strconv.Atoi(pid)
		return ok && made && err == nil
	})
}

// sweep removes a folder that has no owner.
func sweep(path string) (swept bool, err error) {
	lock, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false, nil // it has gone, or it belongs to another user
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
