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

	"docent/ingest"
	"docent/ingest/source/folder"
	"docent/internal/fault"
)

// watchSettle is the quiet time after which changes of watched folders are read.
const watchSettle = 500 * time.Millisecond

// follower follows files and folders. After each change, it reads the changed
// files and removes the documents of deleted files.
type follower struct {
	*ingestion
	seen   map[string]ingest.File
	roots  []*watchRoot
	err    error
	cancel context.CancelFunc
}

// watch reads the paths once and then follows them until ctx ends.
func (in *ingestion) watch(ctx context.Context) error {
	if slices.Contains(in.req.Paths, "-") {
		return fault.New(fault.Invalid, "cli_watch_stdin", "standard input cannot be watched: name files and folders")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &follower{ingestion: in, seen: map[string]ingest.File{}, cancel: cancel}
	var err error
	if f.roots, err = in.watchRoots(ctx); err != nil {
		return err
	}
	// The listing is older than the first run, so that no change is missed.
	known, err := ingest.List(ctx, in.req.Paths, in.req.Links)
	if err != nil {
		return err
	}
	if err := in.run(ctx); err != nil && !errors.Is(err, errFailed) {
		return err
	}
	for _, file := range known.Files {
		f.seen[file.Path] = file
	}
	fmt.Fprintln(in.std.err, "watching for changes; Ctrl-C ends it")
	err = folder.Watch(ctx, in.req.Paths, in.req.Links, watchSettle, func() { f.changed(ctx) })
	return cmp.Or(f.err, err)
}

// changed reads the files that have changed since the last call.
func (f *follower) changed(ctx context.Context) {
	l, err := ingest.List(ctx, f.req.Paths, f.req.Links)
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
		old, known := f.seen[file.Path]
		if !known || old.Size != file.Size || !old.Modified.Equal(file.Modified) || old.Reason != file.Reason {
			paths = append(paths, file.Path)
		}
	}
	gone := map[string]bool{}
	for path, file := range f.seen {
		if _, there := now[path]; there {
			continue
		}
		if within(path, l.Broken) || within(path, lost) { // it may still exist
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

// lostRoots returns the watched folders that are out of reach. It reports each
// folder once when it gets out of reach.
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

// top returns the highest deleted folder that contained a deleted path, below the
// watched folders. The caller prunes this folder: pruning the path alone could not
// distinguish a deleted folder from one out of reach.
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

// links returns the rule for links of the watched folders.
func (f *follower) links() ingest.Links {
	return ingest.Links{Follow: f.req.Links.Follow, Within: f.req.Paths}
}

// read ingests files and reports the changed ones.
func (f *follower) read(ctx context.Context, paths []string, gone map[string]bool) {
	began, sum, enc := time.Now(), ingestSummary{}, json.NewEncoder(f.std.out)
	req := ingest.Request{Collection: f.req.Collection, Paths: paths, Links: f.links(), Prune: true, Retry: f.req.Retry}
	for r, err := range f.Ingester.Ingest(ctx, req) {
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
			if err := enc.Encode(ingestLine{r.Source, r.Status, r.Chunks, r.Reason.Message, r.Reason.Sentence, r.Note}); err != nil {
				f.fail(ctx, err)
				return
			}
		case r.Status == ingest.Failed:
			fmt.Fprintf(f.std.err, "failed: %s: %s\n", r.Source, r.Reason.Message)
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

// fail stops the follower, unless err is temporary.
func (f *follower) fail(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if fault.KindOf(err).Retryable() {
		fmt.Fprintln(f.std.err, "docent:", err)
		f.seen = map[string]ingest.File{} // the next change reads all files
		return
	}
	f.err = fmt.Errorf("follow: %w", err)
	f.cancel()
}
