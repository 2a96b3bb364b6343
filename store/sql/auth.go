package sql

import (
	"context"
	"time"

	"docent/auth"
	"docent/store"
)

var (
	_ auth.Tokens = Store{}
	_ auth.Users  = Store{}
	_ auth.Logins = Store{}
	_ auth.Links  = Store{}
)

// accounts stores users, their API tokens and their logins.
type accounts struct{ db Database }

// tokenColumns are the columns that scanToken reads.
const tokenColumns = `t.id, t.name, t.hash, t.scopes, t.created_at, t.expires_at, t.last_used_at, coalesce(u.username, ''), coalesce(u.scopes, ''), coalesce(u.disabled, false)
	FROM api_token t LEFT JOIN app_user u ON u.id = t.user_id`

func scanToken(row Row) (auth.TokenRecord, error) {
	var r auth.TokenRecord
	var scopes, theirs string
	err := row.Scan(&r.ID, &r.Name, &r.Hash, &scopes, Time(&r.CreatedAt), Time(&r.ExpiresAt), Time(&r.LastUsedAt),
		&r.User, &theirs, &r.UserDisabled)
	if err != nil {
		return r, err
	}
	if r.Scopes, err = store.Scopes(scopes); err == nil && r.User != "" {
		r.UserScopes, err = store.Scopes(theirs)
	}
	return r, err
}

// AddToken stores a token; see auth.Tokens.
func (s accounts) AddToken(ctx context.Context, r auth.TokenRecord) error {
	return s.db.Fail("store token", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var user *int64
		if r.User != "" {
			// The lock makes concurrent calls wait, so that each counts the
			// tokens of the others.
			if err := row(ctx, tx, `SELECT id FROM app_user WHERE username = $1 FOR NO KEY UPDATE`, store.Text(r.User)).Scan(&user); err != nil {
				return missing(err, store.NoUser())
			}
			var tokens int
			if err := row(ctx, tx, `SELECT count(*) FROM api_token WHERE user_id = $1`, user).Scan(&tokens); err != nil {
				return err
			}
			if tokens >= auth.MaxUserTokens {
				return store.TooManyTokens()
			}
		}
		return change(ctx, tx, store.TokenTaken(r.Name), `INSERT INTO api_token (name, hash, scopes, user_id, created_at, expires_at, last_used_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING`,
			store.Text(r.Name), r.Hash, r.Scopes.String(), user,
			store.Time(r.CreatedAt, s.db.Now()), r.ExpiresAt, r.LastUsedAt)
	}))
}

// Token returns a token; see auth.Tokens.
func (s accounts) Token(ctx context.Context, hash []byte) (auth.TokenRecord, error) {
	r, err := scanToken(row(ctx, s.db, `SELECT `+tokenColumns+` WHERE t.hash = $1`, hash))
	return r, s.db.Fail("read token", missing(err, store.NoToken()))
}

// Tokens lists tokens; see auth.Tokens.
func (s accounts) Tokens(ctx context.Context) ([]auth.TokenRecord, error) {
	out, err := list(ctx, s.db, scanToken, `SELECT `+tokenColumns+` ORDER BY t.name COLLATE "C" LIMIT $1`, auth.MaxList)
	return out, s.db.Fail("list tokens", err)
}

// UseToken records a token's use; see auth.Tokens.
func (s accounts) UseToken(ctx context.Context, hash []byte, at time.Time) error {
	return s.db.Fail("note the use of a token", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := see(ctx, tx, at, `SELECT user_id FROM api_token WHERE hash = $2`, hash); err != nil {
			return err
		}
		return change(ctx, tx, nil, `UPDATE api_token SET last_used_at = $1 WHERE hash = $2`, at, hash)
	}))
}

// RemoveToken deletes a token; see auth.Tokens.
func (s accounts) RemoveToken(ctx context.Context, name string) error {
	return s.db.Fail("revoke token", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := change(ctx, tx, store.NoToken(), `DELETE FROM api_token WHERE name = $1`, store.Text(name)); err != nil {
			return err
		}
		if err := removeProfile(ctx, tx, "token:"+store.Text(name)); err != nil {
			return err
		}
		return removeSubject(ctx, tx, "token:"+name)
	}))
}

// UserTokens lists a user's tokens; see auth.UserTokens.
func (s accounts) UserTokens(ctx context.Context, user string) ([]auth.TokenRecord, error) {
	out, err := list(ctx, s.db, scanToken, `SELECT `+tokenColumns+` WHERE u.username = $1 ORDER BY t.name COLLATE "C"`, store.Text(user))
	return out, s.db.Fail("list a user's tokens", err)
}

// RemoveUserToken deletes a user's token; see auth.UserTokens.
func (s accounts) RemoveUserToken(ctx context.Context, user string, id int64) error {
	return s.db.Fail("revoke a user's token", change(ctx, s.db, store.NoToken(),
		`DELETE FROM api_token WHERE id = $1 AND user_id = (SELECT id FROM app_user WHERE username = $2)`, id, store.Text(user)))
}

