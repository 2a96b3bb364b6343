// Command formats writes docs/reference/formats.md from the formats that
// package extract lists. Its argument is the file to write.
package main

import (
	"fmt"
	"os"

	"docent/ingest/extract"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: formats FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], []byte(extract.FormatsPage()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
