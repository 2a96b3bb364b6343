package archive_test

import (
	"testing"

	"docent/ingest/extract/extracttest"
)

// TestNotionExport: a view of a database is not read beside the database itself.
func TestNotionExport(t *testing.T) {
	t.Parallel()
	const id = " 0123456789abcdef0123456789abcdef"
	export := map[string]string{"Team/People" + id + ".csv": "a", "Team/People" + id + "_all.csv": "b", "Team" + id + ".md": "c", "Team/Other" + id + ".csv": "d"}
	got, err := list(t, "a.zip", extracttest.Pack(t, export))
	want, _ := list(t, "a.zip", extracttest.Pack(t, map[string]string{
		"Team/People" + id + "_all.csv": "b", "Team" + id + ".md": "c", "Team/Other" + id + ".csv": "d",
	}))
	if err != nil || got != want || got == "" {
		t.Errorf("got %q, want %q, %v", got, want, err)
	}
	other := map[string]string{"sales.csv": "a", "sales_all.csv": "b"}
	if got, err := list(t, "a.zip", extracttest.Pack(t, other)); err != nil || got != "sales.csv=a sales_all.csv=b" {
		t.Errorf("of another program: %q, %v", got, err)
	}
}
