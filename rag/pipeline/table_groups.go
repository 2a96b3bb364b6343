package pipeline

import (
	"slices"
	"strconv"
	"strings"

	"docent/rag"
	"docent/rag/table"
)

// maxGroupPassages limits the passages that a group of rows cites.
const maxGroupPassages = 3

// writeGroups writes the results of groups of rows. Each one cites the passages of its first rows.
func (a tableAnswer) writeGroups(b *strings.Builder, reply table.Reply, t *table.Table, d *table.Document) {
	b.WriteString("\n\n| " + cellText(reply.Groups.By) + " | " + cellText(reply.Groups.Of) + " |\n| --- | --- |\n")
	for i, group := range reply.Groups.List {
		if i > 0 {
			b.WriteString("\n")
		}
		s := rag.Sentence{Start: b.Len(), Support: rag.Strong}
		b.WriteString("| " + cellText(group.Name) + " | " + cellText(group.Value))
		for _, row := range group.Rows {
			n := a.passageOf(d, t.Rows[row])
			if n > 0 && !slices.Contains(s.Passages, n) && len(s.Passages) < maxGroupPassages {
				s.Passages = append(s.Passages, n)
				b.WriteString(" [" + strconv.Itoa(n) + "]")
			}
		}
		b.WriteString(" |")
		s.End = b.Len()
		a.out.Sentences = append(a.out.Sentences, s)
	}
	a.markCells(reply, t, d)
	a.out.Text = b.String()
}
