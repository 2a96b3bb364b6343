package sql

import (
	"context"

	"docent/auth"
	"docent/store"
)

var _ auth.Identities = Store{}

// Identified returns the user with an identity; see auth.Identities.
func (s accounts) Identified(ctx context.Context, id auth.Identity) (auth.UserRecord, error) {
	r, err := scanUser(row(ctx, s.db, `SELECT `+userColumns+` WHERE id = (SELECT user_id FROM identity WHERE issuer = $1 AND subject = $2)`,
		store.Text(id.Issuer), store.Text(id.Subject)))
	return r, s.db.Fail("read the user of an identity", missing(err, store.NoUser()))
}

// AddIdentified stores a user with an identity; see auth.Identities.
func (s accounts) AddIdentified(ctx context.Context, id auth.Identity, r auth.UserRecord) error {
	return s.db.Fail("store user", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		name := store.Text(r.Name)
		err := change(ctx, tx, store.UserTaken(r.Name), `INSERT INTO app_user (username, password_hash, scopes, created_at)
			SELECT $1, '', $2, $3 WHERE NOT EXISTS (SELECT 1 FROM session WHERE owner = $4) ON CONFLICT (username) DO NOTHING`,
			name, r.Scopes.String(), store.Time(r.CreatedAt, s.db.Now()), "user:"+name)
		if err != nil {
			return err
		}
		return identify(ctx, tx, id, name)
	}))
}

// LinkIdentity adds an identity to the user of a link; see auth.Identities. It locks the user, as UseLink does.
func (s accounts) LinkIdentity(ctx context.Context, hash []byte, id auth.Identity) error {
	return s.db.Fail("use link", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var user string
		err := row(ctx, tx, `SELECT username FROM app_user
			WHERE id = (SELECT user_id FROM password_link WHERE hash = $1) FOR NO KEY UPDATE`, hash).Scan(&user)
		if err != nil {
			return missing(err, store.NoLink())
		}
		// A concurrent call may have used the link before this one got the lock.
		if err := change(ctx, tx, store.NoLink(), `DELETE FROM password_link WHERE hash = $1`, hash); err != nil {
			return err
		}
		return identify(ctx, tx, id, user)
	}))
}

// identify adds an identity to a user.
func identify(ctx context.Context, tx Tx, id auth.Identity, user string) error {
	return change(ctx, tx, store.IdentityTaken(), `INSERT INTO identity (issuer, subject, user_id)
		SELECT $1, $2, id FROM app_user WHERE username = $3 ON CONFLICT (issuer, subject) DO NOTHING`,
		store.Text(id.Issuer), store.Text(id.Subject), user)
}
