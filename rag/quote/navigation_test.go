package quote

import (
	"slices"
	"strings"
	"testing"

	"docent/rag/corpus"
	"docent/rag/text"
)

// The texts are from the PostgreSQL 15 manual, chapters 31 and 62, and the
// section on pg_stat_activity.
func TestNavigation(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		"Table of Contents\n- 31.1. Publication\n- 31.2.1. Replication Slot Management\n\nLogical replication is a method of replicating data objects.": {
			"Logical replication is a method of replicating data objects.",
		},
		"Table 28.3. pg_stat_activity View\nColumn Type\nDescription\ndatid oid\nOID of the database this backend is connected to": nil,
		"- 62.3. Genetic Query Optimization (GEQO) in PostgreSQL\n- 62.4. Further Reading":                                         {},
		"Prev | Up | Next\n\nThe server stops.":                                                                                                 {"The server stops."},
		"POSTSUPER(1)                  POSTSUPER(1)":                                                                                            {},
		"Table F.20. pg_stat_statements Columns\n\nThe view shows statements.":                                                                  {"The view shows statements."},
		"Inhaltsverzeichnis\n- 14. Debian verkaufen\n- 14.1. Darf ich CDs verkaufen?\n- 14.2. Unfreie Software":                                 {},
		"- 14. Debian verkaufen\n- 14.1. Darf ich CDs verkaufen?\n- 14.2. Unfreie Software":                                                     {},
		"- 8.5. Welches Paket hat eine Datei angelegt?\n\nDas Paket heißt so.":                                                                  {"Das Paket heißt so."},
		"1. Introduction ........... 4":                                                                                                         {},
		"► Table Of Contents:\n\n1. Introduction\n2. The basic idea":                                                                            {},
		"- Documentation\n- Source code\n\nVdirsyncer synchronizes calendars.":                                                                  {"Vdirsyncer synchronizes calendars."},
		"- Documentation\n- Tests\n\nBoth are needed.":                                                                                          {"- Documentation", "- Tests", "Both are needed."},
		"4. Disk failures\n5. Memory corruption\n6. Other problems":                                                                             {},
		"1. Open the valve\n2. Wait\n3. Close it":                                                                                               {"1. Open the valve", "2. Wait", "3. Close it"},
		"APPENDIX B. AUTOMATING THE INSTALLATION… B.2. USING PRESEEDING":                                                                        {},
		"ADD COLUMN\n\nThis form adds a column.":                                                                                                {"ADD COLUMN", "This form adds a column."},
		"4.1. Alt+Up does nothing. How can I scroll?\n 4.2. It is bloated!\n 4.3. How do I paste?\n 4.4. Lines move. What gives?\n\nHit Alt-I.": {"Hit Alt-I."},
		"1.1. Keep the key.\n 1.2. Close the door.\n 1.3. Report a theft.":                                                                      {"1.1. Keep the key.", "1.2. Close the door.", "1.3. Report a theft."},
		"- 4.5 is the maximum.\n- The default is 2.":                                                                                            {"- 4.5 is the maximum.", "- The default is 2."},
		"Contents of the cache are lost. The next step is:":                                                                                     {"Contents of the cache are lost.", "The next step is:"},
	} {
		sentences := text.Sentences(body, false)
		var got []string
		for i, skip := range navigation(body, sentences, func(line string) bool { return line == "Memory corruption" }) {
			if !skip {
				got = append(got, body[sentences[i].Start:sentences[i].End])
			}
		}
		if want == nil {
			if slices.ContainsFunc(got, caption.MatchString) {
				t.Errorf("a caption stays: %q", got)
			}
		} else if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestQuestionListIsNavigation(t *testing.T) {
	t.Parallel()
	body := "- How do I create a table?\n- How large can a database become?\n- How do I create a stored procedure?\n\n" +
		"A database file becomes at most 281 terabytes large."
	if got := ask(t, "How large can a database become?", corpus.Prose, body); strings.Contains(got, "procedure") || !strings.Contains(got, "281") {
		t.Errorf("got %s", got)
	}
}
