package migrations_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docent/migrations"
)

// TestCitation counts the citations of answers that were stored before they were counted.
func TestCitation(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d migrations.Dialect) {
		db := database(t, d, false)()
		to(t, d, db, 51)
		at := "0"
		if d == migrations.Postgres {
			at = "timestamptz 'epoch'"
		}
		exec(t, db, `INSERT INTO session (id, agent_name, session_id, platform_name, "timestamp", updated_at) VALUES (1, 'a', 's', 'P', `+at+`, `+at+`)`)
		for id := 1; id <= 4; id++ {
			exec(t, db, fmt.Sprintf(`INSERT INTO document (id, collection_id, source, title, media_type, language, size, sha256, etag, mtime, status, error,
				pipeline, version, chunks, folded, created_at, updated_at, text)
				VALUES (%d, 1, '/%d', '', '', '', 0, '', '', 0, 'ready', '', '', %d, 0, '', %s, %s, '')`, id, id, id, at, at))
		}
		docs := func(ids ...int) (out string) {
			for i, id := range ids {
				if i > 0 {
					out += ","
				}
				out += fmt.Sprintf(`{"content":"C","metadata":{"document_id":%d}}`, id)
			}
			return `"docs":[` + out + `]`
		}
		for i, a := range []struct{ outcome, content string }{
			{"answered", `{"answer":"A [1][2]",` + docs(1, 2, 3) + `,"sentences":[{"docs":[1,2]},{"docs":[1]},{}]}`}, // twice is once
			{"unsure", `{"answer":"B [1]",` + docs(2) + `,"sentences":[{"docs":[1]}]}`},
			{"not_found", `{"answer":"C",` + docs(3) + `,"sentences":[{"docs":[1]}]}`},
			{"answered", `{"answer":"D",` + docs(99) + `,"sentences":[{"docs":[1,7]}]}`}, // a deleted document, and none
			{"answered", `"Plain"`},
		} {
			n := i + 1
			exec(t, db,
				fmt.Sprintf(`INSERT INTO chat (id, session_id, type, content, is_user, "timestamp", seq, turn)
					VALUES (%d, 1, 'rag_answer', '%s', false, %s, %d, %d)`, n, a.content, at, n, n),
				fmt.Sprintf(`INSERT INTO answer (session_id, chat_id, turn, at, question, outcome, channel, asker, language, private)
					VALUES (1, %d, %d, %s, 'Q', '%s', 'page', '', 'en', false)`, n, n, at, a.outcome))
		}
		if err := migrations.Up(t.Context(), d, db); err != nil {
			t.Fatal(err)
		}
		rows, err := db.QueryContext(t.Context(), `SELECT document_id, answers FROM citation ORDER BY document_id`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var got [][2]int
		for rows.Next() {
			var row [2]int
			if err := rows.Scan(&row[0], &row[1]); err != nil {
				t.Fatal(err)
			}
			got = append(got, row)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][2]int{{1, 1}, {2, 2}}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
