package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/agent/session/sessiontest"
	"docent/ingest/ingesttest"
	"docent/internal/pgtest"
	"docent/store/postgres"
)

func BenchmarkBulk(b *testing.B) {
	ingesttest.Benchmark(b, func(b *testing.B) ingesttest.Store { return documents(open(b, postgres.Config{URL: pgtest.URL(b)})) })
}

// connect opens a connection that is closed when the benchmark ends.
func connect(b *testing.B, url string, mode pgx.QueryExecMode) *pgx.Conn {
	b.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		b.Fatal(err)
	}
	config.DefaultQueryExecMode = mode
	conn, err := pgx.ConnectConfig(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close(context.WithoutCancel(b.Context())) })
	return conn
}

// BenchmarkTurn waits for the disk at each commit.
func BenchmarkTurn(b *testing.B) {
	url := pgtest.URL(b)
	pgtest.Durable(b, url)
	ctx := b.Context()
	conn := connect(b, url, pgx.QueryExecModeCacheStatement)
	if _, err := conn.Exec(ctx, `CREATE TABLE bench (id uuid PRIMARY KEY, session bigint, type text, content jsonb)`); err != nil {
		b.Fatal(err)
	}
	if _, err := conn.Exec(ctx, `CREATE INDEX ON bench (session)`); err != nil {
		b.Fatal(err)
	}
	const insert = `INSERT INTO bench VALUES (gen_random_uuid(), $1, $2, $3)`
	sessiontest.TurnBenchmark(b, open(b, postgres.Config{URL: url}), func() error {
		_, err := conn.Exec(ctx, insert, 1, "rag_answer", sessiontest.BenchContent)
		return err
	}, func() error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			for range 3 {
				if _, err := tx.Exec(ctx, insert, 1, "rag_answer", sessiontest.BenchContent); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// reasoned is the number of reasoning rows in the turn of BenchmarkReasoning: a
// task list, three steps with their tools, and the finished list.
const reasoned = 5

// turnsPerBAF is the number of docent's turns for each turn of BAF. With it, both
// keep the server busy for about the same time.
const turnsPerBAF = 20

// BenchmarkReasoning compares the writes of a turn with those of BAF. The turn
// has three reasoning steps and an answer. Both alternate on one server that
// waits for the disk at each commit.
//
// BAF's writes are those of baf/db/monitoring_db.py, replayed over one
// connection. For each row, BAF reflects two tables with SQLAlchemy, selects
// the session, inserts, and commits. The replay sends equivalent catalog
// queries as text with inlined values, as psycopg2 does. It omits work that
// would make BAF slower: the processor time of SQLAlchemy, psycopg2, and
// pandas, the reflection of referring tables, and unused columns and
// constraints. The original, replayed in Python, took 12 ms for each row.
func BenchmarkReasoning(b *testing.B) {
	url := pgtest.URL(b)
	pgtest.Durable(b, url)
	baf := newBAF(b, url)
	s := open(b, postgres.Config{URL: url})
	session, _, err := s.OpenSession(b.Context(), journal.SessionRecord{Key: journal.SessionKey{Agent: "a", ID: "bench"}, Platform: "WebSocketPlatform"})
	if err != nil {
		b.Fatal(err)
	}
	step := json.RawMessage(`{"kind":"tool_result","step":1,"summary":"` + summary + `","details":{"name":"search_knowledge","result":"` + summary + summary + summary + `"}}`)
	var took [2][]time.Duration
	n := 0
	clock := func(i int, write func() error) {
		start := time.Now()
		if err := write(); err != nil {
			b.Fatal(err)
		}
		took[i] = append(took[i], time.Since(start))
	}
	for b.Loop() {
		clock(0, func() error { return baf.turn(step) })
		for range turnsPerBAF {
			clock(1, func() error { return turn(b.Context(), s, session.RowID, n, step) })
			n++
		}
	}
	median := func(i int) float64 {
		slices.Sort(took[i])
		return float64(took[i][len(took[i])/2].Microseconds())
	}
	b.ReportMetric(median(0)/1000, "ms_baf")
	b.ReportMetric(median(1)/1000, "ms_turn")
	b.ReportMetric(median(0)/median(1), "x_baf")
	b.ReportMetric(0, "ns/op")
}

// summary is a step's summary of typical length.
const summary = "search_knowledge found eight passages about how the nightly backup is restored"

// turn writes a turn like the runtime.
func turn(ctx context.Context, s *postgres.Store, rowID int64, n int, step json.RawMessage) error {
	r, err := s.Receive(ctx, journal.Incoming{
		Session: rowID, ClientID: fmt.Sprint("m", n), Type: "str", Content: json.RawMessage(`"how is the backup restored?"`),
		Event: journal.EventRecord{Name: "receive_message_text", Info: "how is the backup restored?", Human: true},
	})
	if err != nil {
		return err
	}
	record := journal.TurnRecord{
		Session: rowID, Turn: r.Event.Turn, Handled: []int64{r.Event.ID}, State: "answer", EnteredAt: time.Now(),
		Transitions: []chat.Transition{{Source: "answer", Dest: "answer", Event: "receive_message_text"}},
	}
	for i := range reasoned {
		record.Entries = append(record.Entries, journal.Entry{
			Step: &chat.Reasoning{Kind: "reasoning_step", StepKind: "tool_result", Step: i, Summary: summary, Payload: step}, Answer: reasoned + 1,
		})
	}
	record.Entries = append(record.Entries, journal.Entry{Message: &agent.ChatMessage{Type: "str", Content: sessiontest.BenchContent}})
	_, err = s.CommitTurn(ctx, record)
	return err
}

// bafWriter writes rows like BAF.
type bafWriter struct {
	ctx  context.Context //nolint:containedctx // the benchmark's context
	conn *pgx.Conn
	row  int // the session's id
}

// bafTables are the tables of BAF that a turn writes, in their own schema.
const bafTables = `CREATE SCHEMA baf;
	CREATE TABLE baf.session (id serial PRIMARY KEY, agent_name varchar NOT NULL, session_id varchar NOT NULL, session_name varchar,
		username varchar, platform_name varchar NOT NULL, timestamp timestamp NOT NULL, variables varchar, UNIQUE (agent_name, session_id));
	CREATE TABLE baf.chat (id serial PRIMARY KEY, session_id int NOT NULL REFERENCES baf.session ON DELETE CASCADE, type varchar NOT NULL,
		content jsonb NOT NULL, is_user boolean NOT NULL, timestamp timestamp NOT NULL);
	CREATE TABLE baf.event (id serial PRIMARY KEY, session_id int REFERENCES baf.session ON DELETE CASCADE, event varchar NOT NULL,
		info varchar, timestamp timestamp NOT NULL);
	CREATE TABLE baf.transition (id serial PRIMARY KEY, session_id int NOT NULL REFERENCES baf.session ON DELETE CASCADE,
		source_state varchar NOT NULL, dest_state varchar NOT NULL, event varchar, condition varchar, timestamp timestamp NOT NULL);
	CREATE TABLE baf.reasoning_step (id serial PRIMARY KEY, session_id int NOT NULL REFERENCES baf.session ON DELETE CASCADE,
		chat_id int REFERENCES baf.chat ON DELETE SET NULL, kind varchar NOT NULL, step_kind varchar, step int, summary varchar,
		payload jsonb NOT NULL, timestamp timestamp NOT NULL);
	SET search_path = baf;
	INSERT INTO session (agent_name, session_id, platform_name, timestamp, variables) VALUES ('a', 'bench', 'WebSocketPlatform', now(), '{}')`

// The statements that insert rows.
const (
	bafChat  = `INSERT INTO chat (session_id, type, content, is_user, timestamp) VALUES ($1, $2, to_jsonb($3::text), $4, now())`
	bafEvent = `INSERT INTO event (session_id, event, info, timestamp) VALUES ($1, $2, $3, now())`
	bafMove  = `INSERT INTO transition (session_id, source_state, dest_state, event, condition, timestamp) VALUES ($1, $2, $3, $4, '', now())`
)

func newBAF(b *testing.B, url string) *bafWriter {
	b.Helper()
	w := &bafWriter{ctx: b.Context(), conn: connect(b, url, pgx.QueryExecModeSimpleProtocol)}
	if _, err := w.conn.Exec(w.ctx, bafTables); err != nil {
		b.Fatal(err)
	}
	return w
}

// turn writes a turn's rows in the order of BAF.
func (w *bafWriter) turn(step json.RawMessage) error {
	const (
		insertStep = `INSERT INTO reasoning_step (session_id, kind, step_kind, step, summary, payload, timestamp) VALUES ($1, $2, $3, $4, $5, $6, now())`
		link       = `UPDATE reasoning_step SET chat_id = (SELECT id FROM chat WHERE session_id = $1 ORDER BY timestamp DESC, id DESC LIMIT 1)
			WHERE session_id = $1 AND chat_id IS NULL`
	)
	if err := w.write("event", bafEvent, "receive_message_text", "how is the backup restored?"); err != nil {
		return err
	}
	if err := w.write("chat", bafChat, "str", "how is the backup restored?", true); err != nil {
		return err
	}
	if err := w.write("transition", bafMove, "answer", "answer", "receive_message_text"); err != nil {
		return err
	}
	for i := range reasoned {
		if err := w.write("reasoning_step", insertStep, "reasoning_step", "tool_result", i, summary, string(step)); err != nil {
			return err
		}
	}
	if err := w.write("chat", bafChat, "str", string(sessiontest.BenchContent), false); err != nil {
		return err
	}
	return w.write("reasoning_step", link)
}

// write runs one statement like BAF: in its own transaction, after the
// reflection of its table and of session, and after a query for the session.
func (w *bafWriter) write(table, sql string, args ...any) error {
	tx, err := w.conn.Begin(w.ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(w.ctx)
	for _, name := range []string{table, "session"} {
		if err := w.reflect(tx, name); err != nil {
			return err
		}
	}
	if err := tx.QueryRow(w.ctx, `SELECT id FROM session WHERE agent_name = $1 AND session_id = $2 AND platform_name = $3`, "a", "bench", "WebSocketPlatform").
		Scan(&w.row); err != nil {
		return err
	}
	if _, err := tx.Exec(w.ctx, sql, append([]any{w.row}, args...)...); err != nil {
		return err
	}
	return tx.Commit(w.ctx)
}

// reflection holds the catalog queries of SQLAlchemy for a table. The first two
// select by name, the others by oid.
var reflection = []string{
	`SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE pg_table_is_visible(c.oid) AND c.relname = $1`,
	`SELECT c.oid FROM pg_class c LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE pg_table_is_visible(c.oid) AND c.relname = $1 AND c.relkind IN ('r', 'v', 'm', 'f', 'p')`,
	// columns, with defaults and comments
	`SELECT a.attname, format_type(a.atttypid, a.atttypmod), (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d
			WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef), a.attnotnull, a.attnum, p.description, a.attgenerated
		FROM pg_attribute a LEFT JOIN pg_description p ON p.objoid = a.attrelid AND p.objsubid = a.attnum
		WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
	// domains
	`SELECT t.typname, format_type(t.typbasetype, t.typtypmod), NOT t.typnotnull, t.typdefault, pg_type_is_visible(t.oid), n.nspname
		FROM pg_type t LEFT JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype = 'd'`,
	// enums
	`SELECT t.typname, pg_type_is_visible(t.oid), n.nspname, e.enumlabel FROM pg_type t LEFT JOIN pg_namespace n ON n.oid = t.typnamespace
		LEFT JOIN pg_enum e ON t.oid = e.enumtypid WHERE t.typtype = 'e' ORDER BY n.nspname, t.typname, e.oid`,
	// the primary key's columns and name
	`SELECT a.attname FROM pg_attribute a JOIN (SELECT unnest(i.indkey) AS ord, i.indrelid FROM pg_index i WHERE i.indrelid = $1 AND i.indisprimary) k
		ON k.ord = a.attnum AND k.indrelid = a.attrelid WHERE a.attrelid = $1 ORDER BY k.ord`,
	`SELECT conname FROM pg_constraint WHERE conrelid = $1 AND contype = 'p' ORDER BY 1`,
	// foreign keys
	`SELECT r.conname, pg_get_constraintdef(r.oid, true), n.nspname FROM pg_constraint r, pg_namespace n, pg_class c
		WHERE r.conrelid = $1 AND r.contype = 'f' AND c.oid = r.confrelid AND n.oid = c.relnamespace ORDER BY 1`,
	// indexes
	`SELECT i.relname, ix.indisunique, a.attname, a.attnum, c.conrelid, ix.indkey::varchar, ix.indoption::varchar, i.reloptions, am.amname,
			pg_get_expr(ix.indpred, ix.indrelid), ix.indnkeyatts
		FROM pg_class t JOIN pg_index ix ON t.oid = ix.indrelid JOIN pg_class i ON i.oid = ix.indexrelid
			LEFT JOIN pg_attribute a ON t.oid = a.attrelid AND a.attnum = ANY(ix.indkey)
			LEFT JOIN pg_constraint c ON ix.indrelid = c.conrelid AND ix.indexrelid = c.conindid AND c.contype IN ('p', 'u', 'x')
			LEFT JOIN pg_am am ON i.relam = am.oid
		WHERE t.relkind IN ('r', 'v', 'f', 'm', 'p') AND t.oid = $1 AND NOT ix.indisprimary ORDER BY t.relname, i.relname`,
	// unique and check constraints
	`SELECT c.conname, a.attname FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey)
		WHERE c.conrelid = $1 AND c.contype = 'u'`,
	`SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = $1 AND contype = 'c'`,
	// the table's comment
	`SELECT description FROM pg_description WHERE objsubid = 0 AND objoid = $1`,
}

// reflect reads a table's description from the catalog.
func (w *bafWriter) reflect(tx pgx.Tx, table string) error {
	var oid uint32
	for i, sql := range reflection {
		args := []any{oid}
		switch {
		case i < 2:
			args[0] = table
		case i == 3 || i == 4: // these queries cover all tables
			args = nil
		}
		rows, err := tx.Query(w.ctx, sql, args...)
		if err != nil {
			return err
		}
		for rows.Next() {
			if i == 1 {
				if err := rows.Scan(&oid); err != nil {
					return err
				}
			}
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}
