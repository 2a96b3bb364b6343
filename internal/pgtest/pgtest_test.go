package pgtest_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"docent/internal/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }

func TestDatabases(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for range 2 {
		conn, err := pgx.Connect(t.Context(), pgtest.URL(t))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		var id string
		var documents int
		err = conn.QueryRow(t.Context(), "SELECT database_id, (SELECT count(*) FROM document) FROM corpus").Scan(&id, &documents)
		if err != nil || documents != 0 {
			t.Fatalf("%d documents, %v", documents, err)
		}
		ids[id] = true
		if _, err := conn.Exec(t.Context(), "INSERT INTO collection (name) VALUES ('mine')"); err != nil {
			t.Fatal(err)
		}
	}
	if len(ids) != 2 {
		t.Error("two databases have one name")
	}
}

// TestTemplate checks that clones have the data of their template, and their own id.
func TestTemplate(t *testing.T) {
	t.Parallel()
	open := func(url string) *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	template, err := pgtest.Template(t.Context(), "", func(url string) error {
		conn := open(url)
		defer conn.Close(t.Context())
		_, err := conn.Exec(t.Context(), "INSERT INTO collection (name) VALUES ('filled')")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for range 2 {
		conn := open(pgtest.Clone(t, template))
		defer conn.Close(t.Context())
		var id string
		if err := conn.QueryRow(t.Context(), "SELECT database_id FROM corpus, collection WHERE name = 'filled'").Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids[id] = true
		if _, err := conn.Exec(t.Context(), "DELETE FROM collection"); err != nil {
			t.Fatal(err)
		}
	}
	if len(ids) != 2 {
		t.Error("two clones have one id")
	}
}
