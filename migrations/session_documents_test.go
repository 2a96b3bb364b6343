package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docent/migrations"
)

// TestSessionDocuments moves the documents of sessions from their variables to a table.
func TestSessionDocuments(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d migrations.Dialect) {
		db := database(t, d, false)()
		to(t, d, db, 19)
		at := "0"
		if d == migrations.Postgres {
			at = "timestamptz 'epoch'"
		}
		for id, variables := range []string{
			`{"a": "1", "b": [true, null], "session_document_10": {"source": "k"}, "session_document_2": {"source": "c"}}`,
			`{"session_document_0": {"source": "only"}}`, `{"n": 1.5}`,
		} {
			if _, err := db.ExecContext(t.Context(), `INSERT INTO session (id, agent_name, session_id, platform_name, "timestamp", updated_at, variables)
				VALUES ($1, 'a', $2, 'P', `+at+`, `+at+`, $3)`, id+1, string(rune('s'+id)), variables); err != nil {
				t.Fatal(err)
			}
		}
		if err := migrations.Up(t.Context(), d, db); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string][]string{
			`SELECT session_id || '/' || turn || ' ' || (content ->> 'source') FROM session_document ORDER BY id`: {"1/0 c", "1/0 k", "2/0 only"},
			`SELECT replace(CAST(variables AS text), ' ', '') FROM session ORDER BY id`:                           {`{"a":"1","b":[true,null]}`, `{}`, `{"n":1.5}`},
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
