package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"docent/internal/fault"
)

// vcsFolders are version control folders whose names have no leading dot.
var vcsFolders = map[string]bool{"CVS": true, "_darcs": true, "SCCS": true}

// file is a file that was found, or a path with a reason why it is omitted.
type file struct {
	path   string
	size   int64
	mtime  int64 // Unix nanoseconds
	reason fault.Text
	// folder is set for paths that cannot be documents. Their failures are
	// reported but not stored.
	folder bool
	// unnamed is set if path is only an escaped form of the name.
	unnamed bool
	// named is set if somebody named the file in the request or in an ignore file. Then it is not
	// skipped for its name.
	named bool
}

// listing is the result of walking the requested paths.
type listing struct {
	files    []file
	prefixes []string // the requested paths, absolute
	broken   []string // folders that could not be read
	gone     []string // requested paths that do not exist although their folder does
	folders  []string // folders that were read
}

// Links decides about symbolic links. Links inside the given paths are always
// followed. The zero value skips links that lead out of them.
type Links struct {
	// Follow follows all links.
	Follow bool
	// Within are the paths that links may not leave. Default: the given paths.
	Within []string
}

// list finds the files below paths. Each occurs once, ordered by path.
func list(ctx context.Context, paths []string, links Links) (listing, error) {
	var l listing
	if len(paths) == 0 {
		return l, fault.New(fault.Invalid, "nothing_to_ingest", "there is nothing to ingest: name a file or a folder")
	}
	w := walker{seen: map[string]bool{}, linked: map[string]bool{}, follow: links.Follow, list: &l}
	for _, p := range paths {
		if p == "" {
			return l, fault.New(fault.Invalid, "path_empty", "a path is empty")
		}
		if strings.Contains(p, "://") {
			return l, fault.New(fault.Invalid, "address_not_ingested", "%s: addresses cannot be ingested yet, only files, folders and -", p)
		}
		abs, err := filepath.Abs(p)
		if err != nil {
			return l, fault.Wrap(fault.Invalid, err, "not_a_path", "%s: not a path", p)
		}
		l.prefixes = append(l.prefixes, abs)
	}
	bounds := l.prefixes
	if len(links.Within) > 0 {
		bounds = links.Within
	}
	for _, p := range bounds {
		abs, err := filepath.Abs(p)
		if err != nil {
			return l, fault.Wrap(fault.Invalid, err, "not_a_path", "%s: not a path", p)
		}
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			w.roots = append(w.roots, real)
		}
	}
	for _, p := range l.prefixes {
		if err := w.root(ctx, p); err != nil {
			return l, err
		}
	}
	slices.SortFunc(l.files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return l, nil
}

// walker walks folders.
type walker struct {
	seen   map[string]bool // files that were found
	linked map[string]bool // folders that links lead to
	roots  []string        // real paths of the folders that links may not leave
	follow bool            // links may leave them
	list   *listing
}

// root adds a requested path, even if it is hidden.
func (w *walker) root(ctx context.Context, p string) error {
	info, err := os.Stat(p)
	switch {
	case !utf8.ValidString(p):
		w.unnamed(p)
		w.list.broken = append(w.list.broken, p)
	case err != nil:
		if isMissing(p) {
			w.list.gone = append(w.list.gone, p)
		}
		w.fail(p, reasonOf(err), true)
	case w.leaves(p):
		w.fail(p, linkOutside(), false)
	case info.IsDir():
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			real = p
		}
		return w.folder(ctx, p, "", []string{real}, nil)
	default:
		w.add(p, info, true)
	}
	return nil
}

// leaves reports whether a path leads out of the folders that links may not leave.
func (w *walker) leaves(p string) bool {
	if w.follow {
		return false
	}
	real, err := filepath.EvalSymlinks(p)
	return err != nil || !slices.ContainsFunc(w.roots, func(root string) bool { return within(real, root) })
}

// linkOutside is the reason for skipping a link.
func linkOutside() fault.Text {
	return fault.NewText("link_outside", "skipped: the link leads out of the given folders; add --follow to read it")
}

// isMissing reports whether a path does not exist although its folder can be
// read. Otherwise the path may only be unreachable.
func isMissing(p string) bool {
	if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, err := os.ReadDir(filepath.Dir(p))
	return err == nil
}

// notUTF8 is the reason for omitting a file with such a name. Two such names
// could look the same when stored or displayed.
func notUTF8() fault.Text {
	return fault.NewText("file_name_not_utf8", "its name is not valid UTF-8: rename it")
}

// escaped returns a name with its invalid UTF-8 bytes escaped.
func escaped(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, name[i])
		} else {
			b.WriteString(name[i : i+n])
		}
		i += n
	}
	return b.String()
}

