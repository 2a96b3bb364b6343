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

// vcsFolders are folders of version control that are not hidden.
var vcsFolders = map[string]bool{"CVS": true, "_darcs": true, "SCCS": true}

// file is one file found, or a reason why something was not.
type file struct {
	path   string
	size   int64
	mtime  int64 // Unix nanoseconds
	reason fault.Text
	// folder is set for what cannot be a document: its failure is reported
	// and not stored.
	folder bool
	// unnamed is set where path is only how the name is shown.
	unnamed bool
}

// listing is what walking the paths of a request found.
type listing struct {
	files    []file
	prefixes []string // the paths, absolute
	broken   []string // folders that could not be read
	gone     []string // those of the paths that do not exist, though their folder does
	folders  []string // the folders that were read
}

// list finds the files under paths, each once, ordered by path.
func list(ctx context.Context, paths []string) (listing, error) {
	var l listing
	if len(paths) == 0 {
		return l, fault.New(fault.Invalid, "nothing_to_ingest", "there is nothing to ingest: name a file or a folder")
	}
	w := walker{seen: map[string]bool{}, linked: map[string]bool{}, list: &l}
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
	for _, p := range l.prefixes {
		if real, err := filepath.EvalSymlinks(p); err == nil {
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
	seen   map[string]bool // files found
	linked map[string]bool // folders that links led to
	roots  []string        // real paths of the folders asked for
	list   *listing
}

// root takes a path of the request as it is, hidden or not.
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
	case info.IsDir():
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			real = p
		}
		return w.folder(ctx, p, "", []string{real}, nil)
	default:
		w.add(p, info)
	}
	return nil
}

// isMissing reports whether a path does not exist while its folder does and can
// be read: it is really gone, and not out of reach.
func isMissing(p string) bool {
	if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, err := os.ReadDir(filepath.Dir(p))
	return err == nil
}

// notUTF8 is why a file with such a name is left alone: two of them could not be
// told apart where they are stored and shown.
func notUTF8() fault.Text {
	return fault.NewText("file_name_not_utf8", "its name is not valid UTF-8: rename it")
}

// escaped is a name with the bytes that are not UTF-8 written out.
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

// unnamed notes a file or folder whose name is not UTF-8.
func (w *walker) unnamed(p string) {
	if !w.seen[p] {
		w.seen[p] = true
		w.list.files = append(w.list.files, file{path: escaped(p), reason: notUTF8(), folder: true, unnamed: true})
	}
}

// fail notes something that cannot be read.
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
func (w *walker) add(p string, info fs.FileInfo) {
	if w.seen[p] {
		return
	}
	if !info.Mode().IsRegular() {
		w.fail(p, fault.NewText("not_a_file", "not a file: it is a device, a pipe or a socket"), false)
		return
	}
	w.seen[p] = true
	w.list.files = append(w.list.files, file{path: p, size: info.Size(), mtime: info.ModTime().UnixNano()})
}

// folder walks one folder. rel is its path from the root of the walk, above are
// the real paths of the folders it is in and its own, rules those of the
// ignore files above.
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
		// What it excludes is not known: better nothing of the folder.
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

// entry takes one entry of a folder; a symbolic link is followed.
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
	if ignored(rules, rel, folder) || folder && vcsFolders[e.Name()] {
		return nil
	}
	switch {
	case !utf8.ValidString(e.Name()):
		w.unnamed(p)
	case err != nil:
		w.fail(p, reasonOf(err), false)
	case !folder:
		w.add(p, info)
	default:
		real := filepath.Join(above[len(above)-1], e.Name())
		if link {
			if real, err = filepath.EvalSymlinks(p); err != nil {
				w.fail(p, reasonOf(err), false)
				return nil
			}
			if slices.Contains(above, real) {
				w.fail(p, fault.NewText("symlink_to_parent", "symlink loop: it leads back to a folder it is in"), false)
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

// elsewhere reports whether the folder that a link leads to is read anyway: by
// its own path below one that was asked for, or by another link.
func (w *walker) elsewhere(real string) bool {
	if w.linked[real] || slices.ContainsFunc(w.roots, func(root string) bool { return within(real, root) }) {
		return true
	}
	w.linked[real] = true
	return false
}

// within reports whether a path is a folder or below it.
func within(p, folder string) bool {
	rest, ok := strings.CutPrefix(p, folder)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(folder, string(filepath.Separator)))
}

// reasonOf says in one line why a file cannot be read.
func reasonOf(err error) fault.Text {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fault.NewText("permission_denied", "permission denied")
	case errors.Is(err, syscall.ELOOP):
		return fault.NewText("symlink_loop", "symlink loop: it leads to itself")
	case errors.Is(err, fs.ErrNotExist):
		return fault.NewText("file_missing_or_dead_link", "not found: it is gone, or a link that leads nowhere")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fault.NewText("file_name_too_long", "its name is too long")
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fault.NewText("unreadable_because", "cannot be read: %s", err)
}
