package notes

import (
	"context"
	"time"
)

// keepNote is a note of Google Keep, as Takeout writes it.
type keepNote struct {
	Title       string `json:"title"`
	Text        string `json:"textContent"`
	Trashed     bool   `json:"isTrashed"`
	Archived    bool   `json:"isArchived"`
	Edited      int64  `json:"userEditedTimestampUsec"`
	Created     int64  `json:"createdTimestampUsec"`
	Labels      []name `json:"labels"`
	ListContent []struct {
		Text    string `json:"text"`
		Checked bool   `json:"isChecked"`
	} `json:"listContent"`
	Annotations []struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		URL         string `json:"url"`
	} `json:"annotations"`
}

type name struct {
	Name string `json:"name"`
}

// readKeep reads a note. One in the trash has no text.
func readKeep(_ context.Context, data []byte) (*page, bool) {
	var n keepNote
	if !decode(data, &n) {
		return nil, false
	}
	p := &page{title: oneLine(n.Title)}
	if n.Trashed {
		return p, true
	}
	for _, label := range n.Labels {
		p.tags = append(p.tags, label.Name)
	}
	if at := max(n.Edited, n.Created); at > 0 {
		p.changed = time.UnixMicro(at).UTC()
	}
	p.heading(1, n.Title)
	p.paragraph(n.Text)
	for _, item := range n.ListContent {
		p.task(item.Checked, item.Text)
	}
	if len(n.Annotations) > 0 {
		p.out.WriteString("\nLinks:\n\n")
	}
	for _, a := range n.Annotations {
		title := oneLine(a.Title)
		if title == "" {
			title = oneLine(a.Description)
		}
		p.item(title + " <" + oneLine(a.URL) + ">")
	}
	return p, true
}
