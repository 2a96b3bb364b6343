package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

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
const tokenColumns = `t.id, t.name, t.hash, t.scopes, t.created_at, coalesce(t.expires_at, 0), coalesce(t.last_used_at, 0), coalesce(u.username, ''), coalesce(u.scopes, ''), coalesce(u.disabled, 0)
	FROM api_token t LEFT JOIN app_user u ON u.id = t.user_id`

func scanToken(row scanner) (auth.TokenRecord, error) {
	var r auth.TokenRecord
	var scopes, theirs string
	var created, expires, used int64
	if err := row.Scan(&r.ID, &r.Name, &r.Hash, &scopes, &created, &expires, &used, &r.User, &theirs, &r.UserDisabled); err != nil {
		return r, err
	}
	r.CreatedAt, r.ExpiresAt, r.LastUsedAt = micro(created), instant(expires), instant(used)
	var err error
	if r.Scopes, err = store.Scopes(scopes); err == nil && r.User != "" {
		r.UserScopes, err = store.Scopes(theirs)
	}
	return r, err
}

// instant returns the time of a nullable column.
func instant(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return micro(at)
}

// optional returns the stored form of a time: NULL for the zero time.
func optional(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// missing returns none if err means that there is no row, and err otherwise.
func missing(err, none error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return none
	}
	return err
}

// AddToken stores a token; see auth.Tokens.
func (s *accounts) AddToken(ctx context.Context, r auth.TokenRecord) error {
	return fail("store token", s.write(ctx, func(ctx context.Context, w *writer) error {
		var user sql.NullInt64
		if r.User != "" {
			if err := w.row(ctx, `SELECT id FROM app_user WHERE username = ?`, store.Text(r.User)).Scan(&user); err != nil {
				return missing(err, store.NoUser())
			}
			var tokens int
			if err := w.row(ctx, `SELECT count(*) FROM api_token WHERE user_id = ?`, user).Scan(&tokens); err != nil {
				return err
			}
			if tokens >= auth.MaxUserTokens {
				return store.TooManyTokens()
			}
		}
		return w.change(ctx, store.TokenTaken(r.Name), `INSERT INTO api_token (name, hash, scopes, user_id, created_at, expires_at, last_used_at)
			VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`,
			store.Text(r.Name), r.Hash, r.Scopes.String(), user,
			store.Time(r.CreatedAt, s.config.Now()).UnixMicro(), optional(r.ExpiresAt), optional(r.LastUsedAt))
	}))
}

// change runs a statement. It fails with none if no row changes.
func (w *writer) change(ctx context.Context, none error, query string, args ...any) error {
	result, err := w.exec(ctx, query, args...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return none
}

// alter runs change in its own transaction.
func (s *database) alter(ctx context.Context, none error, query string, args ...any) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error { return w.change(ctx, none, query, args...) })
}

// Token returns a token; see auth.Tokens.
func (s *accounts) Token(ctx context.Context, hash []byte) (auth.TokenRecord, error) {
	r, err := scanToken(s.reader.QueryRowContext(ctx, `SELECT `+tokenColumns+` WHERE t.hash = ?`, hash))
	return r, fail("read token", missing(err, store.NoToken()))
}

// Tokens lists tokens; see auth.Tokens.
func (s *accounts) Tokens(ctx context.Context) ([]auth.TokenRecord, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT `+tokenColumns+` ORDER BY t.name LIMIT ?`, auth.MaxList)
	if err != nil {
		return nil, fail("list tokens", err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (auth.TokenRecord, error) { return scanToken(rows) })
	return out, fail("list tokens", err)
}

// UseToken records a token's use; see auth.Tokens.
func (s *accounts) UseToken(ctx context.Context, hash []byte, at time.Time) error {
	return fail("note the use of a token", s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.change(ctx, nil, `UPDATE api_token SET last_used_at = ? WHERE hash = ?`, at.UnixMicro(), hash); err != nil {
			return err
		}
		return w.see(ctx, at, `SELECT user_id FROM api_token WHERE hash = ?`, hash)
	}))
}

// RemoveToken deletes a token; see auth.Tokens.
func (s *accounts) RemoveToken(ctx context.Context, name string) error {
	return fail("revoke token", s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.change(ctx, store.NoToken(), `DELETE FROM api_token WHERE name = ?`, store.Text(name)); err != nil {
			return err
		}
		return w.removeSubject(ctx, "token:"+name)
	}))
}

// UserTokens lists a user's tokens; see auth.UserTokens.
func (s *accounts) UserTokens(ctx context.Context, user string) ([]auth.TokenRecord, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT `+tokenColumns+` WHERE u.username = ? ORDER BY t.name`, store.Text(user))
	if err != nil {
		return nil, fail("list a user's tokens", err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (auth.TokenRecord, error) { return scanToken(rows) })
	return out, fail("list a user's tokens", err)
}

// RemoveUserToken deletes a user's token; see auth.UserTokens.
func (s *accounts) RemoveUserToken(ctx context.Context, user string, id int64) error {
	return fail("revoke a user's token", s.alter(ctx, store.NoToken(),
		`DELETE FROM api_token WHERE id = ? AND user_id = (SELECT id FROM app_user WHERE username = ?)`, id, store.Text(user)))
}

