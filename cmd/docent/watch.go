package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"docent/ingest"
	"docent/ingest/source/folder"
	"docent/internal/fault"
)

// watchSettle is how long watched folders have to be quiet before changes are
// read.
const watchSettle = 500 * time.Millisecond

// follower follows files and folders: after each change it reads the files that
// have changed and removes the documents of those that are gone.
type follower struct {
	a      *app
	cmd    *cobra.Command
	std    stdio
	req    ingest.Request
	asJSON bool
	seen   map[string]ingest.File
	roots  []*watchRoot
	err    error
	cancel context.CancelFunc
}

// followPaths follows the paths of a request until ctx ends. The request has
// been run once; known is what it found before it began.
func (a *app) followPaths(cmd *cobra.Command, std stdio, req ingest.Request, asJSON bool, known ingest.Listing, roots []*watchRoot) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	f := &follower{a: a, cmd: cmd, std: std, req: req, asJSON: asJSON, seen: map[string]ingest.File{}, roots: roots, cancel: cancel}
	for _, file := range known.Files {
		f.seen[file.Path] = file
	}
	fmt.Fprintln(std.err, "watching for changes; Ctrl-C ends it")
	err := folder.Watch(ctx, req.Paths, watchSettle, func() { f.changed(ctx) })
	return cmp.Or(f.err, err)
}

// changed reads what has changed since the last call.
func (f *follower) changed(ctx context.Context) {
	l, err := ingest.List(ctx, f.req.Paths)
	if err != nil {
		f.fail(ctx, err)
		return
	}
	lost := f.lostRoots()
	now := make(map[string]ingest.File, len(l.Files))
	var paths []string
	for _, file := range l.Files {
		if within(file.Path, lost) {
			continue
		}
		now[file.Path] = file
		if old, known := f.seen[file.Path]; !known || old.Size != file.Size || !old.Modified.Equal(file.Modified) || old.Reason != file.Reason {
			paths = append(paths, file.Path)
		}
	}
	gone := map[string]bool{}
	for path, file := range f.seen {
		if _, there := now[path]; there {
			continue
		}
		if within(path, l.Broken) || within(path, lost) { // nothing is known of it
			now[path] = file
			continue
		}
		if path = f.top(path); !gone[path] {
			gone[path] = true
			paths = append(paths, path)
		}
	}
	f.seen = now
	if len(paths) == 0 {
		return
	}
	f.read(ctx, paths, gone)
}

// lostRoots returns the watched folders that are out of reach, and reports each
// when it becomes so.
func (f *follower) lostRoots() []string {
	var lost []string
	for _, root := range f.roots {
		err := root.look()
		if err != nil {
			lost = append(lost, root.path)
		}
		if err != nil && !root.lost {
			fmt.Fprintln(f.std.err, "docent:", fault.Message(err))
		}
		root.lost = err != nil
	}
	return lost
}

// top returns the highest folder below the watched ones that is gone with a path.
// If only the path were looked at, a folder that is gone could not be told from
// one out of reach.
func (f *follower) top(path string) string {
	for {
		folder := filepath.Dir(path)
		isRoot := slices.ContainsFunc(f.roots, func(r *watchRoot) bool { return r.path == folder || r.path == path })
		if _, err := os.Lstat(folder); isRoot || !errors.Is(err, fs.ErrNotExist) || folder == path {
			return path
		}
		path = folder
	}
}

// within reports whether a path is one of the folders or below one.
func within(path string, folders []string) bool {
	for _, folder := range folders {
		if rest, ok := strings.CutPrefix(path, folder); ok && (rest == "" || rest[0] == filepath.Separator) {
			return true
		}
	}
	return false
}

// read ingests some files, and reports those that changed.
func (f *follower) read(ctx context.Context, paths []string, gone map[string]bool) {
	began, sum, enc := time.Now(), ingestSummary{}, json.NewEncoder(f.std.out)
	for r, err := range f.a.ingester.Ingest(ctx, ingest.Request{Collection: f.req.Collection, Paths: paths, Prune: true, Retry: f.req.Retry}) {
		if err != nil {
			f.fail(ctx, err)
			return
		}
		if r.Status == ingest.Unchanged || r.Status == ingest.Failed && gone[r.Source] {
			continue
		}
		sum.count(r)
		switch {
		case f.asJSON:
			if err := enc.Encode(ingestLine{r.Source, r.Status, r.Chunks, r.Reason, r.Note}); err != nil {
				f.fail(ctx, err)
				return
			}
		case r.Status == ingest.Failed:
			fmt.Fprintf(f.std.err, "failed: %s: %s\n", r.Source, r.Reason)
		default:
			fmt.Fprintf(f.std.out, "%s: %s\n", r.Status, r.Source)
			if r.Note != "" {
				fmt.Fprintf(f.std.err, "read in part: %s: %s\n", r.Source, r.Note)
			}
		}
	}
	if sum == (ingestSummary{}) {
		return
	}
	if err := writeIngest(f.std.out, &sum, began, f.asJSON); err != nil {
		f.fail(ctx, err)
	}
}

// fail ends following, unless the database or a server does not answer for now.
func (f *follower) fail(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if fault.KindOf(err).Retryable() {
		fmt.Fprintln(f.std.err, "docent:", err)
		f.seen = map[string]ingest.File{} // so that the next change reads all
		return
	}
	f.err = fmt.Errorf("follow: %w", err)
	f.cancel()
}
