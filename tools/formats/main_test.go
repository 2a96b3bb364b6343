package main

import (
	"os"
	"path/filepath"
	"testing"

	"docent/ingest/extract"
)

func TestGenerated(t *testing.T) {
	t.Parallel()
	for path, want := range generated {
		got, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want() {
			t.Errorf(`%s differs from the formats; run "go generate ./ingest/extract"`, path)
		}
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	endings := map[string]string{}
	for _, f := range extract.Formats.All() {
		if f.Name == "" || f.Media == "" || f.Reads == "" || len(f.Endings) == 0 {
			t.Errorf("%q lacks a field", f.Name)
		}
		for _, ending := range f.Endings {
			if other, ok := endings[ending]; ok {
				t.Errorf("%s belongs to %s and %s", ending, other, f.Name)
			}
			endings[ending] = f.Name
		}
	}
}
