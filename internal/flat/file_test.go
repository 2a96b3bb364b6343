package flat

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	leftover := path + temporary + "1"
	if err := os.WriteFile(leftover, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(leftover, old, old); err != nil {
		t.Fatal(err)
	}
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, s)
			return err
		}
	}
	if err := WriteFile(path, text("first")); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	if err := WriteFile(path, func(io.Writer) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("a failed write: %v", err)
	}
	f, err := Open(path)
	if err != nil || string(f.Body) != "first" || f.Check() != nil {
		t.Errorf("read %v, %v", f, err)
	}
	// The contents stay when another file takes the place.
	if err := WriteFile(path, text("other")); err != nil {
		t.Fatal(err)
	}
	if string(f.Body) != "first" {
		t.Errorf("after the change, the first file is %q", f.Body)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if names, err := filepath.Glob(path + "*"); err != nil || len(names) != 1 {
		t.Errorf("the files %q are left, %v", names, err)
	}
	for _, broken := range []string{"", "second" + "12345678"} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err == nil {
			err = errors.Join(f.Check(), f.Close())
		}
		if !errors.Is(err, errWrong) {
			t.Errorf("%q has no checksum: %v, want errWrong", broken, err)
		}
	}
}

func TestOpenOther(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := Open(filepath.Join(folder, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v, want ErrNotExist", err)
	}
	if _, err := Open(folder); err == nil {
		t.Error("a folder is opened")
	}
}
