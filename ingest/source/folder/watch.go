package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"docent/ingest"
	"docent/internal/fault"
)

const (
	// patience bounds how long a change waits while the folder keeps changing, as a
	// multiple of the quiet time.
	patience = 10
	// lookFactor is the interval between checks of the paths themselves, as a
	// multiple of the quiet time.
	lookFactor = 20
)

// Watch calls changed once when it watches the files and folders below paths.
// It calls changed again after each change, once the quiet time has passed
// without further changes. Calls do not overlap. Watch ends with ctx. An error
// says why it cannot watch, such as a limit of the operating system.
func Watch(ctx context.Context, paths []string, links ingest.Links, settle time.Duration, changed func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "watches_exhausted", "the system does not allow watching more folders")
	}
	defer w.Close() //nolint:errcheck // it only frees the watches
	roots := make([]string, len(paths))
	for i, p := range paths {
		if roots[i], err = filepath.Abs(p); err != nil {
			return fault.Wrap(fault.Invalid, err, "not_a_path", "%s: not a path", p)
		}
	}
	identities := identify(roots) // before the first call, so that no later change is missed
	if err := follow(ctx, w, roots, links); err != nil {
		return err
	}
	changed()
	timer := time.NewTimer(settle)
	timer.Stop()
	defer timer.Stop()
	look := time.NewTicker(lookFactor * settle)
	defer look.Stop()
	var first time.Time // time of the first pending change
	note := func() {
		if now := time.Now(); first.IsZero() {
			first = now
		} else if now.Sub(first) > patience*settle {
			return // the timer will fire
		}
		timer.Reset(settle)
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-w.Events:
			if !open {
				return fault.New(fault.Unavailable, "watch_ended", "watching has ended")
			}
			if concerns(e.Name, roots) {
				note()
			}
		case err, open := <-w.Errors:
			if !open {
				return fault.New(fault.Unavailable, "watch_ended", "watching has ended")
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("watch: %w", err)
			}
			note() // the system lost events because there were too many
		case <-look.C:
			if replaced(w, roots, identities) {
				note()
			}
		case <-timer.C:
			first = time.Time{}
			if err := follow(ctx, w, roots, links); err != nil {
				return err
			}
			changed()
		}
	}
}

// identify returns the folder for each path: the path itself or, for a file or
// a missing path, its parent. An unknown folder is nil.
func identify(roots []string) []fs.FileInfo {
	out := make([]fs.FileInfo, len(roots))
	for i, p := range roots {
		info, err := os.Stat(p)
		if err != nil || !info.IsDir() {
			info, err = os.Stat(filepath.Dir(p))
		}
		if err == nil {
			out[i] = info
		}
	}
	return out
}

// replaced reports whether the paths now lead to other folders. It ends the
// watches of the old folders. The system sends no event when a disk is mounted
// or unmounted, or when a parent folder is renamed.
func replaced(w *fsnotify.Watcher, roots []string, identities []fs.FileInfo) bool {
	found := false
	for i, now := range identify(roots) {
		if now == nil && identities[i] == nil || now != nil && identities[i] != nil && os.SameFile(now, identities[i]) {
			continue
		}
		identities[i], found = now, true
		for _, p := range w.WatchList() {
			if p == filepath.Dir(roots[i]) || concerns(p, roots[i:i+1]) {
				_ = w.Remove(p) // fails if the watch has ended with its folder
			}
		}
	}
	return found
}

// concerns reports whether a changed path is a root or below one.
func concerns(p string, roots []string) bool {
	for _, root := range roots {
		if rest, ok := strings.CutPrefix(p, root); ok && (rest == "" || rest[0] == filepath.Separator || root == string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// maxRounds bounds how often follow searches for folders that were created
// before their parents were watched.
const maxRounds = 10

// follow watches all existing folders. The system ends the watches of removed
// folders.
func follow(ctx context.Context, w *fsnotify.Watcher, roots []string, links ingest.Links) error {
	for range maxRounds {
		more, err := add(ctx, w, roots, links)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// add watches the folders that are not watched yet. It reports whether there
// were any.
func add(ctx context.Context, w *fsnotify.Watcher, roots []string, links ingest.Links) (more bool, err error) {
	l, err := ingest.List(ctx, roots, links)
	if err != nil {
		return false, err
	}
	watched := map[string]bool{}
	for _, p := range w.WatchList() {
		watched[p] = true
	}
	folders := l.Folders
	for _, p := range roots { // the parent of a root reports when the root is created or removed
		folders = append(folders, filepath.Dir(p))
	}
	for _, folder := range folders {
		if watched[folder] {
			continue
		}
		watched[folder], more = true, true
		if err := w.Add(folder); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return false, fault.New(fault.Unavailable, "folder_watch_failed", "the folder %s cannot be watched: %w", folder, err)
		}
	}
	return more, nil
}
