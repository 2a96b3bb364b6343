package ingest

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Survey describes the files that a run would omit or remove.
type Survey struct {
	// Skipped counts the omitted files and folders. They are hidden, belong to
	// version control, or are excluded by an ignore file.
	Skipped int
	// Gone are the sources below the paths whose files no longer exist.
	Gone []string
}

// Survey walks the paths of a request and compares them with the store. It reads
// no files except ignore files.
func (in *Ingester) Survey(ctx context.Context, req Request) (Survey, error) {
	l, err := list(ctx, req.Paths, req.Links)
	if err != nil {
		return Survey{}, err
	}
	r, err := in.start(ctx, req.Collection, "")
	if err != nil {
		return Survey{}, err
	}
	r.files = make(map[string]bool, len(l.files))
	for _, f := range l.files {
		r.files[f.path] = r.files[f.path] || !f.unnamed
	}
	var s Survey
	for _, state := range r.states {
		if !filepath.IsAbs(state.Source) || r.listed(state.Source) {
			continue
		}
		if slices.ContainsFunc(l.prefixes, func(p string) bool {
			return within(filepath.Clean(state.Source), p) &&
				!slices.ContainsFunc(l.broken, func(b string) bool { return within(b, p) || within(p, b) })
		}) {
			s.Gone = append(s.Gone, state.Source)
		}
	}
	for _, p := range l.prefixes {
		n, err := countSkipped(ctx, p, l.files)
		if err != nil {
			return s, err
		}
		s.Skipped += n
	}
	return s, nil
}

// countSkipped counts the entries below a folder that a run omits. A folder
// counts once, regardless of its content.
func countSkipped(ctx context.Context, root string, files []file) (int, error) {
	n := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || p == root || d.Type()&fs.ModeSymlink != 0 {
			return nil //nolint:nilerr // what cannot be read is reported by the run
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") || vcsFolders[d.Name()] {
				n++
				return fs.SkipDir
			}
			return nil
		}
		_, found := slices.BinarySearchFunc(files, p, func(f file, p string) int { return strings.Compare(f.path, p) })
		if !found && d.Name() != IgnoreFile {
			n++
		}
		return nil
	})
	if err != nil {
		return n, fmt.Errorf("count the files left out: %w", err)
	}
	return n, nil
}
