package postgres_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"docent/agent/session/sessiontest"
	"docent/internal/pgtest"
	"docent/store/postgres"
)

// BenchmarkMatch looks for text in many conversations.
func BenchmarkMatch(b *testing.B) {
	url := pgtest.URL(b)
	sessiontest.MatchBenchmark(b, open(b, postgres.Config{URL: url}), func() {
		conn := connect(b, url, pgx.QueryExecModeCacheStatement)
		const n, m, size = sessiontest.BenchSessions, sessiontest.BenchMessages, sessiontest.BenchAnswer
		for _, sql := range []string{
			fmt.Sprintf(`INSERT INTO session (id, agent_name, session_id, session_name, platform_name, "timestamp", owner, folded)
				SELECT i, 'a', i, 'Chat ' || i, 'P', now(), 'o' || i %% 100, 'chat ' || i FROM generate_series(1, %d) i`, n),
			fmt.Sprintf(`INSERT INTO chat (id, session_id, type, content, is_user, "timestamp", seq, turn)
				SELECT i, i %% %d + 1, CASE i / %[1]d %% 2 WHEN 0 THEN 'str' ELSE 'rag_answer' END,
					CASE i / %[1]d %% 2 WHEN 0 THEN to_jsonb('where is word ' || i || ' to be found')
						ELSE jsonb_build_object('answer', 'word ' || i, 'docs', repeat(md5(i::text), 100)) END,
					i / %[1]d %% 2 = 0, now(), i / %[1]d + 1, i / %[1]d / 2 + 1 FROM generate_series(0, %d) i`, n, n*m-1),
			fmt.Sprintf(`INSERT INTO said (session_id, chat_id, turn, folded)
				SELECT session_id, id, turn, 'where is word ' || id || ' to be found' || CASE WHEN is_user THEN '' ELSE repeat(' ' || md5(id::text), %d / 33) END FROM chat`, size),
			`VACUUM ANALYZE`,
		} {
			if _, err := conn.Exec(b.Context(), sql); err != nil {
				b.Fatal(err)
			}
		}
	})
}
