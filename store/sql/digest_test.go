package sql_test

import (
	"testing"
	"time"

	"docent/insight/digest"
	"docent/internal/fault"
	"docent/internal/storetest"
)

func TestDigests(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := time.Now().UTC().Truncate(time.Second)
		keep := func(d digest.Sent, before time.Time) {
			t.Helper()
			storetest.OK(t, w.digests.KeepDigest(t.Context(), d, before))
		}
		failed := digest.Sent{
			Recipient: "b@example.com", Due: at, At: at, Attempts: 2, Problem: fault.NewText("digest_refused", "the mail server did not take the digest: %s", "550"),
		}
		keep(failed, at)
		keep(digest.Sent{Recipient: "a@example.com", Due: at, At: at.Add(-time.Hour), Attempts: 1}, at.Add(-2*time.Hour))
		all, err := w.digests.Digests(t.Context())
		storetest.OK(t, err)
		if len(all) != 2 || all[0].Recipient != "a@example.com" || all[1] != failed {
			t.Errorf("the attempts are %+v", all)
		}
		sent := digest.Sent{Recipient: "b@example.com", Due: at.Add(time.Hour), At: at.Add(time.Hour), Attempts: 1}
		keep(sent, at) // a is old
		if all, err = w.digests.Digests(t.Context()); err != nil || len(all) != 1 || all[0] != sent {
			t.Errorf("later, the attempts are %+v, %v", all, err)
		}
	})
}