// AddUser stores a user; see auth.Users.
func (s accounts) AddUser(ctx context.Context, r auth.UserRecord) error {
	return s.db.Fail("store user", change(ctx, s.db, store.UserTaken(r.Name),
		`INSERT INTO app_user (username, password_hash, scopes, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (username) DO NOTHING`,
		store.Text(r.Name), r.Password, r.Scopes.String(), store.Time(r.CreatedAt, s.db.Now())))
}

// userColumns are the columns that scanUser reads.
const userColumns = `username, password_hash, scopes, disabled, created_at, last_seen_at,
	EXISTS (SELECT 1 FROM identity WHERE user_id = app_user.id) FROM app_user`

func scanUser(row Row) (auth.UserRecord, error) {
	var r auth.UserRecord
	var scopes string
	if err := row.Scan(&r.Name, &r.Password, &scopes, &r.Disabled, Time(&r.CreatedAt), Time(&r.LastSeenAt), &r.Identified); err != nil {
		return r, err
	}
	var err error
	r.Scopes, err = store.Scopes(scopes)
	return r, err
}

// User returns a user; see auth.Users.
func (s accounts) User(ctx context.Context, name string) (auth.UserRecord, error) {
	r, err := scanUser(row(ctx, s.db, `SELECT `+userColumns+` WHERE username = $1`, store.Text(name)))
	return r, s.db.Fail("read user", missing(err, store.NoUser()))
}

// Users lists users; see auth.Users.
func (s accounts) Users(ctx context.Context) ([]auth.UserRecord, error) {
	out, err := list(ctx, s.db, scanUser, `SELECT `+userColumns+` ORDER BY username COLLATE "C" LIMIT $1`, auth.MaxList)
	return out, s.db.Fail("list users", err)
}

// SetPassword replaces a password; see auth.UserChanges.
func (s accounts) SetPassword(ctx context.Context, name, password string) error {
	return s.db.Fail("set password", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		return setPassword(ctx, tx, store.Text(name), password)
	}))
}

func setPassword(ctx context.Context, tx Tx, name, password string) error {
	if err := change(ctx, tx, store.NoUser(), `UPDATE app_user SET password_hash = $1 WHERE username = $2`, password, name); err != nil {
		return err
	}
	return shutOut(ctx, tx, name)
}

// shutOut ends the logins of a user, and deletes the user's link.
func shutOut(ctx context.Context, tx Tx, name string) error {
	if err := change(ctx, tx, nil, `DELETE FROM login WHERE user_id = (SELECT id FROM app_user WHERE username = $1)`, name); err != nil {
		return err
	}
	return change(ctx, tx, nil, `DELETE FROM password_link WHERE user_id = (SELECT id FROM app_user WHERE username = $1)`, name)
}

// see records that the user of a query was seen. Like all changes of users, it locks the user
// before logins and tokens. The parameters of the query begin with $2.
func see(ctx context.Context, tx Tx, at time.Time, user string, args ...any) error {
	return change(ctx, tx, nil, `UPDATE app_user SET last_seen_at = $1 WHERE id = (`+user+`) AND (last_seen_at IS NULL OR last_seen_at < $1)`,
		append([]any{at}, args...)...)
}

// SetDisabled disables a user; see auth.Users.
func (s accounts) SetDisabled(ctx context.Context, name string, disabled bool) error {
	return s.db.Fail("disable user", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		err := change(ctx, tx, store.NoUser(), `UPDATE app_user SET disabled = $1 WHERE username = $2`, disabled, store.Text(name))
		if err != nil {
			return err
		}
		if !disabled {
			return nil
		}
		return shutOut(ctx, tx, store.Text(name))
	}))
}

// SetLink stores a link; see auth.Links.
func (s accounts) SetLink(ctx context.Context, r auth.LinkRecord) error {
	return s.db.Fail("store link", change(ctx, s.db, store.NoUser(), `INSERT INTO password_link (user_id, hash, expires_at)
		SELECT id, $1, $2 FROM app_user WHERE username = $3 ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`,
		r.Hash, r.ExpiresAt, store.Text(r.User)))
}

// Link returns a link; see auth.Links.
func (s accounts) Link(ctx context.Context, hash []byte) (auth.LinkRecord, error) {
	var r auth.LinkRecord
	err := row(ctx, s.db, `SELECT l.hash, u.username, l.expires_at FROM password_link l JOIN app_user u ON u.id = l.user_id
		WHERE l.hash = $1`, hash).Scan(&r.Hash, &r.User, Time(&r.ExpiresAt))
	return r, s.db.Fail("read link", missing(err, store.NoLink()))
}

// UseLink uses a link; see auth.Links. It locks the user, as AddLogin does.
func (s accounts) UseLink(ctx context.Context, hash []byte, password string) error {
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
		return setPassword(ctx, tx, user, password)
	}))
}

// SetScopes replaces a user's scopes; see auth.UserChanges.
func (s accounts) SetScopes(ctx context.Context, name string, scopes auth.Scopes) error {
	return s.db.Fail("set scopes", change(ctx, s.db, store.NoUser(),
		`UPDATE app_user SET scopes = $1 WHERE username = $2`, scopes.String(), store.Text(name)))
}

