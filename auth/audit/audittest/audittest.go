// Package audittest is the test suite for audit.Store. Each store must pass it.
package audittest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/auth/audit"
)

// Run runs the suite. open makes an empty store. fill adds a record with a high id, so that
// the limit can be tested with few records.
func Run(t *testing.T, open func(t *testing.T) (store audit.Store, fill func(id int64))) {
	for name, test := range map[string]func(*testing.T, audit.Store, func(id int64)){
		"Order":            func(t *testing.T, s audit.Store, _ func(int64)) { testOrder(t, s) },
		"Limit":            testLimit,
		"Filter":           func(t *testing.T, s audit.Store, _ func(int64)) { testFilter(t, s) },
		"Expire":           func(t *testing.T, s audit.Store, _ func(int64)) { testExpire(t, s) },
		"ConcurrentExpire": func(t *testing.T, s audit.Store, _ func(int64)) { testConcurrentExpire(t, s) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, fill := open(t)
			test(t, store, fill)
		})
	}
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
	return selected(t, s, audit.Query{Before: before, Limit: limit})
}

// selected returns the objects of the records of a query.
func selected(t *testing.T, s audit.Store, q audit.Query) string {
	t.Helper()
	all, err := s.Records(t.Context(), q)
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
	all, err := s.Records(t.Context(), audit.Query{Limit: 1})
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

func testFilter(t *testing.T, s audit.Store) {
	t.Helper()
	var all []audit.Record
	for i, r := range []audit.Record{
		{Actor: "user:ann", Action: audit.TokenCreated},
		{Actor: "user:Ben_1", Action: audit.TokenRevoked},
		{Actor: "operator", Action: audit.ConversationsDeleted},
		{Actor: "user:ben", Action: audit.ConversationRead},
	} {
		r.Object = fmt.Sprint(i)
		r, err := s.AddRecord(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	for name, want := range map[string]struct {
		query audit.Query
		found string
	}{
		"part of an actor":  {audit.Query{Actor: "BEN"}, "3 1"},
		"special character": {audit.Query{Actor: "n_"}, "1"},
		"kind":              {audit.Query{Actions: []string{"conversation"}}, "3"},
		"action and kind":   {audit.Query{Actions: []string{"conversation", "token.created"}}, "3 0"},
		"pattern":           {audit.Query{Actions: []string{"tok%"}}, ""},
		"before":            {audit.Query{Actor: "user:", Before: all[3].ID}, "1 0"},
		"since":             {audit.Query{Since: all[0].Time}, "3 2 1 0"},
		"since later":       {audit.Query{Since: all[3].Time.Add(time.Second)}, ""},
		"until":             {audit.Query{Until: all[0].Time}, ""},
	} {
		want.query.Limit = 10
		if got := selected(t, s, want.query); got != want.found {
			t.Errorf("%s: found %q, want %q", name, got, want.found)
		}
	}
}

func testExpire(t *testing.T, s audit.Store) {
	t.Helper()
	add(t, s, "first")
	last := add(t, s, "last")
	if r, expired, err := s.ExpireRecords(t.Context(), last.Time.Add(-time.Hour)); expired || err != nil {
		t.Errorf("without old records: %+v, %v, %v", r, expired, err)
	}
	r, expired, err := s.ExpireRecords(t.Context(), last.Time.Add(time.Microsecond))
	if !expired || err != nil || r.Action != audit.LogExpired || r.Actor != audit.Server || r.Object != "2" {
		t.Errorf("removed as %+v, %v, %v", r, expired, err)
	}
	if got := objects(t, s, 0, 10); got != "2" {
		t.Errorf("kept %q, want the record of the removal", got)
	}
}

// testConcurrentExpire expires the same records several times at once, as replicas do.
func testConcurrentExpire(t *testing.T, s audit.Store) {
	t.Helper()
	add(t, s, "first")
	before := add(t, s, "last").Time.Add(time.Microsecond)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, _, err := s.ExpireRecords(t.Context(), before); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := objects(t, s, 0, 10); got != "2" {
		t.Errorf("kept %q, want one record of the removal of 2", got)
	}
}
