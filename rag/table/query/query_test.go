package query

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/rag/table"
)

const stock = `Item | Price (EUR) | Stock | Since | Maker
Bolt | 1.50 | 300 | 2024-03-01 | Ebner
Nut | 0.70 | 900 | 2025-11-30 | Ebner
Anchor | 48.50 | - | 2023-01-09 | Farrow
Total | | 1200`

func tables(t *testing.T) []Table {
	t.Helper()
	all := table.Parse(stock, "en")
	if len(all) != 1 {
		t.Fatalf("%d tables", len(all))
	}
	return []Table{{Name: "t1_1", Table: &all[0], Passages: []int{1, 1, 2, 2}}}
}

func TestRun(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`SELECT Item, passage FROM t1_1 WHERE "Price (EUR)" > 1 ORDER BY "Price (EUR)" DESC`:         "[Item passage] [[Anchor 2] [Bolt 1]]",
		`select sum(Stock), count(*) from t1_1;`:                                                     "[sum(Stock) count(*)] [[1200 3]]",
		`WITH e AS (SELECT * FROM t1_1 WHERE Maker = 'Ebner') SELECT avg("Price (EUR)") AS a FROM e`: "[a] [[1.1]]",
		`SELECT max(Since) AS m FROM t1_1 WHERE Item <> 'drop; table'`:                               "[m] [[2025-11-30]]",
		`SELECT Item FROM t1_1 WHERE Stock IS NULL`:                                                  "[Item] [[Anchor]]",
	} {
		got, err := Run(t.Context(), tables(t), query)
		if s := fmt.Sprint(got.Columns, " ", got.Rows); err != nil || strings.Join(strings.Fields(s), " ") != want {
			t.Errorf("%s: got %s, %v, want %s", query, s, err, want)
		}
	}
}

// TestRunRefuses refuses everything but a bounded SELECT.
func TestRunRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.db")
	for _, query := range []string{
		"", "DELETE FROM t1_1", "SELECT 1; DELETE FROM t1_1", "PRAGMA query_only = 0", "ATTACH '" + file + "' AS x",
		"SELECT * FROM pragma_database_list", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n",
		"WITH x AS (SELECT 1) INSERT INTO t1_1 SELECT 1", "SELECT * FROM none", "SELECT zeroblob(2000000)", "SELECT",
		"VACUUM INTO '" + file + "'",
		"SELECT '" + strings.Repeat("x", MaxSQL) + "'", "SELECT load_extension('x')", "SELECT 1 /* */ ; ATTACH '" + file + "' AS x",
	} {
		if _, err := Run(t.Context(), tables(t), query); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.80s: got %v", query, err)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a query made a file")
	}
}

// TestRunBounds cuts long results, and refuses large tables.
func TestRunBounds(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("Item | Count")
	for i := range 300 {
		fmt.Fprintf(&b, "\nitem %d x | %d", i, i)
	}
	all := table.Parse(b.String(), "en")
	one := Table{Name: "t1_1", Table: &all[0], Passages: make([]int, len(all[0].Rows))}
	got, err := Run(t.Context(), []Table{one}, "SELECT * FROM t1_1")
	if err != nil || len(got.Rows) != MaxRows || !got.Cut {
		t.Errorf("got %d rows, cut %t, %v", len(got.Rows), got.Cut, err)
	}
	if _, err := Run(t.Context(), make9(one), "SELECT 1"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("nine tables: %v", err)
	}
}

func make9(t Table) []Table {
	var out []Table
	for range MaxTables + 1 {
		out = append(out, t)
	}
	return out
}
