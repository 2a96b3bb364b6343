// Command formats writes the files that are generated from the list of
// formats in ingest/extract. Its argument is the root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// generated are the functions that return the generated files, by path.
var generated = map[string]func() string{
	"docs/reference/formats.md": page,
	"web/src/api/formats.ts":    script,
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: formats ROOT")
		os.Exit(2)
	}
	for path, text := range generated {
		if err := os.WriteFile(filepath.Join(os.Args[1], path), []byte(text()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
