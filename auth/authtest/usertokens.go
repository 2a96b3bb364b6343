package authtest

import (
	"fmt"
	"sync"
	"testing"

	"docent/auth"
	"docent/internal/fault"
	"docent/internal/storetest"
)

// add adds a token of a user.
func add(t *testing.T, k Store, name, user string) error {
	t.Helper()
	return k.Tokens.AddToken(t.Context(), auth.TokenRecord{
		Name: name, Hash: hash(name), Scopes: auth.Scopes{auth.Ask}, User: user, CreatedAt: anHour(0), ExpiresAt: anHour(1),
	})
}

// userTokens: users see and remove their own tokens only.
func userTokens(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	for _, name := range []string{"ann", "bob"} {
		storetest.OK(t, k.Users.AddUser(ctx, auth.UserRecord{Name: name, Password: "p", Scopes: auth.Scopes{auth.Ask}}))
	}
	of := func(user string) []auth.TokenRecord {
		all, err := k.Tokens.UserTokens(ctx, user)
		storetest.OK(t, err)
		return all
	}
	for _, name := range []string{"b", "B"} {
		storetest.OK(t, add(t, k, name, "ann"))
	}
	storetest.OK(t, add(t, k, "a", "bob"))
	storetest.OK(t, add(t, k, "own", ""))
	ann := of("ann")
	storetest.Want(t, "by bytes", []string{ann[0].Name, ann[1].Name}, []string{"B", "b"})
	got, err := k.Tokens.Token(ctx, hash("B"))
	storetest.OK(t, err)
	storetest.Want(t, "as it is", ann[0], got)
	storetest.Want(t, "nobody's", len(of("eve")), 0)
	storetest.Want(t, "no user's", len(of("")), 0)

	own, err := k.Tokens.Token(ctx, hash("own"))
	storetest.OK(t, err)
	for user, id := range map[string]int64{"bob": ann[0].ID, "eve": ann[0].ID, "": own.ID, "ann": 999} {
		storetest.WantKind(t, "removed by "+user, k.Tokens.RemoveUserToken(ctx, user, id), fault.NotFound)
	}
	storetest.OK(t, k.Tokens.RemoveUserToken(ctx, "ann", ann[0].ID))
	storetest.WantKind(t, "removed twice", k.Tokens.RemoveUserToken(ctx, "ann", ann[0].ID), fault.NotFound)
	storetest.Want(t, "left", tokenNames(t, k), []string{"a", "b", "own"})
}

// tokenLimit: several processes together cannot create more tokens than a user
// may have.
func tokenLimit(t *testing.T, db Database) {
	handles := []Store{db.Open(t), db.Open(t)}
	for _, name := range []string{"ann", "bob"} {
		storetest.OK(t, handles[0].Users.AddUser(t.Context(), auth.UserRecord{Name: name, Password: "p", Scopes: auth.Scopes{auth.Ask}}))
	}
	const extra = 6
	var all sync.WaitGroup
	failed := make([]error, auth.MaxUserTokens+extra)
	for i := range failed {
		all.Go(func() { failed[i] = add(t, handles[i%2], fmt.Sprint("t", i), "ann") })
	}
	all.Wait()
	refused := 0
	for _, err := range failed {
		if err != nil {
			storetest.WantKind(t, "too many", err, fault.Conflict)
			refused++
		}
	}
	left, err := handles[0].Tokens.UserTokens(t.Context(), "ann")
	storetest.OK(t, err)
	storetest.Want(t, "refused and left", []int{refused, len(left)}, []int{extra, auth.MaxUserTokens})
	storetest.OK(t, add(t, handles[0], "another's", "bob"))
}