// unnamed records a file or folder whose name is not UTF-8.
func (w *walker) unnamed(p string) {
	if !w.seen[p] {
		w.seen[p] = true
		w.list.files = append(w.list.files, file{path: escaped(p), reason: notUTF8(), folder: true, unnamed: true})
	}
}

// fail records a path that cannot be read.
func (w *walker) fail(p string, reason fault.Text, folder bool) {
	if !w.seen[p] {
		w.seen[p] = true
		w.list.files = append(w.list.files, file{path: p, reason: reason, folder: folder})
	}
	if folder {
		w.list.broken = append(w.list.broken, p)
	}
}

// add notes a file.
func (w *walker) add(p string, info fs.FileInfo, named bool) {
	if w.seen[p] {
		return
	}
	if !info.Mode().IsRegular() {
		w.fail(p, fault.NewText("not_a_file", "not a file: it is a device, a pipe or a socket"), false)
		return
	}
	w.seen[p] = true
	w.list.files = append(w.list.files, file{path: p, size: info.Size(), mtime: info.ModTime().UnixNano(), named: named})
}

// folder walks one folder. rel is its path relative to the root of the walk.
// above are its real path and those of the folders around it. rules are those
// of the ignore files above.
func (w *walker) folder(ctx context.Context, dir, rel string, above []string, rules []ignoreRule) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.fail(dir, reasonOf(err), true)
		return nil
	}
	w.list.folders = append(w.list.folders, dir)
	switch data, err := os.ReadFile(filepath.Join(dir, IgnoreFile)); {
	case err == nil:
		rules = append(slices.Clip(rules), parseIgnore(rel, data)...)
	case !errors.Is(err, fs.ErrNotExist):
		// The ignore rules are unknown, so the whole folder is omitted.
		w.fail(filepath.Join(dir, IgnoreFile), reasonOf(err), true)
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		if err := w.entry(ctx, e, filepath.Join(dir, name), strings.TrimPrefix(rel+"/"+name, "/"), above, rules); err != nil {
			return err
		}
	}
	return nil
}

// entry handles one entry of a folder. It follows a symbolic link, unless the link
// leaves the given paths.
func (w *walker) entry(ctx context.Context, e fs.DirEntry, p, rel string, above []string, rules []ignoreRule) error {
	link := e.Type()&fs.ModeSymlink != 0
	var info fs.FileInfo
	var err error
	if link {
		info, err = os.Stat(p)
	} else {
		info, err = e.Info()
	}
	folder := err == nil && info.IsDir()
	excluded, wanted := ignored(rules, rel, folder)
	if excluded || folder && vcsFolders[e.Name()] {
		return nil
	}
	switch {
	case !utf8.ValidString(e.Name()):
		w.unnamed(p)
	case err != nil:
		w.fail(p, reasonOf(err), false)
	case link && w.leaves(p):
		w.fail(p, linkOutside(), false)
	case !folder:
		w.add(p, info, wanted)
	default:
		real := filepath.Join(above[len(above)-1], e.Name())
		if link {
			if real, err = filepath.EvalSymlinks(p); err != nil {
				w.fail(p, reasonOf(err), false)
				return nil
			}
			if slices.Contains(above, real) {
				w.fail(p, fault.NewText("symlink_to_parent", "symlink loop: the link leads to a folder that contains it"), false)
				return nil
			}
			if w.elsewhere(real) {
				return nil
			}
		}
		return w.folder(ctx, p, rel, append(slices.Clip(above), real), rules)
	}
	return nil
}

// elsewhere reports whether the target folder of a link is read anyway, as part
// of a requested folder or through another link.
func (w *walker) elsewhere(real string) bool {
	if w.linked[real] || slices.ContainsFunc(w.roots, func(root string) bool { return within(real, root) }) {
		return true
	}
	w.linked[real] = true
	return false
}

// within reports whether a path is a folder itself or below it.
func within(p, folder string) bool {
	rest, ok := strings.CutPrefix(p, folder)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(folder, string(filepath.Separator)))
}

// isLink reports whether the path of an error is a link.
func isLink(err error) bool {
	var failed *fs.PathError
	if !errors.As(err, &failed) {
		return false
	}
	_, err = os.Readlink(failed.Path)
	return err == nil
}

// reasonOf returns a one-line reason why a file cannot be read.
func reasonOf(err error) fault.Text {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fault.NewText("permission_denied", "permission denied")
	case errors.Is(err, syscall.ELOOP):
		return fault.NewText("symlink_loop", "symlink loop: the link leads to itself")
	case errors.Is(err, fs.ErrNotExist):
		if isLink(err) {
			return fault.NewText("link_to_missing_file", "it is a link to a missing file")
		}
		return fault.NewText("no_file_at_path", "there is no file or folder at this path")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fault.NewText("file_name_too_long", "its name is too long")
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fault.NewText("unreadable_because", "cannot be read: %s", err)
}
