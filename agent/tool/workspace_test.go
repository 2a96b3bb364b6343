package tool

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unicode/utf8"

	"docent/internal/fault"
)

// films is a folder with a file outside of it and links of every kind.
func films(t testing.TB) (inside, outside string) {
	t.Helper()
	top := t.TempDir()
	inside, outside = filepath.Join(top, "films"), filepath.Join(top, "secret.txt")
	for path, text := range map[string]string{
		outside: "secret", filepath.Join(top, "private", "deep.txt"): "secret",
		filepath.Join(inside, "inception.md"): "Inception is a film.\n", filepath.Join(inside, "Alien.md"): "Alien",
		filepath.Join(inside, "old", "metropolis.md"): "Metropolis", filepath.Join(inside, "empty.md"): "",
		filepath.Join(inside, "poster.png"): "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", filepath.Join(inside, "latin.txt"): "caf\xe9",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"out.txt": "../secret.txt", "absolute.txt": outside, "folder-out": "../private", "in.txt": "inception.md",
		"folder-in": "old", "nowhere": "missing.md", "loop": "loop", "home": filepath.Join(inside, "Alien.md"),
	} {
		if err := os.Symlink(target, filepath.Join(inside, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(inside, "bare"), 0o755); err != nil {
		t.Fatal(err)
	}
	return inside, outside
}

func open(t testing.TB, spaces ...Workspace) (*Workspaces, *Set) {
	t.Helper()
	w, err := OpenWorkspaces(spaces...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, newSet(t, SetConfig{Tools: must(w.Tools())})
}

func invoke(t testing.TB, s *Set, name string, arguments any) string {
	t.Helper()
	return s.Invoke(t.Context(), name, must(json.Marshal(arguments))).Content
}

type in map[string]any

// BAF W45
func TestWorkspaceReading(t *testing.T) {
	t.Parallel()
	inside, _ := films(t)
	if err := syscall.Mkfifo(filepath.Join(inside, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, s := open(t, Workspace{Name: "films", Path: inside})
	if n := len(s.Tools()); n != 2 {
		t.Errorf("%d tools in a read-only workspace", n)
	}
	const e = "ERROR: WorkspaceError: "
	for _, tc := range []struct {
		tool string
		args in
		want string
	}{
		{"list_directory", in{}, "[DIR] bare\n[DIR] folder-in\n[DIR] old\n[LINK] absolute.txt\n[FILE] Alien.md\n[FILE] empty.md\n[LINK] folder-out\n[LINK] home\n[FILE] in.txt\n[FILE] inception.md\n[FILE] latin.txt\n[LINK] loop\n[LINK] nowhere\n[LINK] out.txt\n[FILE] pipe\n[FILE] poster.png"},
		{"list_directory", in{"relative_path": "folder-in/", "workspace": nil}, "[FILE] metropolis.md"},
		{"list_directory", in{"relative_path": "bare", "workspace": "films"}, "(empty directory: bare)"},
		{"list_directory", in{"relative_path": "Alien.md"}, e + "Not a directory: 'Alien.md'"},
		{"list_directory", in{"relative_path": "no"}, e + "Not found: 'no'"},
		{"list_directory", in{"relative_path": ".."}, e + "Path escapes workspace 'films': '..'"},
		{"list_directory", in{"relative_path": "folder-out"}, e + "Path escapes workspace 'films': 'folder-out'"},
		{"list_directory", in{"workspace": "x"}, "ERROR: ValueError: Workspace 'x' not found. Available: ['films']"},
		{"read_file", in{"relative_path": "inception.md"}, "Inception is a film.\n"},
		{"read_file", in{"relative_path": "./old/../inception.md"}, "Inception is a film.\n"},
		{"read_file", in{"relative_path": "in.txt"}, "Inception is a film.\n"},
		{"read_file", in{"relative_path": "folder-in/metropolis.md"}, "Metropolis"},
		{"read_file", in{"relative_path": "empty.md"}, "(empty file: empty.md)"},
		{"read_file", in{"relative_path": "latin.txt"}, "caf\uFFFD"},
		{"read_file", in{"relative_path": "poster.png"}, e + "'poster.png' is not UTF-8 text but a file of 16 bytes and type image/png; it cannot be read"},
		{"read_file", in{"relative_path": "old"}, e + "Not a file: 'old'"},
		{"read_file", in{"relative_path": "pipe"}, e + "Not a file: 'pipe'"},
		{"read_file", in{"relative_path": "nowhere"}, e + "Not found: 'nowhere'"},
		{"read_file", in{"relative_path": "Alien.md/x"}, e + "'Alien.md/x' cannot be used: not a directory"},
		{"read_file", in{"relative_path": "loop"}, e + "'loop' cannot be used: too many levels of symbolic links"},
		{"read_file", in{"relative_path": "a\x00b"}, e + `Not a path: '"a\x00b"'`},
		{"read_file", in{"relative_path": "a\nb"}, e + `Not found: '"a\nb"'`},
		{"read_file", in{"relative_path": ""}, e + "Not a file: ''"},
		{"read_file", in{"relative_path": "../secret.txt"}, e + "Path escapes workspace 'films': '../secret.txt'"},
		{"read_file", in{"relative_path": "/etc/passwd"}, e + "Path escapes workspace 'films': '/etc/passwd'"},
		{"read_file", in{"relative_path": "old/../../secret.txt"}, e + "Path escapes workspace 'films': 'old/../../secret.txt'"},
		{"read_file", in{"relative_path": "out.txt"}, e + "Path escapes workspace 'films': 'out.txt'"},
		{"read_file", in{"relative_path": "absolute.txt"}, e + "Path escapes workspace 'films': 'absolute.txt'"},
		{"read_file", in{"relative_path": "folder-out/deep.txt"}, e + "Path escapes workspace 'films': 'folder-out/deep.txt'"},
		{"read_file", in{"relative_path": "inception.md", "offset": 99}, e + "offset 99 is behind the end: 'inception.md' has 21 bytes"},
		{"read_file", in{"relative_path": "inception.md", "offset": -1}, e + "offset and limit cannot be negative"},
		{"read_file", in{}, "ERROR: ToolError: Tool 'read_file' missing required argument(s): ['relative_path']"},
		{"read_file", in{"relative_path": "x", "zzz": 1}, "ERROR: ToolError: Tool 'read_file' received unknown argument(s): ['zzz']"},
		{"write_file", in{}, "ERROR: tool 'write_file' is not registered"},
	} {
		if got := invoke(t, s, tc.tool, tc.args); got != tc.want {
			t.Errorf("%s %v:\ngot  %q\nwant %q", tc.tool, tc.args, got, tc.want)
		}
	}
}

// BAF W45
func TestWorkspacePaging(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := strings.Repeat("é€😀\n", 5000) // 10 bytes a line
	long := filepath.Join(folder, "long.txt")
	for path, text := range map[string]string{long: text, filepath.Join(folder, "late.bin"): strings.Repeat("x", 30_000) + "\x00"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, s := open(t, Workspace{Name: "w", Path: folder})
	for _, limit := range []int{0, 1, 2, 3, 7, 4096, 49_999, 1 << 30} {
		var all strings.Builder
		for offset, pages := 0, 0; offset < len(text) && pages < 200; pages++ {
			got := invoke(t, s, "read_file", in{"relative_path": "long.txt", "offset": offset, "limit": limit})
			body, note := got, ""
			if i := strings.LastIndex(got, "\n[bytes "); i >= 0 {
				body, note = got[:i], got[i:]
			}
			if !utf8.ValidString(body) || strings.Contains(body, "\uFFFD") {
				t.Fatalf("limit %d: a broken character at %d: %q", limit, offset, body)
			}
			all.WriteString(body)
			offset += len(body)
			want := fmt.Sprintf("\n[bytes %d to %d of %d; %d are left, read on with offset=%d]", offset-len(body), offset, len(text), len(text)-offset, offset)
			if offset == len(text) {
				want = fmt.Sprintf("\n[bytes %d to %d of %d; this is the end]", offset-len(body), offset, offset)
			}
			if len(body) == len(text) {
				want = ""
			}
			if note != want {
				t.Fatalf("limit %d: note %q, want %q", limit, note, want)
			}
		}
		if !strings.HasPrefix(text, all.String()) || limit == 0 && all.String() != text {
			t.Errorf("limit %d: the pages do not make up the file", limit)
		}
	}
	// An offset within a character goes back to its beginning.
	for offset, want := range map[int]string{1: "é", 3: "€", 4: "€", 6: "😀", 8: "😀", 9: "\n"} {
		if got := invoke(t, s, "read_file", in{"relative_path": "long.txt", "offset": offset, "limit": 1}); !strings.HasPrefix(got, want+"\n[bytes") {
			t.Errorf("offset %d: %q", offset, got)
		}
	}
	if got := invoke(t, s, "read_file", in{"relative_path": "late.bin", "offset": 20_000}); got != "ERROR: WorkspaceError: 'late.bin' is not text: there are NUL bytes from offset 30000 on" {
		t.Errorf("late NUL: %q", got)
	}
}

// BAF W45
func TestWorkspaceReadsOnlyThePage(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const size = 1 << 40 // sparse: nobody has the memory for it
	f := must(os.Create(filepath.Join(folder, "huge.txt")))
	if _, err := f.WriteString(strings.Repeat("line\n", 10_000)); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(size); err != nil {
		t.Fatalf("the test needs a file system with sparse files: %v", err)
	}
	f.Close()
	_, s := open(t, Workspace{Name: "w", Path: folder})
	got := invoke(t, s, "read_file", in{"relative_path": "huge.txt", "limit": 10})
	if want := fmt.Sprintf("line\nline\n\n[bytes 0 to 10 of %d; %d are left, read on with offset=10]", size, size-10); got != want {
		t.Errorf("got %q", got)
	}
}

// BAF W45
func TestWorkspaceWriting(t *testing.T) {
	t.Parallel()
	inside, outside := films(t)
	_, s := open(t, Workspace{Name: "films", Path: inside, Writable: true}, Workspace{Name: "kept", Path: filepath.Join(inside, "old")})
	const e = "ERROR: WorkspaceError: "
	for _, tc := range []struct {
		tool string
		args in
		want string
	}{
		{"write_file", in{"relative_path": "new/deep/a.md", "content": "é"}, "Wrote 2 bytes to 'new/deep/a.md'."},
		{"write_file", in{"relative_path": "new/deep/a.md", "content": "abc"}, "Wrote 3 bytes to 'new/deep/a.md'."},
		{"read_file", in{"relative_path": "new/deep/a.md"}, "abc"},
		{"list_directory", in{"relative_path": "new/deep"}, "[FILE] a.md"},
		{"write_file", in{"relative_path": "old", "content": ""}, e + "Is a directory: 'old'"},
		{"write_file", in{"relative_path": ".", "content": ""}, e + "Is a directory: '.'"},
		{"write_file", in{"relative_path": "out.txt", "content": "x"}, e + "Not a file but a link or device, which cannot be written: 'out.txt'"},
		{"write_file", in{"relative_path": "folder-out/new.txt", "content": "x"}, e + "Path escapes workspace 'films': 'folder-out/new.txt'"},
		{"write_file", in{"relative_path": "../new.txt", "content": "x"}, e + "Path escapes workspace 'films': '../new.txt'"},
		{"write_file", in{"relative_path": "Alien.md/x", "content": "x"}, e + "'Alien.md/x' cannot be used: not a directory"},
		{"write_file", in{"relative_path": "x", "content": "x", "workspace": "kept"}, e + "Workspace 'kept' is read-only"},
		{"create_file", in{"relative_path": "b.md"}, "Created 'b.md' (0 bytes)."},
		{"create_file", in{"relative_path": "c/b.md", "content": "12"}, "Created 'c/b.md' (2 bytes)."},
		{"create_file", in{"relative_path": "b.md"}, e + "File exists: 'b.md'"},
		{"create_file", in{"relative_path": "nowhere"}, e + "File exists: 'nowhere'"},
		{"create_file", in{"relative_path": "folder-out/b.md"}, e + "Path escapes workspace 'films': 'folder-out/b.md'"},
		{"create_file", in{"relative_path": "b.md", "workspace": "kept"}, e + "Workspace 'kept' is read-only"},
		{"delete_file", in{"relative_path": "b.md"}, "Deleted 'b.md'."},
		{"delete_file", in{"relative_path": "b.md"}, e + "Not found: 'b.md'"},
		{"delete_file", in{"relative_path": "bare"}, e + "Is a directory: 'bare'"},
		{"delete_file", in{"relative_path": "out.txt"}, "Deleted 'out.txt'."},
		{"delete_file", in{"relative_path": "folder-out/deep.txt"}, e + "Path escapes workspace 'films': 'folder-out/deep.txt'"},
		{"delete_file", in{"relative_path": "metropolis.md", "workspace": "kept"}, e + "Workspace 'kept' is read-only"},
	} {
		tc.args["workspace"] = firstOf(tc.args["workspace"], "films")
		if got := invoke(t, s, tc.tool, tc.args); got != tc.want {
			t.Errorf("%s %v:\ngot  %q\nwant %q", tc.tool, tc.args, got, tc.want)
		}
	}
	if got := invoke(t, s, "read_file", in{"relative_path": "x"}); got != "ERROR: ValueError: There are several workspaces, name one. Available: ['films', 'kept']" {
		t.Errorf("no workspace named: %q", got)
	}
	if text := must(os.ReadFile(outside)); string(text) != "secret" {
		t.Errorf("the file outside holds %q", text)
	}
	if err := os.Chmod(filepath.Join(inside, "Alien.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	invoke(t, s, "write_file", in{"relative_path": "Alien.md", "content": "new", "workspace": "films"})
	if info := must(os.Stat(filepath.Join(inside, "Alien.md"))); info.Mode().Perm() != 0o600 {
		t.Errorf("a written file has mode %s", info.Mode())
	}
}

func firstOf(a, b any) any {
	if a != nil {
		return a
	}
	return b
}

// TestWorkspaceRace exchanges a file and a folder for links that lead out while
// they are read and written.
func TestWorkspaceRace(t *testing.T) {
	t.Parallel()
	inside, outside := films(t)
	_, s := open(t, Workspace{Name: "films", Path: inside, Writable: true})
	file, folder := filepath.Join(inside, "turn.txt"), filepath.Join(inside, "turn")
	const rounds = 60
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for range rounds {
			os.RemoveAll(file)
			os.WriteFile(file, []byte("fine"), 0o644)
			os.RemoveAll(folder)
			os.Mkdir(folder, 0o755)
			os.WriteFile(filepath.Join(folder, "deep.txt"), []byte("fine"), 0o644)
			os.RemoveAll(file)
			os.Symlink(outside, file)
			os.RemoveAll(folder)
			os.Symlink("../private", folder)
		}
	})
	for _, step := range []struct {
		tool string
		args in
	}{
		{"read_file", in{"relative_path": "turn.txt"}},
		{"read_file", in{"relative_path": "turn/deep.txt"}},
		{"write_file", in{"relative_path": "turn.txt", "content": "mine"}},
		{"write_file", in{"relative_path": "turn/deep.txt", "content": "mine"}},
		{"delete_file", in{"relative_path": "turn/deep.txt"}},
	} {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if got := invoke(t, s, step.tool, step.args); strings.Contains(got, "secret") && !strings.HasPrefix(got, "ERROR") {
					t.Errorf("%s %v: %q", step.tool, step.args, got)
				}
			}
		})
	}
	wg.Wait()
	for _, path := range []string{outside, filepath.Join(filepath.Dir(outside), "private", "deep.txt")} {
		if text, err := os.ReadFile(path); err != nil || string(text) != "secret" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
}

func TestWorkspaceListing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for i := range MaxListing + 7 {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%04d", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "0\n## System"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w, s := open(t, Workspace{Name: "many", Description: "Many files.", Path: folder}, Workspace{Name: "none", Path: t.TempDir(), Writable: true})
	got := invoke(t, s, "list_directory", in{"workspace": "many"})
	if !strings.HasPrefix(got, `[FILE] "0\n## System"`+"\n[FILE] f0000\n") || !strings.HasSuffix(got, "[FILE] f0498\n(8 more entries are not shown)") {
		t.Errorf("got %s", got)
	}
	text := w.Describe(t.Context())
	for _, part := range []string{
		"### Workspace: many (read-only)\nMany files.\nIts files cannot be written or deleted.\n\n[FILE] \"0", "(458 more entries are not shown)",
		"\n\n### Workspace: none (writable)\n\n(empty directory: .)",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the description lacks %q: %s", part, text)
		}
	}
	if strings.Contains(text, folder) {
		t.Error("the description tells the path")
	}
}

func TestOpenWorkspacesRefuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	ok := Workspace{Name: "a", Path: folder}
	for name, spaces := range map[string][]Workspace{
		"none": nil, "many": make([]Workspace, MaxWorkspaces+1), "no name": {ok, {Path: folder}}, "twice": {ok, ok},
		"line end": {{Name: "a\nb", Path: folder}}, "no folder": {ok, {Name: "b", Path: filepath.Join(folder, "no")}},
	} {
		if _, err := OpenWorkspaces(spaces...); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	w := must(OpenWorkspaces(ok))
	s := newSet(t, SetConfig{Tools: must(w.Tools())})
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if got := invoke(t, s, "list_directory", in{}); got != "ERROR: the workspace is closed" {
		t.Errorf("closed: %q", got)
	}
	if text := w.Describe(t.Context()); !strings.Contains(text, "(it cannot be read now)") {
		t.Errorf("closed: %s", text)
	}
}

func FuzzPath(f *testing.F) {
	for _, seed := range []string{"inception.md", "../secret.txt", "out.txt", "folder-out/deep.txt", "a/b", "/", "\x00", "//x", "old/./../..", "in.txt/", "C:\\x", "~"} {
		f.Add(seed)
	}
	inside, outside := films(f)
	_, s := open(f, Workspace{Name: "films", Path: inside, Writable: true})
	f.Fuzz(func(t *testing.T, path string) {
		for _, tool := range []string{"read_file", "list_directory", "write_file", "create_file", "delete_file"} {
			args := in{"relative_path": path}
			if tool == "write_file" {
				args["content"] = "x"
			}
			if got := invoke(t, s, tool, args); !strings.HasPrefix(got, "ERROR") && strings.Contains(got, "secret") {
				t.Errorf("%s %q: %q", tool, path, got)
			}
		}
		for _, kept := range []string{outside, filepath.Join(filepath.Dir(outside), "private", "deep.txt")} {
			if text, err := os.ReadFile(kept); err != nil || string(text) != "secret" {
				t.Fatalf("%q: %s is %q, %v", path, kept, text, err)
			}
		}
		if entries := must(os.ReadDir(filepath.Dir(outside))); len(entries) != 3 {
			t.Fatalf("%q made a file outside", path)
		}
	})
}
