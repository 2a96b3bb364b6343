package backup_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"
	_ "modernc.org/sqlite"

	"docent/backup"
	"docent/internal/fault"
	"docent/internal/pgtest"
	"docent/internal/sqlitetest"
	"docent/store/postgres"
	"docent/store/sqlite"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m).Run()) }

func openPostgres(t *testing.T) backup.Database {
	t.Helper()
	s, err := postgres.Open(t.Context(), postgres.Config{URL: pgtest.URL(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openSQLite(t *testing.T) backup.Database {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: sqlitetest.Path(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// stores are the two kinds of databases.
var stores = map[string]func(*testing.T) backup.Database{"postgres": openPostgres, "sqlite": openSQLite}

// notCopied are the tables that a backup leaves out.
var notCopied = []string{"corpus", "replica", "job_lease", "snapshot", "goose_db_version", "sqlite_sequence"}

// listed returns the columns of each table in Tables.
func listed() map[string][]string {
	out := map[string][]string{}
	for _, t := range backup.Tables {
		out[t.Name] = t.Names()
	}
	return out
}

// TestTablesPostgres: Tables has every table and column of the schema, with its type.
func TestTablesPostgres(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	rows, err := conn.Query(t.Context(), `SELECT c.table_name, c.column_name, c.udt_name FROM information_schema.columns c
		JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE table_schema = 'public' AND t.table_type = 'BASE TABLE' ORDER BY c.table_name, c.ordinal_position`)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]backup.Type{
		"int2": backup.Int, "int4": backup.Int, "int8": backup.Int, "float8": backup.Float, "bool": backup.Bool, "text": backup.Text,
		"bytea": backup.Bytes, "timestamptz": backup.Time, "jsonb": backup.JSON, "_text": backup.Texts,
	}
	got := map[string][]backup.Column{}
	var table, column, kind string
	if _, err := pgx.ForEachRow(rows, []any{&table, &column, &kind}, func() error {
		if !slices.Contains(notCopied, table) {
			got[table] = append(got[table], backup.Column{Name: column, Type: types[kind]})
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range backup.Tables {
		if !reflect.DeepEqual(got[want.Name], want.Columns) {
			t.Errorf("the table %s has the columns %v, Tables has %v", want.Name, got[want.Name], want.Columns)
		}
		delete(got, want.Name)
	}
	if len(got) > 0 {
		t.Errorf("Tables lacks %v", slices.Collect(maps.Keys(got)))
	}
}

// TestTablesSQLite: Tables has every table and column of the schema.
func TestTablesSQLite(t *testing.T) {
	t.Parallel()
	path := sqlitetest.Path(t)
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	rows, err := db.QueryContext(t.Context(), `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	got := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(notCopied, table) {
			got[table] = append(got[table], column)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	want := listed()
	for name := range want {
		slices.Sort(got[name]) // later migrations add columns at other places
		slices.Sort(want[name])
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("the schema is %v,\nTables is %v", got, want)
	}
}

// fixed are values that constraints demand.
var fixed = map[string]any{
	"collection_right.level": int64(3), "document.status": "ready", "source_item.status": "failed", "document.blob_sha256": "t1", "chunk_enrichment.key": "t1", "enrichment.key": "t1", "blob.sha256": "t1",
}

// sample returns a row of a table. The columns named ...id have the number n, so that
// rows refer to each other.
func sample(t backup.Table, n int64) []any {
	row := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		switch {
		case fixed[t.Name+"."+c.Name] != nil:
			row[i] = fixed[t.Name+"."+c.Name]
			if row[i] == "t1" {
				row[i] = fmt.Sprintf("t%d", n)
			}
		case c.Type == backup.Int:
			row[i] = n
		case c.Type == backup.Float:
			row[i] = math.Pi * float64(n)
		case c.Type == backup.Bool:
			row[i] = n == 1
		case c.Type == backup.Time:
			row[i] = 1_700_000_000_123_456 * n
		case c.Type == backup.Bytes:
			row[i] = []byte{0, 255, '\n', byte(n)}
		case c.Type == backup.JSON:
			row[i] = []string{"", `{"a": [1, null, "é<&>\n"]}`, `null`}[n]
		case c.Type == backup.Texts:
			row[i] = []string{"", `["a","b \"é\""]`, `[]`}[n]
		default:
			row[i] = []string{"", "line\n\"é\" <b> \u2028 \t", ""}[n]
			if c.Name == "name" || c.Name == "key" || c.Name == "member" || c.Name == "username" || c.Name == "source" {
				row[i] = fmt.Sprintf("name %d", n) // some are unique
			}
		}
	}
	return row
}

// nullable are columns that may have no value.
var nullable = []string{
	"api_token.expires_at", "chunk.page", "document.blob_sha256", "event.data", "event.origin", "event.chat_id", "feedback.rating",
	"session.entered_at", "session.session_name", "source.secret", "source.lease_until",
}

// samples returns two rows of each table. The second one lacks what may be missing.
func samples() map[string][][]any {
	out := map[string][][]any{}
	for _, t := range backup.Tables {
		second := sample(t, 2)
		for i, c := range t.Columns {
			if slices.Contains(nullable, t.Name+"."+c.Name) {
				second[i] = nil
			}
		}
		out[t.Name] = [][]any{sample(t, 1), second}
	}
	return out
}

// fill fills a database with rows.
func fill(t *testing.T, db backup.Database, rows map[string][][]any) {
	t.Helper()
	err := db.FillTables(t.Context(), func(f backup.Filler) error {
		for _, table := range backup.Tables {
			left := rows[table.Name]
			err := f.Fill(t.Context(), table, func() ([]any, error) {
				if len(left) == 0 {
					return nil, nil
				}
				row := slices.Clone(left[0])
				left = left[1:]
				return row, nil
			})
			if err != nil {
				return fmt.Errorf("%s: %w", table.Name, err)
			}
			if table.Numbered() {
				if err := f.SetLast(t.Context(), table, 70); err != nil {
					return err
				}
			}
		}
		return f.SetRevision(t.Context(), 9)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// written returns a backup and its lines without the header and the checksum.
func written(t *testing.T, db backup.Database) (packed []byte, lines []string) {
	t.Helper()
	var out bytes.Buffer
	rows, err := backup.Write(t.Context(), &out, db, backup.Header{Schema: 3, Program: "test", Database: "any"}, func(backup.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	r, err := zstd.NewReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var plain bytes.Buffer
	if _, err := plain.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(strings.TrimSpace(plain.String()), "\n")
	if want := len(lines) - 2 - 2*len(backup.Tables); rows != int64(want) {
		t.Errorf("%d rows are reported, and %d written", rows, want)
	}
	return out.Bytes(), lines[1 : len(lines)-1]
}

// TestRoundTrip: a backup of each database fills each database, and a backup of that is the
// same. All tables have rows.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for from, openFrom := range stores {
		for to, openTo := range stores {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				source, target := openFrom(t), openTo(t)
				fill(t, source, samples())
				packed, want := written(t, source)
				header, rows, err := backup.Restore(t.Context(), bytes.NewReader(packed), target, 3, 1<<20, func(backup.Progress) {})
				if err != nil || rows != int64(2*len(backup.Tables)) || header.Revision != 9 || header.Program != "test" {
					t.Fatalf("restored %d rows, %+v: %v", rows, header, err)
				}
				_, got := written(t, target)
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					for _, line := range got {
						if !slices.Contains(want, line) {
							t.Errorf("the copy has %s", line)
						}
					}
					for _, line := range want {
						if !slices.Contains(got, line) {
							t.Errorf("the copy lacks %s", line)
						}
					}
				}
				if !strings.Contains(strings.Join(got, "\n"), `"last":70`) {
					t.Error("the last ids are not kept")
				}
				_, _, err = backup.Restore(t.Context(), bytes.NewReader(packed), target, 3, 1<<20, func(backup.Progress) {})
				if fault.KindOf(err) != fault.Conflict {
					t.Errorf("restored over data: %v", err)
				}
			})
		}
	}
}

// TestInfiniteTime: a model whose lease nobody ever had is in the backup.
func TestInfiniteTime(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	source, err := postgres.Open(t.Context(), postgres.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { source.Close() })
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	if _, err := conn.Exec(t.Context(), `INSERT INTO encoder (model, revision) VALUES ('m', 3)`); err != nil {
		t.Fatal(err)
	}
	packed, _ := written(t, source)
	for to, open := range stores {
		_, rows, err := backup.Restore(t.Context(), bytes.NewReader(packed), open(t), 3, 1<<20, func(backup.Progress) {})
		if err != nil || rows < 1 {
			t.Errorf("restored %d rows to %s: %v", rows, to, err)
		}
	}
}

// TestDamaged: a damaged, incomplete, or foreign backup is refused, and the database stays
// empty.
func TestDamaged(t *testing.T) {
	t.Parallel()
	source := openSQLite(t)
	fill(t, source, samples())
	whole, _ := written(t, source)
	plain := unpack(t, whole)
	flipped := bytes.Replace(plain, []byte("name 1"), []byte("name 3"), 1)
	late := bytes.Replace(plain, []byte(`{"rows":2}`), []byte(`{"rows":3}`), 1)
	for name, test := range map[string]struct {
		data []byte
		id   string
	}{
		"empty":       {nil, "backup_damaged"},
		"foreign":     {[]byte("PK\x03\x04 not a backup"), "backup_damaged"},
		"cut":         {whole[:len(whole)/2], "backup_damaged"},
		"cut at line": {pack(t, plain[:bytes.LastIndex(plain[:len(plain)-1], []byte("\n"))+1]), "backup_damaged"},
		"changed":     {pack(t, flipped), "backup_damaged"},
		"count":       {pack(t, late), "backup_damaged"},
		"row":         {pack(t, bytes.Replace(plain, []byte(`[1,"name 1"`), []byte(`[1`), 1)), "backup_damaged"},
		"type":        {pack(t, bytes.Replace(plain, []byte(`[1,"name 1"`), []byte(`["x","name 1"`), 1)), "backup_damaged"},
		"long header": {pack(t, bytes.Repeat([]byte("["), 3<<20)), "backup_line_long"},
		"newer":       {pack(t, bytes.Replace(plain, []byte(`"docent_backup":1`), []byte(`"docent_backup":2`), 1)), "backup_version"},
		"schema":      {pack(t, bytes.Replace(plain, []byte(`"schema":3`), []byte(`"schema":4`), 1)), "backup_schema"},
	} {
		for kind, open := range stores {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				db := open(t)
				_, _, err := backup.Restore(t.Context(), bytes.NewReader(test.data), db, 3, 1<<20, func(backup.Progress) {})
				if fault.TextOf(err).ID != test.id {
					t.Errorf("got %v, want %s", err, test.id)
				}
				if _, _, err := backup.Restore(t.Context(), bytes.NewReader(whole), db, 3, 1<<20, func(backup.Progress) {}); err != nil {
					t.Errorf("the database is not empty afterwards: %v", err)
				}
			})
		}
	}
}

func unpack(t *testing.T, packed []byte) []byte {
	t.Helper()
	r, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func pack(t *testing.T, plain []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestCanceled: a canceled restore changes nothing.
func TestCanceled(t *testing.T) {
	t.Parallel()
	source := openSQLite(t)
	fill(t, source, samples())
	whole, _ := written(t, source)
	for kind, open := range stores {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			ctx, cancel := context.WithCancel(t.Context())
			_, _, err := backup.Restore(ctx, bytes.NewReader(whole), db, 3, 1<<20, func(p backup.Progress) {
				if p.Table == "event" {
					cancel()
				}
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if _, _, err := backup.Restore(t.Context(), bytes.NewReader(whole), db, 3, 1<<20, func(backup.Progress) {}); err != nil {
				t.Errorf("the database is not empty afterwards: %v", err)
			}
		})
	}
}

// TestFile: a file is private and checked, encrypted files need their passphrase, and a
// failure leaves the earlier file.
func TestFile(t *testing.T) {
	t.Parallel()
	db := openSQLite(t)
	fill(t, db, samples())
	dir := t.TempDir()
	plain, secret := filepath.Join(dir, "plain"), filepath.Join(dir, "secret")
	for file, passphrase := range map[string]string{plain: "", secret: "correct horse"} {
		rows, err := backup.Create(t.Context(), file, passphrase, db, backup.Header{Schema: 3}, 1<<20, func(backup.Progress) {})
		info, failed := os.Stat(file)
		if err != nil || failed != nil || rows == 0 || info.Mode().Perm() != 0o600 {
			t.Fatalf("%s: %d rows, %v, %v, %v", file, rows, info, err, failed)
		}
		in, err := backup.Open(file, passphrase)
		if err != nil {
			t.Fatal(err)
		}
		if _, got, err := backup.Verify(t.Context(), in, 1<<20, func(backup.Progress) {}); got != rows || err != nil {
			t.Errorf("%s: %d of %d rows: %v", file, got, rows, err)
		}
		in.Close()
	}
	data, err := os.ReadFile(secret)
	if err != nil || bytes.Contains(data, []byte("docent_backup")) {
		t.Errorf("the file is not encrypted: %v", err)
	}
	for passphrase, want := range map[string]string{"": "backup_encrypted", "wrong": "backup_passphrase"} {
		if _, err := backup.Open(secret, passphrase); fault.TextOf(err).ID != want {
			t.Errorf("passphrase %q: %v, want %s", passphrase, err, want)
		}
	}
	if _, err := backup.Open(plain, "correct horse"); fault.TextOf(err).ID != "backup_not_encrypted" {
		t.Errorf("a passphrase for a plain backup: %v", err)
	}
	left, other := filepath.Join(dir, ".plain-123"), filepath.Join(dir, ".plain-other-123")
	if err := errors.Join(os.WriteFile(left, nil, 0o600), os.WriteFile(other, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := backup.Create(ctx, plain, "", db, backup.Header{}, 1<<20, func(backup.Progress) {}); err == nil {
		t.Error("a canceled backup succeeded")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 || entries[0].Name() != ".plain-other-123" {
		t.Errorf("left: %v, %v", entries, err)
	}
	if in, err := backup.Open(plain, ""); err != nil {
		t.Errorf("the earlier file is lost: %v", err)
	} else {
		in.Close()
	}
}
