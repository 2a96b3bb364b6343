package pipeline

import (
	"strings"
	"testing"
	"time"

	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/talk"
)

const releases = "## 3.0.0 (30 June 2025)\n\nNew panel.\n\n## 4.2.0 (2026-05-12)\n\nBluetooth.\n\n## 4.1.0 (20.11.2025)\n\nDark mode."

// inPeriod returns the texts of results for a question.
func inPeriod(question string, narrow bool) string {
	p := func(id int64, title, text string, date time.Time, from corpus.DateFrom) retrieve.Result {
		return retrieve.Result{Passage: corpus.Passage{
			Chunk:    corpus.Chunk{ID: id, Kind: corpus.Prose, Text: text, Start: 100, End: 100 + len(text)},
			Document: corpus.Document{ID: id, Title: title, Date: date, DateFrom: from},
		}}
	}
	day := func(s string) time.Time {
		d, _ := time.Parse(time.DateOnly, s)
		return d
	}
	out := inTime([]retrieve.Result{
		p(1, "Firmware", releases, time.Time{}, ""),
		p(2, "Minutes of 14 April 2027", "The panel.", time.Time{}, ""),
		p(3, "Price list 2025", "9 EUR", day("2025-01-01"), corpus.FrontMatter),
		p(4, "Price list 2026", "10 EUR", day("2026-01-01"), corpus.FrontMatter),
		p(5, "Copied", "x", day("2030-01-01"), corpus.FileTime),
	}, talk.PeriodOf(question, day("2027-05-03")), narrow)
	var texts []string
	for i, r := range out {
		c := r.Passage.Chunk
		if r.Rank != i+1 && question != "firmware?" || len(out) < 5 && c.Text != releases[c.Start-100:c.End-100] {
			texts = append(texts, "WRONG")
		}
		texts = append(texts, strings.ReplaceAll(c.Text, "\n\n", " "))
	}
	return strings.Join(texts, " | ")
}

func TestInTime(t *testing.T) {
	t.Parallel()
	all := strings.ReplaceAll(releases, "\n\n", " ")
	for _, c := range []struct {
		question string
		narrow   bool
		want     string
	}{
		{"latest firmware?", true, "## 4.2.0 (2026-05-12) Bluetooth."},
		{"latest firmware?", false, all + " | The panel. | 9 EUR | 10 EUR | x"},
		{"what changed in 2025?", true, all + " | 9 EUR | The panel. | 10 EUR | x"},
		{"what changed in June 2025?", true, "## 3.0.0 (30 June 2025) New panel. | The panel. | 9 EUR | 10 EUR | x"},
		{"changes since November 2025", true, "## 4.2.0 (2026-05-12) Bluetooth. ## 4.1.0 (20.11.2025) Dark mode. | The panel. | 10 EUR | 9 EUR | x"},
		{"what was decided in April?", false, "The panel. | " + all + " | 9 EUR | 10 EUR | x"},
		{"what was decided last month?", true, "The panel. | " + all + " | 9 EUR | 10 EUR | x"},
		{"prices since 2026", false, all + " | The panel. | 10 EUR | 9 EUR | x"},
		{"firmware?", true, all + " | The panel. | 9 EUR | 10 EUR | x"},
	} {
		if got := inPeriod(c.question, c.narrow); got != c.want {
			t.Errorf("%s (%v)\ngot  %s\nwant %s", c.question, c.narrow, got, c.want)
		}
	}
}
