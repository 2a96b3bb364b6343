package storetest

import (
	"fmt"
	"sync"
	"testing"

	"docent/auth"
	"docent/internal/fault"
)

// authUserTokens: users have tokens of their own, and no others'.
func authUserTokens(t *testing.T, db Database) {
	k, ctx := keys(t, db.Open(t)), t.Context()
	for _, name := range []string{"ann", "bob"} {
		ok(t, k.AddUser(ctx, auth.UserRecord{Name: name, Password: "p", Scopes: auth.Scopes{auth.Ask}}))
	}
	add := func(k auth.Store, name, user string) error {
		return k.AddToken(ctx, auth.TokenRecord{Name: name, Hash: hash(name), Scopes: auth.Scopes{auth.Ask}, User: user, CreatedAt: anHour(0), ExpiresAt: anHour(1)})
	}
	of := func(user string) []auth.TokenRecord {
		all, err := k.UserTokens(ctx, user)
		ok(t, err)
		return all
	}
	for _, name := range []string{"b", "B"} {
		ok(t, add(k, name, "ann"))
	}
	ok(t, add(k, "a", "bob"))
	ok(t, add(k, "own", ""))
	ann := of("ann")
	want(t, "by bytes", []string{ann[0].Name, ann[1].Name}, []string{"B", "b"})
	got, err := k.Token(ctx, hash("B"))
	ok(t, err)
	want(t, "as it is", ann[0], got)
	want(t, "nobody's", len(of("eve")), 0)
	want(t, "no user's", len(of("")), 0)

	own, err := k.Token(ctx, hash("own"))
	ok(t, err)
	for user, id := range map[string]int64{"bob": ann[0].ID, "eve": ann[0].ID, "": own.ID, "ann": 999} {
		wantKind(t, "removed by "+user, k.RemoveUserToken(ctx, user, id), fault.NotFound)
	}
	ok(t, k.RemoveUserToken(ctx, "ann", ann[0].ID))
	wantKind(t, "removed twice", k.RemoveUserToken(ctx, "ann", ann[0].ID), fault.NotFound)
	want(t, "left", tokenNames(t, k), []string{"a", "b", "own"})

	// Of many at once no more are made than a user may have.
	other := keys(t, db.Open(t))
	var all sync.WaitGroup
	failed := make([]error, auth.MaxUserTokens+5)
	for i := range failed {
		all.Go(func() { failed[i] = add([]auth.Store{k, other}[i%2], fmt.Sprint("t", i), "ann") })
	}
	all.Wait()
	refused := 0
	for _, err := range failed {
		if err != nil {
			wantKind(t, "too many", err, fault.Conflict)
			refused++
		}
	}
	want(t, "refused and left", []int{refused, len(of("ann"))}, []int{6, auth.MaxUserTokens})
	ok(t, add(k, "another's", "bob"))
}
