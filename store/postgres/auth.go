package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/auth"
	"docent/store"
)

var (
	_ auth.Tokens = (*Store)(nil)
	_ auth.Users  = (*Store)(nil)
	_ auth.Logins = (*Store)(nil)
	_ auth.Links  = (*Store)(nil)
)

// tokenColumns are the columns that scanToken reads.
const tokenColumns = `t.id, t.name, t.hash, t.scopes, t.created_at, t.expires_at, t.last_used_at, coalesce(u.username, ''), coalesce(u.scopes, ''), coalesce(u.disabled, false)
	FROM api_token t LEFT JOIN app_user u ON u.id = t.user_id`

func scanToken(row pgx.Row) (auth.TokenRecord, error) {
	var r auth.TokenRecord
	var scopes, theirs string
	var expires, used *time.Time
	if err := row.Scan(&r.ID, &r.Name, &r.Hash, &scopes, &r.CreatedAt, &expires, &used, &r.User, &theirs, &r.UserDisabled); err != nil {
		return r, fmt.Errorf("scan: %w", err)
	}
	r.CreatedAt, r.ExpiresAt, r.LastUsedAt = r.CreatedAt.UTC(), instant(expires), instant(used)
	var err error
	if r.Scopes, err = store.Scopes(scopes); err == nil && r.User != "" {
		r.UserScopes, err = store.Scopes(theirs)
	}
	return r, err //nolint:wrapcheck // fail names the operation
}

// instant returns the time of a nullable column.
func instant(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.UTC()
}

// optional returns the stored form of a time: nil for the zero time.
func optional(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// missing returns none if err means that there is no row, and err otherwise.
func missing(err, none error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return none
	}
	return err
}

// change runs a statement. It fails with none if no row changes.
func change(ctx context.Context, tx pgx.Tx, none error, sql string, args ...any) error {
	tag, err := tx.Exec(ctx, sql, args...)
	if err == nil && tag.RowsAffected() == 0 {
		return none
	}
	return err //nolint:wrapcheck // fail names the operation
}

// alter runs change in its own transaction.
func (s *database) alter(ctx context.Context, none error, sql string, args ...any) error {
	return again(ctx, func() error {
		tag, err := s.pool.Exec(ctx, sql, args...)
		if err == nil && tag.RowsAffected() == 0 {
			return none
		}
		return err //nolint:wrapcheck // fail names the operation
	})
}

// AddToken stores a token; see auth.Tokens.
func (s *accounts) AddToken(ctx context.Context, r auth.TokenRecord) error {
	return fail("store token", s.write(ctx, func(tx pgx.Tx) error {
		var user *int64
		if r.User != "" {
			// The lock makes concurrent calls wait, so that each counts the
			// tokens of the others.
			if err := tx.QueryRow(ctx, `SELECT id FROM app_user WHERE username = $1 FOR NO KEY UPDATE`, store.Text(r.User)).Scan(&user); err != nil {
				return missing(err, store.NoUser())
			}
			var tokens int
			if err := tx.QueryRow(ctx, `SELECT count(*) FROM api_token WHERE user_id = $1`, user).Scan(&tokens); err != nil {
				return err
			}
			if tokens >= auth.MaxUserTokens {
				return store.TooManyTokens()
			}
		}
		return change(ctx, tx, store.TokenTaken(r.Name), `INSERT INTO api_token (name, hash, scopes, user_id, created_at, expires_at, last_used_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING`,
			store.Text(r.Name), r.Hash, r.Scopes.String(), user,
			store.Time(r.CreatedAt, s.config.Now()), optional(r.ExpiresAt), optional(r.LastUsedAt))
	}))
}

// Token returns a token; see auth.Tokens.
func (s *accounts) Token(ctx context.Context, hash []byte) (auth.TokenRecord, error) {
	r, err := scanToken(s.pool.QueryRow(ctx, `SELECT `+tokenColumns+` WHERE t.hash = $1`, hash))
	return r, fail("read token", missing(err, store.NoToken()))
}

