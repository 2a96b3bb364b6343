package flat

import (
	"io"
	"path/filepath"
	"testing"
)

// TestFilesStayOpen: a file stays open until the searches have ended that began before the
// next file was in use, also those that began with an earlier file.
func TestFilesStayOpen(t *testing.T) {
	t.Parallel()
	var open []*File
	for range 3 {
		path := filepath.Join(t.TempDir(), "file")
		if err := WriteFile(path, func(w io.Writer) error { _, err := w.Write([]byte("contents")); return err }); err != nil {
			t.Fatal(err)
		}
		file, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, file)
	}
	var f Files
	want := func(when string, states ...bool) {
		t.Helper()
		for i, is := range states {
			if got := open[i].Body != nil; got != is {
				t.Errorf("%s: file %d is open: %v, want %v", when, i, got, is)
			}
		}
	}
	first := f.Begin() // before the first file
	f.Use(open[0])
	second := f.Begin()
	f.Use(open[1])
	third := f.Begin()
	f.Use(open[2])
	want("all searches run", true, true, true)
	second()
	want("the first search runs", true, true, true)
	first()
	want("the third search runs", false, true, true)
	third()
	want("no search runs", false, false, true)
	f.Use(nil)
	want("no file is in use", false, false, false)
}
