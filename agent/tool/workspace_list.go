package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// list renders a folder: folders first, then by name without regard to case.
func (s *space) list(ctx context.Context, path string, limit int) (string, error) {
	local, err := s.local(path)
	if err != nil {
		return "", err
	}
	info, err := s.root.Stat(local)
	if err != nil {
		return "", s.failed(err, path)
	}
	if !info.IsDir() {
		return "", refusal("WorkspaceError", "Not a directory: %s", shown(path))
	}
	dir, err := s.root.Open(local)
	if err != nil {
		return "", s.failed(err, path)
	}
	defer dir.Close()
	entries, more, err := scan(ctx, dir)
	if err != nil {
		return "", s.failed(err, path)
	}
	if len(entries) == 0 {
		return fmt.Sprintf("(empty directory: %s)", printable(path)), nil
	}
	return s.render(local, entries, more, limit), nil
}

// scan reads at most maxScan entries of a folder.
func scan(ctx context.Context, dir *os.File) (entries []fs.DirEntry, more bool, err error) {
	for len(entries) <= maxScan {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		some, err := dir.ReadDir(512)
		entries = append(entries, some...)
		if errors.Is(err, io.EOF) {
			return entries, false, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return entries[:maxScan], true, nil
}

func (s *space) render(folder string, entries []fs.DirEntry, more bool, limit int) string {
	type line struct{ kind, name string }
	lines := make([]line, len(entries))
	for i, e := range entries {
		lines[i] = line{s.kind(folder, e), e.Name()}
	}
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or(compareBool(b.kind == "DIR", a.kind == "DIR"),
			cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name)), cmp.Compare(a.name, b.name))
	})
	var b strings.Builder
	for i, l := range lines[:min(limit, len(lines))] {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%s] %s", l.kind, printable(l.name))
	}
	switch left := len(lines) - limit; {
	case more:
		fmt.Fprintf(&b, "\n(there are more than %d entries; not all are shown)", maxScan)
	case left > 0:
		fmt.Fprintf(&b, "\n(%d more entries are not shown)", left)
	}
	return b.String()
}

// kind returns DIR, FILE, or LINK. LINK is a link that is broken or leads out of the workspace.
func (s *space) kind(folder string, e fs.DirEntry) string {
	if e.Type()&fs.ModeSymlink != 0 {
		info, err := s.root.Stat(filepath.Join(folder, e.Name()))
		if err != nil {
			return "LINK"
		}
		e = fs.FileInfoToDirEntry(info)
	}
	if e.IsDir() {
		return "DIR"
	}
	return "FILE"
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// printable writes a name on one line. A file name may contain line ends and text that imitates docent's own.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

func shown(path string) string { return "'" + printable(clip(path, 256)) + "'" }
