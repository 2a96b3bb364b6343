package migrations_test

import (
	"strings"
	"testing"
	"time"

	"docent/migrations"
)

// TestViews reads a database with SQL that was written for BAF: its table and column
// names, messages as plain text, and local times.
func TestViews(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d migrations.Dialect) {
		db := database(t, d, true)()
		now := time.Date(2026, 11, 23, 14, 5, 6, 123456000, time.UTC)
		at := any(now)
		prefix, local := "baf.", now
		if d == migrations.SQLite {
			at, prefix, local = now.UnixMicro(), "baf_", now.Local()
		} else {
			exec(t, db, "SET TIME ZONE 'UTC'")
		}
		for _, insert := range []string{
			`INSERT INTO session (id, agent_name, session_id, session_name, username, platform_name, "timestamp", variables, updated_at)
				VALUES (1, 'shop', 's1', 'first', 'ada', 'WebSocketPlatform', $1, $2, $1)`,
			`INSERT INTO chat (session_id, type, content, is_user, "timestamp", seq, turn) VALUES (1, 'str', '"say \"hi\" 💡"', true, $1, 1, 1)`,
			`INSERT INTO chat (session_id, type, content, is_user, "timestamp", seq, turn) VALUES (1, 'options', '{"0": "Yes"}', false, $1, 2, 1)`,
			`INSERT INTO transition (session_id, source_state, dest_state, event, condition, "timestamp") VALUES (1, 'a', 'b', 'receive_message', 'x', $1)`,
			`INSERT INTO intent_prediction (id, session_id, message, "timestamp", intent_classifier, intent, score) VALUES (1, 1, 'hi', $1, 'C', 'hello', 0.9)`,
			`INSERT INTO event (session_id, event, info, "timestamp") VALUES (1, 'receive_message', 'hi', $1)`,
			`INSERT INTO reasoning_step (session_id, kind, payload, "timestamp", seq, turn) VALUES (1, 'reasoning_step', '{}', $1, 3, 1)`,
		} {
			args := []any{at}
			if strings.Contains(insert, "$2") {
				args = append(args, `{"paid": true, "session_document_0": {"text": "x"}, "model_context_a": "x", "peer_session_b": "x"}`)
			}
			if _, err := db.ExecContext(t.Context(), insert, args...); err != nil {
				t.Fatalf("%s: %v", insert, err)
			}
		}
		exec(t, db, "INSERT INTO parameter (intent_prediction_id, name, value) VALUES (1, 'city', 'Rome')")
		for query, want := range map[string]string{
			`SELECT c.content FROM %schat c JOIN %ssession s ON s.id = c.session_id WHERE s.session_id = 's1' AND is_user`:  `say "hi" 💡`,
			`SELECT content FROM %schat WHERE type = 'options'`:                                                             `{"0": "Yes"}`,
			`SELECT CAST("timestamp" AS text) FROM %schat WHERE is_user`:                                                    local.Format("2006-01-02 15:04:05.000000"),
			`SELECT CAST("timestamp" AS text) FROM %sreasoning_step`:                                                        local.Format("2006-01-02 15:04:05.000000"),
			`SELECT username || agent_name || platform_name FROM %ssession`:                                                 "adashopWebSocketPlatform",
			`SELECT variables FROM %ssession`:                                                                               `{"paid": true}`,
			`SELECT source_state || dest_state || event || condition FROM %stransition`:                                     "abreceive_messagex",
			`SELECT intent || name || value FROM %sintent_prediction i JOIN %sparameter p ON p.intent_prediction_id = i.id`: "hellocityRome",
			`SELECT event || info FROM %sevent`:                                                                             "receive_messagehi",
		} {
			if query = strings.ReplaceAll(query, "%s", prefix); d == migrations.SQLite { // it writes JSON without spaces
				want = strings.ReplaceAll(want, `: true`, `:true`)
			}
			var got string
			if err := db.QueryRowContext(t.Context(), query).Scan(&got); err != nil || got != want {
				t.Errorf("%s: %q %v, want %q", query, got, err, want)
			}
		}
	})
}
