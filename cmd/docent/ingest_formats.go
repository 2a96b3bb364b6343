package main

import (
	"fmt"
	"strings"

	"docent/ingest/extract"
)

// formatList returns the formats that docent reads, with a line for each group.
func formatList() string {
	const indent, width = 18, 84
	var b strings.Builder
	for _, g := range extract.Formats.Groups() {
		line := fmt.Sprintf("  %-*s", indent-2, g.Group)
		for i, f := range g.Formats {
			name := f.ShortName()
			if i < len(g.Formats)-1 {
				name += ", "
			}
			if len(line)+len(name) > width {
				b.WriteString(strings.TrimRight(line, " ") + "\n")
				line = strings.Repeat(" ", indent)
			}
			line += name
		}
		b.WriteString(line + "\n")
	}
	b.WriteString("\nPictures and scanned pages need tesseract or a vision model. DOC, XLS, and PPT need\nLibreOffice.\n")
	return b.String()
}