// AddUser stores a user; see auth.Users.
func (s *accounts) AddUser(ctx context.Context, r auth.UserRecord) error {
	return fail("store user", s.alter(ctx, store.UserTaken(r.Name),
		`INSERT INTO app_user (username, password_hash, scopes, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (username) DO NOTHING`,
		store.Text(r.Name), r.Password, r.Scopes.String(), store.Time(r.CreatedAt, s.config.Now()).UnixMicro()))
}

// userColumns are the columns that scanUser reads.
const userColumns = `username, password_hash, scopes, disabled, created_at, coalesce(last_seen_at, 0) FROM app_user`

func scanUser(row scanner) (auth.UserRecord, error) {
	var r auth.UserRecord
	var scopes string
	var created, seen int64
	if err := row.Scan(&r.Name, &r.Password, &scopes, &r.Disabled, &created, &seen); err != nil {
		return r, err
	}
	r.CreatedAt, r.LastSeenAt = micro(created), instant(seen)
	var err error
	r.Scopes, err = store.Scopes(scopes)
	return r, err
}

// User returns a user; see auth.Users.
func (s *accounts) User(ctx context.Context, name string) (auth.UserRecord, error) {
	r, err := scanUser(s.reader.QueryRowContext(ctx, `SELECT `+userColumns+` WHERE username = ?`, store.Text(name)))
	return r, fail("read user", missing(err, store.NoUser()))
}

