package quote

import (
	"strings"
	"testing"
	"time"

	"docent/rag/corpus"
)

func TestContradictingSentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		one, other string
		want       bool
	}{
		{"The refund period for orders is 14 days.", "The refund period for orders is 30 days.", true},
		{"Refunds for orders are paid within two weeks of 14 days.", "The refund period for orders is 30 days.", false},
		{"The refund period for orders is 14 days.", "The refund period for orders is two weeks.", false},
		{"The refund period for orders is 48 hours.", "The refund period for orders is 2 days.", false},
		{"The refund period for orders is 14 days.", "The refund period for orders in Spain is 30 days.", false},
		{"The Berlin refund period for orders is 14 days.", "The Munich refund period for orders is 30 days.", false},
		{"The refund period for orders requires version 2.1.3.", "The refund period for orders requires version 2.1.4.", true},
		{"Section 14 explains the refund period for orders.", "Section 30 explains the refund period for orders.", false},
		{"The refund period for orders includes weekends.", "The refund period for orders does not include weekends.", true},
		{"The refund period for orders includes weekends.", "The refund period for orders includes weekends.", false},
		{"Die Frist für den refund orders period gilt ab 1.000 Euro.", "Die Frist für den refund orders period gilt ab 1000 Euro.", false},
		{"Die Frist für den refund orders period gilt ab 1,5 GB.", "Die Frist für den refund orders period gilt ab 15 GB.", true},
		{"Die Frist für den refund orders period beträgt 14 Tage.", "Die Frist für den refund orders period beträgt 30 Tage.", true},
	} {
		question := "What is the refund period for orders?"
		passages := []Passage{passage(1, "Terms", "Returns", c.one), passage(2, "Handbook", "Returns", c.other)}
		answer, sentences := Answer(testStatic, Query{Question: question, Searched: question, Passages: passages})
		if got := strings.HasPrefix(answer, "The sources differ:"); got != c.want {
			t.Errorf("%q and %q: %q", c.one, c.other, answer)
		}
		for _, s := range sentences {
			if got := answer[s.Start:s.End]; !strings.HasSuffix(got, "]") {
				t.Errorf("sentence %q of %q has no citation", got, answer)
			}
		}
		passages[1].DocumentID = passages[0].DocumentID
		if answer, _ := Answer(testStatic, Query{Question: question, Searched: question, Passages: passages}); strings.Contains(answer, "differ") {
			t.Errorf("one document contradicts itself: %q", answer)
		}
	}
}

func TestEqualSentencesAboutDifferentThings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question, title, heading, otherTitle, otherHeading string
		want                                               bool
	}{
		{"How long does the retention policy keep entries?", "Regex tool guide", "Cache", "Retention policy", "Logs", false},
		{"How long does the retention policy keep entries?", "Regex tool guide", "Overview", "Retention policy guide", "Overview", false},
		{"How long are old entries kept?", "Staff handbook", "Logs", "Retention policy", "Periods", true},
		{"How long does the retention policy keep entries?", "Retention policy", "Logs", "Privacy FAQ", "Retention", true},
	} {
		passages := []Passage{
			passage(1, c.title, c.heading, "Old entries are kept for 30 days."),
			passage(2, c.otherTitle, c.otherHeading, "Old entries are kept for 90 days."),
		}
		answer, _ := Answer(testStatic, Query{Question: c.question, Searched: c.question, Passages: passages})
		if got := strings.HasPrefix(answer, "The sources differ:"); got != c.want {
			t.Errorf("%q of %q and %q: %q", c.question, c.title, c.otherTitle, answer)
		}
	}
}

func TestContradictingSentencesShowTitlesAndDates(t *testing.T) {
	t.Parallel()
	first, second := passage(1, "Terms", "Returns", "The refund period is 14 days."), passage(2, "Handbook", "Returns", "The refund period is 30 days.")
	first.Document.Modified = time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	second.Document.Modified = time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)
	third := passage(3, "FAQ", "Returns", "The refund period is 30 days.")
	query := Query{Question: "refund period", Searched: "refund period", Passages: []Passage{first, second, third}}
	answer, _ := Answer(testStatic, query)
	want := "The sources differ:\n\n- **Terms (2024-05-01):** The refund period is 14 days. [1]\n" +
		"- **Handbook (2025-05-01):** The refund period is 30 days. [2][3]"
	if answer != want {
		t.Errorf("got  %q\nwant %q", answer, want)
	}
	for i := range query.Passages {
		query.Passages[i].Document.Language = "de"
	}
	if answer, _ := Answer(testStatic, query); !strings.HasPrefix(answer, "Die Quellen widersprechen sich:") {
		t.Errorf("not in German: %q", answer)
	}
	query.Language = "en"
	if answer, _ := Answer(testStatic, query); !strings.HasPrefix(answer, "The sources differ:") {
		t.Errorf("not in the language of the question: %q", answer)
	}
	query.Language = ""
	first.Kind = corpus.Code
	query.Passages[0] = first
	if answer, _ := Answer(testStatic, query); strings.Contains(answer, "widersprechen") {
		t.Errorf("code contradicts prose: %q", answer)
	}
}