// Tokens lists tokens; see auth.Tokens.
func (s *accounts) Tokens(ctx context.Context) ([]auth.TokenRecord, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (auth.TokenRecord, error) { return scanToken(row) },
		`SELECT `+tokenColumns+` ORDER BY t.name COLLATE "C" LIMIT $1`, auth.MaxList)
	return out, fail("list tokens", err)
}

// UseToken records a token's use; see auth.Tokens.
func (s *accounts) UseToken(ctx context.Context, hash []byte, at time.Time) error {
	return fail("note the use of a token", s.write(ctx, func(tx pgx.Tx) error {
		if err := see(ctx, tx, at, `SELECT user_id FROM api_token WHERE hash = $2`, hash); err != nil {
			return err
		}
		return change(ctx, tx, nil, `UPDATE api_token SET last_used_at = $1 WHERE hash = $2`, at, hash)
	}))
}

// RemoveToken deletes a token; see auth.Tokens.
func (s *accounts) RemoveToken(ctx context.Context, name string) error {
	return fail("revoke token", s.write(ctx, func(tx pgx.Tx) error {
		if err := change(ctx, tx, store.NoToken(), `DELETE FROM api_token WHERE name = $1`, store.Text(name)); err != nil {
			return err
		}
		return removeSubject(ctx, tx, "token:"+name)
	}))
}

// UserTokens lists a user's tokens; see auth.UserTokens.
func (s *accounts) UserTokens(ctx context.Context, user string) ([]auth.TokenRecord, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (auth.TokenRecord, error) { return scanToken(row) },
		`SELECT `+tokenColumns+` WHERE u.username = $1 ORDER BY t.name COLLATE "C"`, store.Text(user))
	return out, fail("list a user's tokens", err)
}

// RemoveUserToken deletes a user's token; see auth.UserTokens.
func (s *accounts) RemoveUserToken(ctx context.Context, user string, id int64) error {
	return fail("revoke a user's token", s.alter(ctx, store.NoToken(),
		`DELETE FROM api_token WHERE id = $1 AND user_id = (SELECT id FROM app_user WHERE username = $2)`, id, store.Text(user)))
}

// AddUser stores a user; see auth.Users.
func (s *accounts) AddUser(ctx context.Context, r auth.UserRecord) error {
	return fail("store user", s.alter(ctx, store.UserTaken(r.Name),
		`INSERT INTO app_user (username, password_hash, scopes, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (username) DO NOTHING`,
		store.Text(r.Name), r.Password, r.Scopes.String(), store.Time(r.CreatedAt, s.config.Now())))
}

// userColumns are the columns that scanUser reads.
const userColumns = `username, password_hash, scopes, disabled, created_at, last_seen_at FROM app_user`

func scanUser(row pgx.Row) (auth.UserRecord, error) {
	var r auth.UserRecord
	var scopes string
	var seen *time.Time
	if err := row.Scan(&r.Name, &r.Password, &scopes, &r.Disabled, &r.CreatedAt, &seen); err != nil {
		return r, fmt.Errorf("scan: %w", err)
	}
	r.CreatedAt, r.LastSeenAt = r.CreatedAt.UTC(), instant(seen)
	var err error
	r.Scopes, err = store.Scopes(scopes)
	return r, err //nolint:wrapcheck // fail names the operation
}

// User returns a user; see auth.Users.
func (s *accounts) User(ctx context.Context, name string) (auth.UserRecord, error) {
	r, err := scanUser(s.pool.QueryRow(ctx, `SELECT `+userColumns+` WHERE username = $1`, store.Text(name)))
	return r, fail("read user", missing(err, store.NoUser()))
}

// Users lists users; see auth.Users.
func (s *accounts) Users(ctx context.Context) ([]auth.UserRecord, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (auth.UserRecord, error) { return scanUser(row) },
		`SELECT `+userColumns+` ORDER BY username COLLATE "C" LIMIT $1`, auth.MaxList)
	return out, fail("list users", err)
}