// Users lists users; see auth.Users.
func (s *accounts) Users(ctx context.Context) ([]auth.UserRecord, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT `+userColumns+` ORDER BY username LIMIT ?`, auth.MaxList)
	if err != nil {
		return nil, fail("list users", err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (auth.UserRecord, error) { return scanUser(rows) })
	return out, fail("list users", err)
}

// SetPassword replaces a password; see auth.UserChanges.
func (s *accounts) SetPassword(ctx context.Context, name, password string) error {
	return fail("set password", s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.setPassword(ctx, store.Text(name), password)
	}))
}

func (w *writer) setPassword(ctx context.Context, name, password string) error {
	if err := w.change(ctx, store.NoUser(), `UPDATE app_user SET password_hash = ? WHERE username = ?`, password, name); err != nil {
		return err
	}
	return w.shutOut(ctx, name)
}

// shutOut ends the logins of a user, and deletes the user's link.
func (w *writer) shutOut(ctx context.Context, name string) error {
	if err := w.change(ctx, nil, `DELETE FROM login WHERE user_id = (SELECT id FROM app_user WHERE username = ?)`, name); err != nil {
		return err
	}
	return w.change(ctx, nil, `DELETE FROM password_link WHERE user_id = (SELECT id FROM app_user WHERE username = ?)`, name)
}

// see records that the user of a query was seen.
func (w *writer) see(ctx context.Context, at time.Time, user string, args ...any) error {
	return w.change(ctx, nil, `UPDATE app_user SET last_seen_at = max(coalesce(last_seen_at, 0), ?) WHERE id = (`+user+`)`,
		append([]any{at.UnixMicro()}, args...)...)
}

// SetDisabled disables a user; see auth.Users.
func (s *accounts) SetDisabled(ctx context.Context, name string, disabled bool) error {
	return fail("disable user", s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.change(ctx, store.NoUser(), `UPDATE app_user SET disabled = ? WHERE username = ?`, disabled, store.Text(name)); err != nil {
			return err
		}
		if !disabled {
			return nil
		}
		return w.shutOut(ctx, store.Text(name))
	}))
}

// SetLink stores a link; see auth.Links.
func (s *accounts) SetLink(ctx context.Context, r auth.LinkRecord) error {
	return fail("store link", s.alter(ctx, store.NoUser(), `INSERT INTO password_link (user_id, hash, expires_at)
		SELECT id, ?, ? FROM app_user WHERE username = ? ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`,
		r.Hash, r.ExpiresAt.UnixMicro(), store.Text(r.User)))
}

// Link returns a link; see auth.Links.
func (s *accounts) Link(ctx context.Context, hash []byte) (auth.LinkRecord, error) {
	var r auth.LinkRecord
	var expires int64
	err := s.reader.QueryRowContext(ctx, `SELECT l.hash, u.username, l.expires_at FROM password_link l JOIN app_user u ON u.id = l.user_id
		WHERE l.hash = ?`, hash).Scan(&r.Hash, &r.User, &expires)
	r.ExpiresAt = instant(expires)
	return r, fail("read link", missing(err, store.NoLink()))
}

// UseLink uses a link; see auth.Links.
func (s *accounts) UseLink(ctx context.Context, hash []byte, password string) error {
	return fail("use link", s.write(ctx, func(ctx context.Context, w *writer) error {
		var user string
		err := w.row(ctx, `SELECT u.username FROM password_link l JOIN app_user u ON u.id = l.user_id WHERE l.hash = ?`, hash).Scan(&user)
		if err != nil {
			return missing(err, store.NoLink())
		}
		return w.setPassword(ctx, user, password)
	}))
}

// SetScopes replaces a user's scopes; see auth.UserChanges.
func (s *accounts) SetScopes(ctx context.Context, name string, scopes auth.Scopes) error {
	return fail("set scopes", s.alter(ctx, store.NoUser(),
		`UPDATE app_user SET scopes = ? WHERE username = ?`, scopes.String(), store.Text(name)))
}

// RemoveUser deletes a user; see auth.Users.
func (s *accounts) RemoveUser(ctx context.Context, name string) error {
	return fail("delete user", s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.change(ctx, store.NoUser(), `DELETE FROM app_user WHERE username = ?`, store.Text(name)); err != nil {
			return err
		}
		return w.removeSubject(ctx, "user:"+name)
	}))
}

// AddLogin stores a login; see auth.Logins.
func (s *accounts) AddLogin(ctx context.Context, r auth.LoginRecord) error {
	return fail("store login", s.write(ctx, func(ctx context.Context, w *writer) error {
		created := store.Time(r.CreatedAt, s.config.Now()).UnixMicro()
		if err := w.change(ctx, nil, `DELETE FROM login WHERE expires_at <= ?`, created); err != nil {
			return err
		}
		err := w.change(ctx, store.NoUser(), `INSERT INTO login (hash, user_id, created_at, expires_at, last_used_at, client)
			SELECT ?, id, ?, ?, ?, ? FROM app_user WHERE username = ? AND password_hash = ?`,
			r.Hash, created, r.ExpiresAt.UnixMicro(), r.LastUsedAt.UnixMicro(), store.Text(r.Client), store.Text(r.User), r.Password)
		if err != nil {
			return err
		}
		if err := w.see(ctx, r.LastUsedAt, `SELECT user_id FROM login WHERE hash = ?`, r.Hash); err != nil {
			return err
		}
		return w.change(ctx, nil, `DELETE FROM login WHERE hash IN (SELECT l.hash FROM login l JOIN app_user u ON u.id = l.user_id
			WHERE u.username = ? ORDER BY l.created_at DESC, l.hash LIMIT -1 OFFSET ?)`, store.Text(r.User), auth.MaxLogins)
	}))
}

// Login returns a login; see auth.Logins.
func (s *accounts) Login(ctx context.Context, hash []byte) (auth.LoginRecord, error) {
	r, err := scanLogin(s.reader.QueryRowContext(ctx, `SELECT `+loginColumns+` WHERE l.hash = ?`, hash))
	return r, fail("read login", missing(err, store.NoLogin()))
}

// loginColumns are the columns that scanLogin reads.
const loginColumns = `l.hash, u.username, u.scopes, u.disabled, l.client, l.created_at, l.expires_at, l.last_used_at
	FROM login l JOIN app_user u ON u.id = l.user_id`

func scanLogin(row scanner) (auth.LoginRecord, error) {
	var r auth.LoginRecord
	var scopes string
	var created, expires, used int64
	if err := row.Scan(&r.Hash, &r.User, &scopes, &r.UserDisabled, &r.Client, &created, &expires, &used); err != nil {
		return r, err
	}
	r.CreatedAt, r.ExpiresAt, r.LastUsedAt = micro(created), micro(expires), micro(used)
	var err error
	r.UserScopes, err = store.Scopes(scopes)
	return r, err
}

// UserLogins lists the logins of a user; see auth.Logins.
func (s *accounts) UserLogins(ctx context.Context, user string) ([]auth.LoginRecord, error) {
	rows, err := s.reader.QueryContext(ctx,
		`SELECT `+loginColumns+` WHERE u.username = ? ORDER BY l.last_used_at DESC, l.hash`, store.Text(user))
	if err != nil {
		return nil, fail("list logins", err)
	}
	out, err := collect(rows, func(rows *sql.Rows) (auth.LoginRecord, error) { return scanLogin(rows) })
	return out, fail("list logins", err)
}

// RemoveUserLogins deletes the logins of a user; see auth.Logins.
func (s *accounts) RemoveUserLogins(ctx context.Context, user string) error {
	return fail("end logins", s.alter(ctx, nil,
		`DELETE FROM login WHERE user_id = (SELECT id FROM app_user WHERE username = ?)`, store.Text(user)))
}

// UseLogin records a login's use; see auth.Logins.
func (s *accounts) UseLogin(ctx context.Context, hash []byte, at, expires time.Time) error {
	return fail("note the use of a login", s.write(ctx, func(ctx context.Context, w *writer) error {
		err := w.change(ctx, nil, `UPDATE login SET last_used_at = ?, expires_at = ? WHERE hash = ?`, at.UnixMicro(), expires.UnixMicro(), hash)
		if err != nil {
			return err
		}
		return w.see(ctx, at, `SELECT user_id FROM login WHERE hash = ?`, hash)
	}))
}

// RemoveLogin deletes a login; see auth.Logins.
func (s *accounts) RemoveLogin(ctx context.Context, hash []byte) error {
	return fail("end login", s.alter(ctx, nil, `DELETE FROM login WHERE hash = ?`, hash))
}
