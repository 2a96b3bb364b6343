package session_test

import (
	"context"
	"testing"
	"testing/synctest"

	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// deleter is a journal.Directory that can only delete.
type deleter struct {
	journal.Directory
	store *agenttest.Store
}

func (d deleter) DeleteSession(_ context.Context, key journal.SessionKey) error {
	if _, _, ok := d.store.Stored(key.ID); !ok {
		return fault.New(fault.NotFound, "no_session", "there is no such session")
	}
	d.store.Delete(key.ID)
	return nil
}

// leaver is a client that receives Gone.
type leaver struct {
	*client
	gone chan error
}

func (l leaver) Gone(err error) { l.gone <- err }

// Deleting a session stops its turn and tells its clients. The same id then opens a new session.
func TestDirectory(t *testing.T) { bubble(t, testDirectory) }

func testDirectory(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: held(nil), Store: store})
	l := leaver{newClient(t), make(chan error, 2)}
	sub, err := rt.Open(t.Context(), session.OpenRequest{ID: "S"}, l)
	if err != nil {
		t.Fatal(err)
	}
	l.Until(payload.ReplyStr)
	send(t, sub, "", "running")
	send(t, sub, "", "waiting")
	synctest.Wait()
	d := rt.Directory(deleter{store: store})
	key := journal.SessionKey{Agent: "echo", ID: "S"}
	if err := d.DeleteSession(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if len(l.gone) != 1 || rt.Sessions() != 0 {
		t.Errorf("told %d times, %d sessions in memory", len(l.gone), rt.Sessions())
	}
	if err := sub.Send(t.Context(), session.Message{Content: quoted("hi"), Human: true}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Send: %v", err)
	}
	sub.Close()
	if err := d.DeleteSession(t.Context(), key); fault.KindOf(err) != fault.NotFound {
		t.Errorf("again: %v", err)
	}
	if _, c, opened := open(t, rt, "S"); opened.Resumed || text(t, c.Until(payload.ReplyStr)) != "hello" {
		t.Errorf("opened %+v", opened)
	}
	synctest.Wait()
	if _, messages, _ := store.Stored("S"); len(messages) != 1 {
		t.Errorf("stored %+v", messages)
	}
}
