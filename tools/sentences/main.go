// Command sentences lists the sentences of docent with their ids. It reads the
// Go sources of a repository and writes docs/reference/errors.md and
// web/src/words/ids.ts. Its argument is the root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sentences ROOT")
		os.Exit(2)
	}
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// generate writes the files below root.
func generate(root string) error {
	all, err := collect(root)
	if err != nil {
		return err
	}
	for path, content := range files(all) {
		if err := os.WriteFile(filepath.Join(root, path), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// files are the generated files by their path.
func files(all []*sentence) map[string]string {
	return map[string]string{"docs/reference/errors.md": errorsPage(all), "web/src/words/ids.ts": typesFile(all)}
}
