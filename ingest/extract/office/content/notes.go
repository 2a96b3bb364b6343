package content

import (
	"strings"

	"docent/ingest/outline"
)

// AddNotes adds the text of a notes page.
func AddNotes(b *outline.Builder, shapes []*Shape) {
	front := "Notes: "
	for _, s := range shapes {
		if s.Role != RoleBody {
			continue
		}
		for _, l := range s.Lines {
			if strings.TrimSpace(l.Text) != "" {
				b.Add(outline.Paragraph, 0, "\n\n", front+strings.TrimSpace(l.Text))
				front = ""
			}
		}
	}
}
