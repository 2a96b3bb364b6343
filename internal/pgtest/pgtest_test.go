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
