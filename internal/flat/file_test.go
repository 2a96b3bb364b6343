package flat

import (
	"errors"
	"io"
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
	if data, err := ReadFile(path); err != nil || string(data) != "first" {
		t.Errorf("read %q, %v", data, err)
	}
	if names, err := filepath.Glob(path + "*"); err != nil || len(names) != 1 {
		t.Errorf("the files %q are left, %v", names, err)
	}
	for _, broken := range []string{"", "second" + "12345678"} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFile(path); err == nil {
			t.Errorf("%q has no checksum, but it is read", broken)
		}
	}
}
