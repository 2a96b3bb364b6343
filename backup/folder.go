package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

var (
	// named matches the files that a Maker makes, and left the temporary files of a killed one.
	named = regexp.MustCompile(`^docent-\d{8}-\d{6}\.backup$`)
	left  = regexp.MustCompile(`^\.docent-\d{8}-\d{6}\.backup-\d+$`)
)

// newName returns the name of a new file. Names have the order of their times.
func newName(now time.Time) string {
	return "docent-" + now.UTC().Format("20060102-150405") + ".backup"
}

// cleanFolder removes the incomplete backups of killed processes.
func cleanFolder(folder string) error {
	names, err := filesLike(folder, left)
	if err != nil {
		return err
	}
	return removeAll(folder, names)
}

// pruneFolder removes the oldest backups of a Maker, until keep of them are left. 0 keeps all.
func pruneFolder(folder string, keep int) (removed int, err error) {
	names, err := filesLike(folder, named)
	if err != nil || keep <= 0 || len(names) <= keep {
		return 0, err
	}
	old := names[:len(names)-keep]
	return len(old), removeAll(folder, old)
}

// filesLike returns the names of regular files that match a pattern, sorted.
func filesLike(folder string, pattern *regexp.Regexp) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("folder of backups: %w", err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() && pattern.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

func removeAll(folder string, names []string) error {
	for _, name := range names {
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove an old backup: %w", err)
		}
	}
	return nil
}
