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
	// patience is how many times the settling time a change waits at most while
	// the folder does not become quiet.
	patience = 10
	// lookFactor is how many times the settling time passes between two looks at
	// the paths themselves.
	lookFactor = 20
)

// Watch calls changed once it watches the files and folders under paths, and
// again after they have changed and been quiet for the settling time, until ctx
// ends. Calls do not overlap. An error says why changes cannot be noticed, such
// as a limit of the operating system.
func Watch(ctx context.Context, paths []string, settle time.Duration, changed func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "the system does not allow watching more folders")
	}
	defer w.Close() //nolint:errcheck // it only frees the watches
	roots := make([]string, len(paths))
	for i, p := range paths {
		if roots[i], err = filepath.Abs(p); err != nil {
			return fault.Wrap(fault.Invalid, err, "%s: not a path", p)
		}
	}
	if err := follow(ctx, w, roots); err != nil {
		return err
	}
	changed()
	timer := time.NewTimer(settle)
	timer.Stop()
	defer timer.Stop()
	look := time.NewTicker(lookFactor * settle)
	defer look.Stop()
	identities := identify(roots)
	var first time.Time // of the changes that wait
	note := func() {
		if now := time.Now(); first.IsZero() {
			first = now
		} else if now.Sub(first) > patience*settle {
			return // the timer runs out whatever comes
		}
		timer.Reset(settle)
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-w.Events:
			if !open {
				return fault.New(fault.Unavailable, "watching has ended")
			}
			if concerns(e.Name, roots) {
				note()
			}
		case err, open := <-w.Errors:
			if !open {
				return fault.New(fault.Unavailable, "watching has ended")
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("watch: %w", err)
			}
			note() // so much has changed that the system lost count
		case <-look.C:
			if replaced(w, roots, identities) {
				note()
			}
		case <-timer.C:
			first = time.Time{}
			if err := follow(ctx, w, roots); err != nil {
				return err
			}
			changed()
		}
	}
}

// identify returns the folder behind each path: the path itself or, for a file or
// a missing path, the folder above. An unknown one is nil.
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

// replaced reports whether other folders are at the paths than before, and ends
// the watches of the old ones. The system does not tell when a disk is mounted or
// unmounted, or when a folder further up is renamed.
func replaced(w *fsnotify.Watcher, roots []string, identities []fs.FileInfo) bool {
	found := false
	for i, now := range identify(roots) {
		if now == nil && identities[i] == nil || now != nil && identities[i] != nil && os.SameFile(now, identities[i]) {
			continue
		}
		identities[i], found = now, true
		for _, p := range w.WatchList() {
			if p == filepath.Dir(roots[i]) || concerns(p, roots[i:i+1]) {
				_ = w.Remove(p) // or the watch has ended with its folder
			}
		}
	}
	return found
}

// concerns reports whether a changed path is one of the roots or below one.
func concerns(p string, roots []string) bool {
	for _, root := range roots {
		if rest, ok := strings.CutPrefix(p, root); ok && (rest == "" || rest[0] == filepath.Separator || root == string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// maxRounds bounds how often new folders are looked for that were made while
// the folders above them were not yet watched.
const maxRounds = 10

// follow watches all folders that are there now. Those that are gone are no
// longer watched by themselves.
func follow(ctx context.Context, w *fsnotify.Watcher, roots []string) error {
	for range maxRounds {
		more, err := add(ctx, w, roots)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// add watches the folders that are not watched yet, and reports whether there
// were any.
func add(ctx context.Context, w *fsnotify.Watcher, roots []string) (more bool, err error) {
	l, err := ingest.List(ctx, roots)
	if err != nil {
		return false, err
	}
	watched := map[string]bool{}
	for _, p := range w.WatchList() {
		watched[p] = true
	}
	folders := l.Folders
	for _, p := range roots { // the folder that a root is in tells when it comes and goes
		folders = append(folders, filepath.Dir(p))
	}
	for _, folder := range folders {
		if watched[folder] {
			continue
		}
		watched[folder], more = true, true
		if err := w.Add(folder); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return false, fault.New(fault.Unavailable, "the folder %s cannot be watched: %w", folder, err)
		}
	}
	return more, nil
}