// RemoveUser deletes a user; see auth.Users.
func (s accounts) RemoveUser(ctx context.Context, name string) error {
	return s.db.Fail("delete user", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := change(ctx, tx, store.NoUser(), `DELETE FROM app_user WHERE username = $1`, store.Text(name)); err != nil {
			return err
		}
		if err := change(ctx, tx, nil, `DELETE FROM memory WHERE owner = $1`, "user:"+store.Text(name)); err != nil {
			return err
		}
		if err := removeProfile(ctx, tx, "user:"+store.Text(name)); err != nil {
			return err
		}
		return removeSubject(ctx, tx, "user:"+name)
	}))
}

// AddLogin stores a login; see auth.Logins. It locks the user. If the password
// changes at the same time, either AddLogin fails, or the change ends the new
// login.
func (s accounts) AddLogin(ctx context.Context, r auth.LoginRecord) error {
	return s.db.Fail("store login", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var user int64
		err := row(ctx, tx, `SELECT id FROM app_user WHERE username = $1 AND password_hash = $2 FOR NO KEY UPDATE`, store.Text(r.User), r.Password).Scan(&user)
		if err != nil {
			return missing(err, store.NoUser())
		}
		created := store.Time(r.CreatedAt, s.db.Now())
		// Rows that others are deleting are skipped to avoid deadlocks.
		err = change(ctx, tx, nil, `DELETE FROM login WHERE hash IN (SELECT hash FROM login WHERE expires_at <= $1 FOR UPDATE SKIP LOCKED)`, created)
		if err != nil {
			return err
		}
		err = change(ctx, tx, nil, `INSERT INTO login (hash, user_id, created_at, expires_at, last_used_at, client) VALUES ($1, $2, $3, $4, $5, $6)`,
			r.Hash, user, created, r.ExpiresAt, r.LastUsedAt, store.Text(r.Client))
		if err != nil {
			return err
		}
		if err := see(ctx, tx, r.LastUsedAt, `$2`, user); err != nil {
			return err
		}
		return change(ctx, tx, nil, `DELETE FROM login WHERE user_id = $1 AND hash NOT IN (
			SELECT hash FROM login WHERE user_id = $1 ORDER BY created_at DESC, hash LIMIT $2)`, user, auth.MaxLogins)
	}))
}

// Login returns a login; see auth.Logins.
func (s accounts) Login(ctx context.Context, hash []byte) (auth.LoginRecord, error) {
	r, err := scanLogin(row(ctx, s.db, `SELECT `+loginColumns+` WHERE l.hash = $1`, hash))
	return r, s.db.Fail("read login", missing(err, store.NoLogin()))
}

// loginColumns are the columns that scanLogin reads.
const loginColumns = `l.hash, u.username, u.scopes, u.disabled, u.password_hash = '', l.client, l.created_at, l.expires_at, l.last_used_at
	FROM login l JOIN app_user u ON u.id = l.user_id`

func scanLogin(row Row) (auth.LoginRecord, error) {
	var r auth.LoginRecord
	var scopes string
	err := row.Scan(&r.Hash, &r.User, &scopes, &r.UserDisabled, &r.NoPassword, &r.Client,
		Time(&r.CreatedAt), Time(&r.ExpiresAt), Time(&r.LastUsedAt))
	if err != nil {
		return r, err
	}
	r.UserScopes, err = store.Scopes(scopes)
	return r, err
}

// UserLogins lists the logins of a user; see auth.Logins.
func (s accounts) UserLogins(ctx context.Context, user string) ([]auth.LoginRecord, error) {
	out, err := list(ctx, s.db, scanLogin,
		`SELECT `+loginColumns+` WHERE u.username = $1 ORDER BY l.last_used_at DESC, l.hash`, store.Text(user))
	return out, s.db.Fail("list logins", err)
}

// RemoveUserLogins deletes the logins of a user; see auth.Logins.
func (s accounts) RemoveUserLogins(ctx context.Context, user string) error {
	return s.db.Fail("end logins", change(ctx, s.db, nil,
		`DELETE FROM login WHERE user_id = (SELECT id FROM app_user WHERE username = $1)`, store.Text(user)))
}

// UseLogin records a login's use; see auth.Logins.
func (s accounts) UseLogin(ctx context.Context, hash []byte, at, expires time.Time) error {
	return s.db.Fail("note the use of a login", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := see(ctx, tx, at, `SELECT user_id FROM login WHERE hash = $2`, hash); err != nil {
			return err
		}
		return change(ctx, tx, nil, `UPDATE login SET last_used_at = $1, expires_at = $2 WHERE hash = $3`, at, expires, hash)
	}))
}

// RemoveLogin deletes a login; see auth.Logins.
func (s accounts) RemoveLogin(ctx context.Context, hash []byte) error {
	return s.db.Fail("end login", change(ctx, s.db, nil, `DELETE FROM login WHERE hash = $1`, hash))
}
