package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"docent/ingest"
	"docent/internal/fault"
	"docent/internal/terminal"
)

// watchRoot is a path that ingest --watch follows. If a folder itself vanishes, for
// example with its disk, its documents stay.
type watchRoot struct {
	path string
	was  fs.FileInfo // the folder when it was last read; nil for a file
	lost bool        // the folder is out of reach
}

// look fails if the root is a folder that is out of reach.
func (r *watchRoot) look() error {
	if r.was == nil {
		return nil
	}
	info, entries, err := readRoot(r.path)
	if err == nil && entries == 0 && !os.SameFile(info, r.was) {
		err = fault.New(fault.Unavailable, "cli_watch_replaced", "another, empty folder has its place")
	}
	if err != nil {
		return fault.New(fault.Unavailable,
			"cli_watch_out_of_reach", "the watched folder %s cannot be read (%s); its documents stay: "+
				"mount its disk again, or run docent ingest --prune %s if the files were deleted",
			r.path, ingest.Reason(err), terminal.ShellWord(r.path))
	}
	r.was = info
	return nil
}

// readRoot returns the folder at a path and how many entries it has.
func readRoot(path string) (info fs.FileInfo, entries int, err error) {
	if info, err = os.Stat(path); err != nil {
		return nil, 0, err //nolint:wrapcheck // ingest.Reason reads it
	}
	found, err := os.ReadDir(path)
	return info, len(found), err //nolint:wrapcheck // ingest.Reason reads it
}

// watchRoots checks the paths before the first run. It fails for a path that it
// cannot read. It also fails for an empty folder with stored documents, because the
// folder's disk may not be mounted.
func (in *ingestion) watchRoots(ctx context.Context) ([]*watchRoot, error) {
	var roots []*watchRoot
	for _, p := range in.req.Paths {
		path, err := filepath.Abs(p)
		if err != nil {
			return nil, fault.Wrap(fault.Invalid, err, "not_a_path", "%s: not a path", p)
		}
		root := &watchRoot{path: path}
		roots = append(roots, root)
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() {
			continue
		}
		info, entries, err := readRoot(path)
		if err != nil {
			return nil, fault.New(fault.Unavailable,
				"cli_watch_refused", "%s cannot be watched: %s; nothing was changed", path, ingest.Reason(err))
		}
		root.was = info
		if entries > 0 {
			continue
		}
		survey, err := in.Ingester.Survey(ctx, ingest.Request{Collection: in.req.Collection, Paths: []string{path}, Links: in.req.Links})
		if err != nil {
			return nil, fmt.Errorf("look for documents of an empty folder: %w", err)
		}
		if n := len(survey.Gone); n > 0 {
			return nil, fault.New(fault.Unavailable,
				"cli_watch_empty", "the folder %s is empty, but docent has %s from it; nothing was changed: "+
					"mount its disk, or run docent ingest --prune %s if the files were deleted",
				path, plural(n, "document"), terminal.ShellWord(path))
		}
	}
	return roots, nil
}
