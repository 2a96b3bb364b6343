// Package audittest is the test suite for audit.Store. Each store must pass it.
package audittest

import (
	"fmt"
	"strings"
	"testing"

	"docent/auth/audit"
)

// Run runs the suite. open makes an empty store. fill adds a record with a high id, so that
// the limit can be tested with few records.
func Run(t *testing.T, open func(t *testing.T) (store audit.Store, fill func(id int64))) {
	t.Run("Order", func(t *testing.T) {
		t.Parallel()
		store, _ := open(t)
		testOrder(t, store)
	})
	t.Run("Limit", func(t *testing.T) {
		t.Parallel()
		store, fill := open(t)
		testLimit(t, store, fill)
	})
}

func add(t *testing.T, s audit.Store, object string) audit.Record {
	t.Helper()
	in := audit.Record{Actor: "user:ann", Address: "10.0.0.1", Action: audit.ConversationRead, Object: object}
	out, err := s.AddRecord(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if in.ID, in.Time = out.ID, out.Time; in != out || out.ID == 0 || out.Time.IsZero() {
		t.Errorf("stored %+v as %+v", in, out)
	}
	return out
}

// objects returns the objects of the records before an id.
func objects(t *testing.T, s audit.Store, before int64, limit int) string {
	t.Helper()
	all, err := s.Records(t.Context(), before, limit)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range all {
		out = append(out, r.Object)
	}
	return strings.Join(out, " ")
}

func testOrder(t *testing.T, s audit.Store) {
	t.Helper()
	var last audit.Record
	for i := range 5 {
		last = add(t, s, fmt.Sprint(i))
	}
	if got := objects(t, s, 0, 3); got != "4 3 2" {
		t.Errorf("the newest are %s", got)
	}
	if got := objects(t, s, last.ID-2, 3); got != "1 0" {
		t.Errorf("before are %s", got)
	}
	all, err := s.Records(t.Context(), 0, 1)
	if err != nil || len(all) != 1 || !all[0].Time.Equal(last.Time) || all[0].ID != last.ID ||
		all[0].Actor != last.Actor || all[0].Address != last.Address || all[0].Action != last.Action {
		t.Errorf("read %+v, %v, want %+v", all, err, last)
	}
	if _, err := s.AddRecord(t.Context(), audit.Record{Object: "a\x00b\xff"}); err != nil {
		t.Error(err)
	}
}

func testLimit(t *testing.T, s audit.Store, fill func(id int64)) {
	t.Helper()
	first := add(t, s, "first").ID
	add(t, s, "second")
	fill(first + audit.MaxRecords - 1)
	if got := objects(t, s, 0, 10); got != "filled second first" {
		t.Errorf("before the limit: %s", got)
	}
	add(t, s, "last")
	if got := objects(t, s, 0, 10); got != "last filled second" {
		t.Errorf("after the limit: %s", got)
	}
}
