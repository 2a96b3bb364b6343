package main

import (
	"os"
	"path/filepath"
	"testing"
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
