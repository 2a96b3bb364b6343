package table

import (
	"strings"
	"testing"
)

// halls has the hours of the days of the week.
const halls = `Hall | Mon–Fri | Sat | Sun | Step-free
Dock St | 9–18 | 10–14 | closed | yes
Millgate | 10–17 | closed | closed | no
Castle | 8–20 | 9–17 | 11–16 | yes`

// rota has short forms.
const rota = `E = early, N = night. Swaps: tell Ada.

Name | Team | Mon | Tue
Lee P. | Bar | N | E
Max O. | Night | E | N
Ivy C. | Desk | E | N`

// crew has flags, and the dates on which people began.
const crew = `Name | Ext. | Office | First aider | Start date
Reed, Tom | 211 | Leeds | x | 2019-02-01
Shaw, Eve | 212 | Leeds |  | 2012-07-15
Park, Jin | 213 | York | x | 2020-03-01`

// sprint has a number in the name of a column.
const sprint = `Nr. | Name | 100 m (s) | Weitsprung (m) | Wurf (m)
1 | Ida Roth | 13,10 | 4,90 | 31,0
2 | Lia Vogt | 12,44 | 5,20 | 28,5
3 | Ben Lang | 12,90 | 5,05 | 40,2`

// claims has states, and codes as the names of rows.
const claims = `Claim | Category | Status | Amount (GBP)
C-1 | Hotel | rejected | 110.00
C-2 | Meals | approved | 25.00
C-3 | Hotel | rejected | 95.00
C-4 | Meals | pending | 18.00`

// TestEverydayQuestions: people name days, states, and times in their own words.
func TestEverydayQuestions(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, language, text, question, want string }{
		{"Halls", "en", halls, "which halls are open on sunday", "Castle"},
		{"Halls", "en", halls, "who is open saturdays", "Dock St Castle"},
		{"Halls", "en", halls, "dock st saturday closing time?", "Dock St"},
		{"Halls", "en", halls, "millgate hours on wednesday", "Millgate"},
		{"Halls", "en", halls, "which halls cant be reached with a wheelchair", "Millgate"},
		{"Rota", "en", rota, "who works nights on tuesday", "Max O. Ivy C."},
		{"Staff", "en", crew, "first aiders in leeds pls", "Reed, Tom"},
		{"Staff", "en", crew, "phone extension of Eve Shaw", "Shaw, Eve"},
		{"Staff", "en", crew, "whos been with us longest", "Shaw, Eve"},
		{"Sportfest", "de", sprint, "wer war am schnellsten über 100 m", "2"},
		{"Sportfest", "de", sprint, "wer ist ueber 5 meter gesprungen", "2 3"},
		{"Claims", "en", claims, "how many claims got turned down", "C-1 C-3"},
		{"Claims", "en", claims, "all two hotel claims together, amount?", "C-1 C-3"},
	} {
		tables := Parse(row.text, row.language)
		reply := Ask(row.question, []Source{{&tables[0], row.name}})
		var got []string
		for _, n := range reply.Rows {
			got = append(got, tables[0].Rows[n].Cells[0].Text)
		}
		if reply.Status != Answered || strings.Join(got, " ") != row.want {
			t.Errorf("%s: status %d, rows %q, want %q: %s", row.question, reply.Status, got, row.want, reply.Said)
		}
	}
}
