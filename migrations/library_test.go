package migrations_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docent/migrations"
)

// TestSaid migrates conversations that were stored before they were searchable.
func TestSaid(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d migrations.Dialect) {
		db := database(t, d, false)()
		to(t, d, db, 3)
		at := "0"
		if d == migrations.Postgres {
			at = "timestamptz 'epoch'"
		}
		seq := 0
		chat := func(kind, is, content string) string {
			seq++
			return fmt.Sprintf(`INSERT INTO chat (session_id, type, content, is_user, "timestamp", seq, turn) VALUES (1, '%s', '%s', %s, %s, %d, %d)`, kind, content, is, at, seq, seq+10)
		}
		exec(t, db,
			`INSERT INTO session (id, agent_name, session_id, session_name, platform_name, "timestamp", updated_at) VALUES (1, 'a', 's', 'ÜBER Ελλάδα', 'P', `+at+`, `+at+`)`,
			`INSERT INTO session (id, agent_name, session_id, platform_name, "timestamp", updated_at) VALUES (2, 'a', 't', 'P', `+at+`, `+at+`)`,
			chat("str", "true", `"Wo ist die \u00d6LPUMPE?"`), chat("json", "true", `{"message":"ВЕС","k":5}`), chat("json", "true", `{"n":1}`), chat("file", "true", `{"name":"F"}`),
			chat("str", "false", `"Plain"`), chat("markdown", "false", `"**Bold**"`), chat("rag_answer", "false", `{"answer":"In 7 KG [1]","docs":[{"content":"No"}]}`),
			chat("html", "false", `"<b>"`), chat("options", "false", `["A"]`), chat("str", "true", `""`), chat("str", "true", `5`),
		)
		if err := migrations.Up(t.Context(), d, db); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string][]string{
			`SELECT session_id || '/' || turn || ' ' || folded FROM said ORDER BY chat_id`: {
				"1/11 wo ist die ölpumpe?", "1/12 вес", "1/15 plain", "1/16 **bold**", "1/17 in 7 kg [1]",
			},
			`SELECT folded FROM session ORDER BY id`:                                    {"über ελλάδα", ""},
			`SELECT CASE WHEN pinned THEN 'yes' ELSE 'no' END FROM session ORDER BY id`: {"no", "no"},
		} {
			rows, err := db.QueryContext(t.Context(), query)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			var got []string
			for rows.Next() {
				var s string
				if err := rows.Scan(&s); err != nil {
					t.Fatal(err)
				}
				got = append(got, s)
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
	})
}
