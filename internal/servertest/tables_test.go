package servertest_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docent/internal/servertest"
	"docent/internal/wstest"
	"docent/payload"
)

// TestTableRow asks for one row of a table that goes over several pages. The
// answer comes from that row, and each passage of the table repeats its header.
func TestTableRow(t *testing.T) {
	t.Parallel()
	for _, ending := range []string{".docx", ".pdf", ".html", ".xlsx"} {
		t.Run(ending[1:], func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(filepath.Join("testdata/tables", "plant"+ending))
			if err != nil {
				t.Fatal(err)
			}
			at := servertest.Start(t, servertest.Config{Documents: []servertest.Document{{Name: "plant" + ending, Content: string(content)}}}).URL
			c := dial(t, at)
			hear(t, c) // the greeting
			say(t, c, wstest.MessageText, frame(payload.UserMessage, `"which part has an interval of 4,000 h?"`))
			var reply struct{ Message payload.RAGMessage }
			if err := json.Unmarshal([]byte(until(t, c, `"agent_reply_rag"`)), &reply); err != nil {
				t.Fatal(err)
			}
			msg := reply.Message
			if msg.Abstained || !strings.Contains(msg.Answer, "bearing of the cooling tower") || !strings.Contains(msg.Answer, "4,000 h") {
				t.Errorf("the answer is %q", msg.Answer)
			}
			if strings.Count(msg.Answer, "P-") > 1 {
				t.Errorf("the answer has other rows: %q", msg.Answer)
			}
			if !slices.ContainsFunc(msg.Docs, func(d payload.RAGDoc) bool { return strings.Contains(d.Content, "4,000 h") }) {
				t.Error("no passage has the row")
			}
			for _, d := range msg.Docs {
				if strings.Contains(d.Content, " | ") && !strings.Contains(d.Content, "Part | Interval | Work | Spare part no.") {
					t.Errorf("a passage of the table has no header:\n%s", d.Content)
				}
			}
		})
	}
}

// TestTableQuestion computes over all rows of a table, and cites the passages that have them.
func TestTableQuestion(t *testing.T) {
	t.Parallel()
	const prices = "Item,Price (EUR),Stock\nBolt,1.50,300\nNut,0.70,900\nAnchor,48.50,12\n"
	at := servertest.Start(t, servertest.Config{Documents: []servertest.Document{{Name: "prices.csv", Content: prices}}}).URL
	for question, want := range map[string]string{
		"What is the cheapest item?":      `"outcome":"answered"`,
		"Was kostet der Anker im Mai?":    `"outcome":"not_found"`,
		"price of the swan":               "nothing about `swan`",
		"sum of the stock":                "in 3 rows is 1212",
		"how many items are under 2 euro": "2 of the 3 rows",
	} {
		body, err := json.Marshal(map[string]string{"question": question})
		if err != nil {
			t.Fatal(err)
		}
		resp, answer := who{}.Request(t, http.MethodPost, at+"/api/ask", string(body))
		if resp.StatusCode != http.StatusOK || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s, want %s", question, resp.StatusCode, answer, want)
		}
	}
}
