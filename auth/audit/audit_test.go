package audit_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/auth/audit"
)

// records is a store that fails with err, and notes the times of expirations.
type records struct {
	audit.Store
	err     error
	expired bool
	before  []time.Time
}

func (r *records) AddRecord(_ context.Context, record audit.Record) (audit.Record, error) {
	record.ID = 7
	return record, r.err
}

func (r *records) ExpireRecords(_ context.Context, before time.Time) (audit.Record, bool, error) {
	r.before = append(r.before, before)
	return audit.Record{ID: 8, Action: audit.LogExpired, Actor: audit.Server, Object: "3"}, r.expired, r.err
}

// log returns the log of a store, and a buffer that gets its lines for the log of the program.
func log(store audit.Store) (*audit.Log, *bytes.Buffer) {
	var out bytes.Buffer
	return audit.NewLog(store, slog.New(slog.NewTextHandler(&out, nil))), &out
}

// TestAdd checks that a record is in the log of the program once it is stored, and not before.
func TestAdd(t *testing.T) {
	t.Parallel()
	record := audit.Record{Actor: "user:ann", Address: "192.0.2.1", Action: audit.ConversationRead, Object: "s1"}
	l, out := log(&records{})
	if err := l.Add(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	if want := "msg=audit id=7 action=conversation.read actor=user:ann remote=192.0.2.1 object=s1\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("the log is %q, want %q", out, want)
	}
	lost := errors.New("no disk")
	l, out = log(&records{err: lost})
	if err := l.Add(t.Context(), record); !errors.Is(err, lost) || !strings.Contains(err.Error(), `conversation.read of "s1"`) {
		t.Errorf("error %v", err)
	}
	if out.Len() > 0 {
		t.Errorf("an act that is not stored is logged: %s", out)
	}
}

// TestExpire checks that whole days in UTC expire, and that only a removal is logged.
func TestExpire(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 10, 1, 30, 0, 0, time.FixedZone("", 3*60*60)) // 22:30 on the day before, in UTC
	for _, expired := range []bool{false, true} {
		store := &records{expired: expired}
		l, out := log(store)
		if err := l.Expire(t.Context(), now, 48*time.Hour); err != nil {
			t.Fatal(err)
		}
		if want := time.Date(2027, 3, 7, 0, 0, 0, 0, time.UTC); len(store.before) != 1 || !store.before[0].Equal(want) {
			t.Errorf("records before %v expire, want %v", store.before, want)
		}
		if strings.Contains(out.String(), "action=log.expired actor=server") != expired {
			t.Errorf("expired %v, the log is %q", expired, out)
		}
	}
}

// TestKeep checks that records expire every hour, also after a failure, until the context ends.
func TestKeep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &records{err: errors.New("no disk")}
		l, out := log(store)
		if err := l.Keep(t.Context(), 0); err != nil || len(store.before) > 0 {
			t.Errorf("without a time to keep records: %v, %v", err, store.before)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Minute)
		defer cancel()
		if err := l.Keep(ctx, 24*time.Hour); err != nil {
			t.Error(err)
		}
		if n := len(store.before); n != 3 || strings.Count(out.String(), "no disk") != 3 {
			t.Errorf("%d expirations in 150 minutes, and the log is %s", n, out)
		}
	})
}