// SetPassword replaces a password; see auth.UserChanges.
func (s *accounts) SetPassword(ctx context.Context, name, password string) error {
	return fail("set password", s.write(ctx, func(tx pgx.Tx) error { return setPassword(ctx, tx, store.Text(name), password) }))
}

func setPassword(ctx context.Context, tx pgx.Tx, name, password string) error {
	if err := change(ctx, tx, store.NoUser(), `UPDATE app_user SET password_hash = $1 WHERE username = $2`, password, name); err != nil {
		return err
	}
	return shutOut(ctx, tx, name)
}

// shutOut ends the logins of a user, and deletes the user's link.
func shutOut(ctx context.Context, tx pgx.Tx, name string) error {
	if err := change(ctx, tx, nil, `DELETE FROM login WHERE user_id = (SELECT id FROM app_user WHERE username = $1)`, name); err != nil {
		return err
	}
	return change(ctx, tx, nil, `DELETE FROM password_link WHERE user_id = (SELECT id FROM app_user WHERE username = $1)`, name)
}

// see records that the user of a query was seen. Like all changes of users, it locks the user
// before logins and tokens. The parameters of the query begin with $2.
func see(ctx context.Context, tx pgx.Tx, at time.Time, user string, args ...any) error {
	return change(ctx, tx, nil, `UPDATE app_user SET last_seen_at = greatest(last_seen_at, $1) WHERE id = (`+user+`)`,
		append([]any{at}, args...)...)
}

