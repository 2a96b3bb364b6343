package sessiontest

import (
	"strings"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/storetest"
)

var shareTests = map[string]func(*testing.T, Database){
	"List":   shareList,
	"Delete": shareDelete,
}

func shareList(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	session := open(t, s, "x")
	at := time.Date(2026, 2, 3, 4, 5, 6, 789000, time.UTC)
	first := journal.Share{
		ID: "one", Session: session.RowID, Key: session.Key, Owner: "user:ann", Name: "About 'boats'", Turn: 3, Seq: 7,
		Only: true, Files: true, Public: true, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
	}
	second := journal.Share{ID: "two", Session: session.RowID, Key: session.Key, Owner: "user:ann", Turn: 1, Seq: 2}
	second.CreatedAt = at.Add(time.Second)
	third := journal.Share{ID: "three", Session: session.RowID, Key: session.Key, Owner: "user:bob", Turn: 1, Seq: 2, CreatedAt: at}
	for _, share := range []journal.Share{first, second, third} {
		storetest.OK(t, s.Shares.AddShare(ctx, share))
	}
	got, err := s.Shares.Share(ctx, "one")
	storetest.OK(t, err)
	storetest.Want(t, "a share", got, first)
	all, err := s.Shares.Shares(ctx, "user:ann")
	storetest.OK(t, err)
	storetest.Want(t, "shares", all, []journal.Share{second, first})
	none, err := s.Shares.Shares(ctx, "user:eve")
	storetest.OK(t, err)
	storetest.Want(t, "another's shares", len(none), 0)
	storetest.WantKind(t, "no session", s.Shares.AddShare(ctx, journal.Share{ID: "four", Session: 999, CreatedAt: at}), fault.NotFound)
	_, err = s.Shares.Share(ctx, strings.Repeat("x\x00", 9))
	storetest.WantKind(t, "no share", err, fault.NotFound)
}

func shareDelete(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	session := open(t, s, "x")
	for _, id := range []string{"one", "two"} {
		storetest.OK(t, s.Shares.AddShare(ctx, journal.Share{ID: id, Session: session.RowID, Owner: "user:ann", CreatedAt: time.Unix(1, 0)}))
	}
	storetest.WantKind(t, "another's share", s.Shares.RemoveShare(ctx, "user:bob", "one"), fault.NotFound)
	storetest.OK(t, s.Shares.RemoveShare(ctx, "user:ann", "one"))
	storetest.WantKind(t, "a share that is gone", s.Shares.RemoveShare(ctx, "user:ann", "one"), fault.NotFound)
	storetest.Want(t, "rows", db.Count(t, "share"), 1)
	storetest.OK(t, s.Directory.DeleteSession(ctx, session.Key))
	storetest.Want(t, "rows without the session", db.Count(t, "share"), 0)
}
