package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"docent/agent/session/sessiontest"
	"docent/store/sqlite"
)

// BenchmarkMatch looks for text in many conversations.
func BenchmarkMatch(b *testing.B) {
	path := filepath.Join(b.TempDir(), "docent.db")
	sessiontest.MatchBenchmark(b, open(b, sqlite.Config{Path: path}), func() {
		db, err := sql.Open("sqlite", "file:"+path)
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		const n, m, size = sessiontest.BenchSessions, sessiontest.BenchMessages, sessiontest.BenchAnswer
		series := func(from, to int) string {
			return fmt.Sprintf(`WITH RECURSIVE g (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM g WHERE i < %d) `, from, to)
		}
		for _, query := range []string{
			series(1, n) + `INSERT INTO session (id, agent_name, session_id, session_name, platform_name, timestamp, updated_at, owner, folded)
				SELECT i, 'a', i, 'Chat ' || i, 'P', 0, i, 'o' || i % 100, 'chat ' || i FROM g`,
			series(0, n*m-1) + fmt.Sprintf(`INSERT INTO chat (id, session_id, type, content, is_user, timestamp, seq, turn)
				SELECT i + 1, i %% %d + 1, CASE i / %[1]d %% 2 WHEN 0 THEN 'str' ELSE 'rag_answer' END,
					CASE i / %[1]d %% 2 WHEN 0 THEN '"where is word ' || i || ' to be found"' ELSE '{"answer":"word ' || i || '","docs":"' || hex(randomblob(1600)) || '"}' END,
					i / %[1]d %% 2 = 0, 0, i / %[1]d + 1, i / %[1]d / 2 + 1 FROM g`, n),
			fmt.Sprintf(`INSERT INTO said (session_id, chat_id, turn, folded)
				SELECT session_id, id, turn, 'where is word ' || id || ' to be found' || CASE WHEN is_user THEN '' ELSE hex(randomblob(%d / 2)) END FROM chat`, size),
		} {
			if _, err := db.ExecContext(b.Context(), query); err != nil {
				b.Fatal(err)
			}
		}
	})
}