// SetDisabled disables a user; see auth.Users.
func (s *accounts) SetDisabled(ctx context.Context, name string, disabled bool) error {
	return fail("disable user", s.write(ctx, func(tx pgx.Tx) error {
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
func (s *accounts) SetLink(ctx context.Context, r auth.LinkRecord) error {
	return fail("store link", s.alter(ctx, store.NoUser(), `INSERT INTO password_link (user_id, hash, expires_at)
		SELECT id, $1, $2 FROM app_user WHERE username = $3 ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`,
		r.Hash, r.ExpiresAt, store.Text(r.User)))
}

// Link returns a link; see auth.Links.
func (s *accounts) Link(ctx context.Context, hash []byte) (auth.LinkRecord, error) {
	var r auth.LinkRecord
	err := s.pool.QueryRow(ctx, `SELECT l.hash, u.username, l.expires_at FROM password_link l JOIN app_user u ON u.id = l.user_id
		WHERE l.hash = $1`, hash).Scan(&r.Hash, &r.User, &r.ExpiresAt)
	r.ExpiresAt = r.ExpiresAt.UTC()
	return r, fail("read link", missing(err, store.NoLink()))
}

// UseLink uses a link; see auth.Links. It locks the user, as AddLogin does.
func (s *accounts) UseLink(ctx context.Context, hash []byte, password string) error {
	return fail("use link", s.write(ctx, func(tx pgx.Tx) error {
		var user string
		err := tx.QueryRow(ctx, `SELECT u.username FROM password_link l JOIN app_user u ON u.id = l.user_id
			WHERE l.hash = $1 FOR NO KEY UPDATE OF u`, hash).Scan(&user)
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
func (s *accounts) SetScopes(ctx context.Context, name string, scopes auth.Scopes) error {
	return fail("set scopes", s.alter(ctx, store.NoUser(),
		`UPDATE app_user SET scopes = $1 WHERE username = $2`, scopes.String(), store.Text(name)))
}

// RemoveUser deletes a user; see auth.Users.
func (s *accounts) RemoveUser(ctx context.Context, name string) error {
	return fail("delete user", s.write(ctx, func(tx pgx.Tx) error {
		if err := change(ctx, tx, store.NoUser(), `DELETE FROM app_user WHERE username = $1`, store.Text(name)); err != nil {
			return err
		}
		return removeSubject(ctx, tx, "user:"+name)
	}))
}

// AddLogin stores a login; see auth.Logins. It locks the user. If the password
// changes at the same time, either AddLogin fails, or the change ends the new
// login.
func (s *accounts) AddLogin(ctx context.Context, r auth.LoginRecord) error {
	return fail("store login", s.write(ctx, func(tx pgx.Tx) error {
		var user int64
		err := tx.QueryRow(ctx, `SELECT id FROM app_user WHERE username = $1 AND password_hash = $2 FOR NO KEY UPDATE`, store.Text(r.User), r.Password).Scan(&user)
		if err != nil {
			return missing(err, store.NoUser())
		}
		created := store.Time(r.CreatedAt, s.config.Now())
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
		if err := see(ctx, tx, r.LastUsedAt, `SELECT $2::bigint`, user); err != nil {
			return err
		}
		return change(ctx, tx, nil, `DELETE FROM login WHERE hash IN (SELECT hash FROM login WHERE user_id = $1
			ORDER BY created_at DESC, hash OFFSET $2)`, user, auth.MaxLogins)
	}))
}

// Login returns a login; see auth.Logins.
func (s *accounts) Login(ctx context.Context, hash []byte) (auth.LoginRecord, error) {
	r, err := scanLogin(s.pool.QueryRow(ctx, `SELECT `+loginColumns+` WHERE l.hash = $1`, hash))
	return r, fail("read login", missing(err, store.NoLogin()))
}

// loginColumns are the columns that scanLogin reads.
const loginColumns = `l.hash, u.username, u.scopes, u.disabled, l.client, l.created_at, l.expires_at, l.last_used_at
	FROM login l JOIN app_user u ON u.id = l.user_id`

func scanLogin(row pgx.Row) (auth.LoginRecord, error) {
	var r auth.LoginRecord
	var scopes string
	if err := row.Scan(&r.Hash, &r.User, &scopes, &r.UserDisabled, &r.Client, &r.CreatedAt, &r.ExpiresAt, &r.LastUsedAt); err != nil {
		return r, fmt.Errorf("scan: %w", err)
	}
	r.CreatedAt, r.ExpiresAt, r.LastUsedAt = r.CreatedAt.UTC(), r.ExpiresAt.UTC(), r.LastUsedAt.UTC()
	var err error
	r.UserScopes, err = store.Scopes(scopes)
	return r, err //nolint:wrapcheck // fail names the operation
}

// UserLogins lists the logins of a user; see auth.Logins.
func (s *accounts) UserLogins(ctx context.Context, user string) ([]auth.LoginRecord, error) {
	out, err := query(ctx, s, func(row pgx.CollectableRow) (auth.LoginRecord, error) { return scanLogin(row) },
		`SELECT `+loginColumns+` WHERE u.username = $1 ORDER BY l.last_used_at DESC, l.hash`, store.Text(user))
	return out, fail("list logins", err)
}

// RemoveUserLogins deletes the logins of a user; see auth.Logins.
func (s *accounts) RemoveUserLogins(ctx context.Context, user string) error {
	return fail("end logins", s.alter(ctx, nil,
		`DELETE FROM login WHERE user_id = (SELECT id FROM app_user WHERE username = $1)`, store.Text(user)))
}

// UseLogin records a login's use; see auth.Logins.
func (s *accounts) UseLogin(ctx context.Context, hash []byte, at, expires time.Time) error {
	return fail("note the use of a login", s.write(ctx, func(tx pgx.Tx) error {
		if err := see(ctx, tx, at, `SELECT user_id FROM login WHERE hash = $2`, hash); err != nil {
			return err
		}
		return change(ctx, tx, nil, `UPDATE login SET last_used_at = $1, expires_at = $2 WHERE hash = $3`, at, expires, hash)
	}))
}

// RemoveLogin deletes a login; see auth.Logins.
func (s *accounts) RemoveLogin(ctx context.Context, hash []byte) error {
	return fail("end login", s.alter(ctx, nil, `DELETE FROM login WHERE hash = $1`, hash))
}
