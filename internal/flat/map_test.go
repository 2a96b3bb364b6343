package flat

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestMap(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if _, err := Map(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v, want ErrNotExist", err)
	}
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(path, nil)
	if data, err := Map(path); err != nil || len(data) > 0 {
		t.Errorf("an empty file: %d bytes, %v", len(data), err)
	}
	write(path, stream(t))
	data, err := Map(path)
	if err != nil {
		t.Fatal(err)
	}
	check(t, NewReader(data, "TEST", 3))
	// The contents stay when another file takes the place.
	write(path+".new", []byte("other"))
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	check(t, NewReader(data, "TEST", 3))
	if again, err := Map(path); err != nil || string(again) != "other" {
		t.Errorf("the new file: %q, %v", again, err)
	}
}
