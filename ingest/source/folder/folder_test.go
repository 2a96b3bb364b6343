package folder_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/ingest/source"
	"docent/ingest/source/folder"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// put writes a file.
func put(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *folder.Source {
	t.Helper()
	s, err := folder.New(folder.Config{Path: dir, Settle: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// list lists a folder as keys. It adds = to unchanged files and ! to failed ones.
func list(t *testing.T, s *folder.Source, states map[string][]byte) (string, error) {
	t.Helper()
	var out []string
	for it, err := range s.List(t.Context(), func(key string) ([]byte, bool) { state, ok := states[key]; return state, ok }) {
		if err != nil {
			return strings.Join(out, " "), err
		}
		mark := ""
		switch {
		case it.Err != nil:
			mark = "!"
		case it.Unchanged:
			mark = "="
		}
		out = append(out, it.Key+mark)
		if it.State != nil {
			states[it.Key] = it.State
		}
	}
	return strings.Join(out, " "), nil
}

func TestList(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "a.md", "text a")
	put(t, dir, "sub/b.md", "text b")
	put(t, dir, ".hidden/c.md", "text c")
	put(t, dir, ".docentignore", "secret*\n")
	put(t, dir, "secret.md", "text d")
	if err := os.Symlink("nowhere", filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour) // so that the files stay new on a busy machine
	for _, name := range []string{"a.md", "sub/b.md"} {
		if err := os.Chtimes(filepath.Join(dir, name), later, later); err != nil {
			t.Fatal(err)
		}
	}
	s, states := open(t, dir), map[string][]byte{}
	got, err := list(t, s, states)
	if err != nil || got != "a.md link.md! sub/b.md" {
		t.Errorf("listed are %s, %v", got, err)
	}
	if len(states) != 0 {
		t.Errorf("files that were just written have states: %v", states)
	}
	content, err := s.Open(t.Context(), source.Item{Key: "sub/b.md"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(content)
	if content.Close(); err != nil || string(text) != "text b" {
		t.Errorf("content is %q, %v", text, err)
	}
	if _, err := s.Open(t.Context(), source.Item{Key: "sub"}); err == nil {
		t.Error("a folder can be opened")
	}
	if got, err := list(t, open(t, filepath.Join(dir, "none")), states); fault.KindOf(err) != fault.Unavailable || got != "" {
		t.Errorf("no folder: %s, %v", got, err)
	}
	if _, err := list(t, open(t, filepath.Join(dir, "a.md")), states); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a file: %v", err)
	}
	for _, path := range []string{"", "relative"} {
		if _, err := folder.New(folder.Config{Path: path}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("path %q: %v", path, err)
		}
	}
}

// TestUnchanged uses files of this package, which are old enough to have a state.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	s, states := open(t, dir), map[string][]byte{}
	first, err := list(t, s, states)
	if err != nil || first == "" {
		t.Fatalf("listed are %q, %v", first, err)
	}
	second, err := list(t, s, states)
	if err != nil || !strings.Contains(second, "=") {
		t.Errorf("listed again are %q, %v", second, err)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "a.md", "text a")
	ctx, cancel := context.WithCancel(t.Context())
	changed, ended := make(chan struct{}, 100), make(chan error, 1)
	go func() { ended <- open(t, dir).Watch(ctx, func() { changed <- struct{}{} }) }()
	wait := func(what string) {
		t.Helper()
		select {
		case <-changed:
		case <-time.After(30 * time.Second):
			t.Fatalf("not noticed: %s", what)
		}
	}
	wait("the beginning")
	put(t, dir, "a.md", "other text")
	wait("a change")
	put(t, dir, "deep/er/b.md", "text b")
	wait("a new folder")
	put(t, dir, "deep/er/b.md", "other text")
	wait("a change in a new folder")
	if err := os.RemoveAll(filepath.Join(dir, "deep")); err != nil {
		t.Fatal(err)
	}
	wait("a removal")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestCheckEmpty distinguishes a folder whose files were deleted from a mount
// point that never had any.
func TestCheckEmpty(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	if err := s.CheckEmpty(time.Now().Add(-time.Hour)); err != nil {
		t.Errorf("files were deleted: %v", err)
	}
	if err := s.CheckEmpty(time.Now().Add(time.Hour)); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("nothing was deleted: %v", err)
	}
	put(t, dir, ".docentignore", "*\n")
	if err := s.CheckEmpty(time.Now().Add(time.Hour)); err != nil {
		t.Errorf("its files are ignored: %v", err)
	}
	if err := open(t, filepath.Join(dir, "none")).CheckEmpty(time.Time{}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("there is no folder: %v", err)
	}
}

// TestWatchRenamedParent checks that Watch notices a renamed parent folder.
func TestWatchRenamedParent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "a/b/c/file.md", "text")
	ctx, cancel := context.WithCancel(t.Context())
	changed, ended := make(chan struct{}, 100), make(chan error, 1)
	go func() { ended <- open(t, filepath.Join(dir, "a/b/c")).Watch(ctx, func() { changed <- struct{}{} }) }()
	wait := func(what string) {
		t.Helper()
		select {
		case <-changed:
		case <-time.After(30 * time.Second):
			t.Fatalf("not noticed: %s", what)
		}
	}
	wait("the beginning")
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "x")); err != nil {
		t.Fatal(err)
	}
	wait("that it has gone")
	put(t, dir, "a/b/c/file.md", "text")
	wait("another folder at its path")
	put(t, dir, "a/b/c/file.md", "other text")
	wait("a change in it")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
