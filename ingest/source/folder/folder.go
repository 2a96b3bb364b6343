// Package folder implements sources that are folders on the server's disk. It
// follows the rules of package ingest for hidden and ignored files. It can
// watch a folder for changes.
package folder

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"docent/ingest"
	"docent/ingest/source"
	"docent/internal/fault"
)

// racy is the age below which the stamp of a listed file is not trusted. Such a
// file may change again within the clock tick of its last change.
const racy = 2 * time.Second

// Config describes a folder source.
type Config struct {
	// Path is the folder. Required.
	Path string
	// Settle is the delay before a change is reported. Each further change restarts
	// the delay. Default 500ms.
	Settle time.Duration
}

// Source is a folder source. It implements source.Watcher.
type Source struct {
	path   string
	settle time.Duration
}

var (
	_ source.Source  = (*Source)(nil)
	_ source.Watcher = (*Source)(nil)
	_ source.Emptier = (*Source)(nil)
)

// New checks the configuration and returns a source. The folder need not exist.
func New(cfg Config) (*Source, error) {
	if cfg.Path == "" {
		return nil, fault.New(fault.Invalid, "config_folder_path", "folder: Config.Path is missing")
	}
	if cfg.Settle < 0 {
		return nil, fault.New(fault.Invalid, "config_folder_settle", "folder: Config.Settle must not be negative")
	}
	if !filepath.IsAbs(cfg.Path) {
		return nil, fault.New(fault.Invalid, "folder_path_relative", "the path of the folder %s must be absolute", cfg.Path)
	}
	if cfg.Settle == 0 {
		cfg.Settle = 500 * time.Millisecond
	}
	return &Source{path: filepath.Clean(cfg.Path), settle: cfg.Settle}, nil
}

// List yields the files of the folder; see source.Source. The key of a file is
// its path relative to the folder. Its address is the absolute path.
func (s *Source) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		info, err := os.Stat(s.path)
		switch {
		case err != nil:
			yield(source.Item{}, fault.New(fault.Unavailable, "folder_unreadable", "the folder %s: %s", s.path, ingest.Reason(err)))
			return
		case !info.IsDir():
			yield(source.Item{}, fault.New(fault.Invalid, "not_a_folder", "%s is not a folder", s.path))
			return
		}
		l, err := ingest.List(ctx, []string{s.path}, ingest.Links{})
		if err != nil {
			yield(source.Item{}, err)
			return
		}
		now := time.Now()
		for _, f := range l.Files {
			if f.Path == s.path {
				continue // the folder itself is unreadable, which is reported below
			}
			if ctx.Err() != nil || !yield(s.item(f, now, known), nil) {
				break
			}
		}
		switch {
		case ctx.Err() != nil:
			yield(source.Item{}, context.Cause(ctx))
		case len(l.Broken) > 0:
			yield(source.Item{}, fault.New(fault.Unavailable,
				"folder_incomplete", "%s cannot be read, so files that are gone were not removed", l.Broken[0]))
		}
	}
}

// CheckEmpty fails if the folder is empty but has not changed since it had files.
// Deleting the files would have changed it. It is therefore another folder, such
// as the mount point of an unmounted disk. See source.Emptier.
func (s *Source) CheckEmpty(since time.Time) error {
	entries, err := os.ReadDir(s.path)
	if err != nil {
		return fault.New(fault.Unavailable, "folder_unreadable", "the folder %s: %s", s.path, ingest.Reason(err))
	}
	info, err := os.Stat(s.path)
	if err != nil {
		return fault.New(fault.Unavailable, "folder_unreadable", "the folder %s: %s", s.path, ingest.Reason(err))
	}
	if _, changed := stampOf(info); len(entries) > 0 || !changed.Before(since.Add(-racy)) {
		return nil
	}
	return fault.New(fault.Unavailable,
		"folder_emptied", "the folder %s is empty, but no file was deleted from it; its documents stay: check that its disk is mounted", s.path)
}

func (s *Source) item(f ingest.File, now time.Time, known source.Known) source.Item {
	rel := strings.TrimPrefix(strings.TrimPrefix(f.Path, s.path), string(filepath.Separator))
	it := source.Item{Key: filepath.ToSlash(rel), Name: f.Path, Address: f.Path, Size: f.Size, Modified: f.Modified}
	if !f.Reason.IsZero() {
		it.Err = &fault.Fault{Kind: fault.Invalid, Text: f.Reason}
		return it
	}
	info, err := os.Stat(f.Path)
	if err != nil {
		it.Err = err
		return it
	}
	stamp, changed := stampOf(info)
	if now.Sub(changed) < racy {
		return it // without a state the next sync reads it again
	}
	it.State = []byte(stamp)
	state, ok := known(it.Key)
	it.Unchanged = ok && string(state) == stamp
	return it
}

// Open opens a file; see source.Source.
func (s *Source) Open(_ context.Context, it source.Item) (io.ReadCloser, error) {
	f, err := os.Open(filepath.Join(s.path, filepath.FromSlash(it.Key)))
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close() //nolint:errcheck // nothing was written
		return nil, fault.New(fault.Invalid, "not_a_file", "not a file: it is a device, a pipe or a socket")
	}
	return f, nil
}

// Watch reports changes of the folder; see source.Watcher.
func (s *Source) Watch(ctx context.Context, changed func()) error {
	return Watch(ctx, []string{s.path}, ingest.Links{}, s.settle, changed)
}
