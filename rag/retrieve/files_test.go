package retrieve

import (
	"io"
	"path/filepath"
	"testing"

	"docent/internal/flat"
)

// TestFilesStayOpen: a file stays open until the searches have ended that began before the
// next file was in use, also those that began with an earlier file.
func TestFilesStayOpen(t *testing.T) {
	t.Parallel()
	var open []*flat.File
	for range 3 {
		path := filepath.Join(t.TempDir(), "file")
		if err := flat.WriteFile(path, func(w io.Writer) error { _, err := w.Write([]byte("contents")); return err }); err != nil {
			t.Fatal(err)
		}
		file, err := flat.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, file)
	}
	var f files
	want := func(when string, states ...bool) {
		t.Helper()
		for i, is := range states {
			if got := open[i].Body != nil; got != is {
				t.Errorf("%s: file %d is open: %v, want %v", when, i, got, is)
			}
		}
	}
	first := f.begin() // before the first file
	f.use(open[0])
	second := f.begin()
	f.use(open[1])
	third := f.begin()
	f.use(open[2])
	want("all searches run", true, true, true)
	second()
	want("the first search runs", true, true, true)
	first()
	want("the third search runs", false, true, true)
	third()
	want("no search runs", false, false, true)
	f.use(nil)
	want("no file is in use", false, false, false)
}
