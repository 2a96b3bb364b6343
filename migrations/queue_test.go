package migrations_test

import (
	"database/sql"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"docent/migrations"
)

// TestQueue migrates a database of the first version. Unanswered messages
// become the session's queue, and nothing is lost.
func TestQueue(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d migrations.Dialect) {
		db := database(t, d, false)()
		to(t, d, db, 1)
		at := func(second int) string {
			if d == migrations.Postgres {
				return fmt.Sprintf("timestamptz 'epoch' + interval '%d s'", second)
			}
			return fmt.Sprint(second * 1_000_000)
		}
		session := func(id, seq, turn, done int) string {
			return fmt.Sprintf(`INSERT INTO session (id, agent_name, session_id, platform_name, "timestamp", seq, turn, done_turn, updated_at)
				VALUES (%d, 'a', 's%d', 'P', %s, %d, %d, %d, %[3]s)`, id, id, at(0), seq, turn, done)
		}
		chat := func(session, seq, turn, second int, user bool, content string) string {
			is := "false"
			if user {
				is = "true"
			}
			return fmt.Sprintf(`INSERT INTO chat (session_id, type, content, is_user, "timestamp", seq, turn, client_id)
				VALUES (%d, 'str', '%s', %s, %s, %d, %d, 'm%[5]d')`, session, content, is, at(second), seq, turn)
		}
		event := func(session, second int, info string) string {
			return fmt.Sprintf(`INSERT INTO event (session_id, event, info, "timestamp") VALUES (%d, 'stored', '%s', %s)`, session, info, at(second))
		}
		exec(t, db,
			session(1, 5, 3, 1), session(2, 3, 3, 2), session(3, 4, 2, 0), session(4, 0, 0, 0),
			// The first of three messages is answered.
			event(1, 1, "one"), chat(1, 1, 1, 1, true, `"one"`), chat(1, 2, 1, 1, false, `"re one"`),
			event(1, 3, "two"), chat(1, 3, 2, 3, true, `"two"`), event(1, 4, "three"), chat(1, 4, 3, 4, true, `"three"`),
			// Two messages have the same time, and one of them is answered.
			// Their events lie among those of other sessions.
			event(2, 1, "first"), chat(2, 1, 2, 1, true, `"first"`), event(1, 9, "of none"), event(2, 1, "second"), chat(2, 2, 3, 1, true, `"second"`),
			// These messages have no events.
			chat(3, 1, 1, 1, true, `{"a": [1]}`), chat(3, 2, 2, 2, true, `"te\"xt"`), chat(3, 3, 0, 2, false, `"greeting"`),
			`INSERT INTO event (event, info, "timestamp") VALUES ('orphan', 'of no session', `+at(1)+`)`,
			`INSERT INTO transition (session_id, source_state, dest_state, "timestamp") VALUES (1, 'a', 'b', `+at(1)+`)`,
		)
		if err := migrations.Up(t.Context(), d, db); err != nil {
			t.Fatal(err)
		}
		column := func(query string) []string {
			rows, err := db.QueryContext(t.Context(), query)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			var out []string
			for rows.Next() {
				var s string
				if err := rows.Scan(&s); err != nil {
					t.Fatal(err)
				}
				out = append(out, s)
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
			return out
		}
		const shown = `coalesce(e.session_id, 0) || '/' || e.turn || ' ' || e.event || ' ' || e.info || CASE WHEN c.seq IS NULL THEN '' ELSE ' seq ' || c.seq END`
		for query, want := range map[string][]string{
			`SELECT ` + shown + ` FROM event e LEFT JOIN chat c ON c.id = e.chat_id WHERE NOT e.handled ORDER BY e.session_id, e.turn`: {
				"1/2 stored two seq 3", "1/3 stored three seq 4", "2/3 stored second seq 2",
				`3/1 receive_message {"a": [1]} seq 1`, `3/2 receive_message_text te"xt seq 2`,
			},
			`SELECT ` + shown + ` FROM event e LEFT JOIN chat c ON c.id = e.chat_id WHERE e.handled ORDER BY coalesce(e.session_id, 0), e.turn`: {
				"0/0 orphan of no session", "1/0 stored of none", "1/1 stored one seq 1", "2/2 stored first seq 1",
			},
			`SELECT session_id || ' ' || seq || ' ' || turn || ' ' || CASE WHEN is_user THEN 'user' ELSE 'agent' END || ' ' || client_id FROM chat ORDER BY session_id, seq`: {
				"1 1 1 user m1", "1 2 1 agent m2", "1 3 2 user m3", "1 4 3 user m4", "2 1 2 user m1", "2 2 3 user m2", "3 1 1 user m1", "3 2 2 user m2", "3 3 0 agent m3",
			},
			`SELECT session_id || ' ' || seq || ' ' || turn FROM session WHERE wake_at IS NULL AND entered_at IS NULL ORDER BY id`: {
				"s1 5 3", "s2 3 3", "s3 4 2", "s4 0 0",
			},
			`SELECT source_state FROM transition`: {"a"},
		} {
			if diff := cmp.Diff(want, column(query)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
	})
}

// to migrates an empty database to a version.
func to(t *testing.T, d migrations.Dialect, db *sql.DB, version int64) {
	t.Helper()
	dialect := goose.DialectSQLite3
	if d == migrations.Postgres {
		dialect = goose.DialectPostgres
	}
	provider, err := goose.NewProvider(dialect, db, os.DirFS(string(d)), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
}
