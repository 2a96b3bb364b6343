package auth

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"docent/internal/fault"
)

// The cookie of the page.
const (
	// CookieName is its name.
	CookieName = "docent_session"
	// LoginIdle is how long a login lasts without being used.
	LoginIdle = 30 * 24 * time.Hour
	// LoginMax is how long it lasts at most.
	LoginMax = 90 * 24 * time.Hour
	// slideEvery is how often the use of a login is noted.
	slideEvery = time.Hour
)

// enter stores a login and returns the value of its cookie.
func (a *Authenticator) enter(ctx context.Context, user UserRecord) (string, Principal, error) {
	value, now := newSecret(), a.cfg.Now()
	hash := sha256.Sum256([]byte(value))
	login := LoginRecord{Hash: hash[:], User: user.Name, Password: user.Password, CreatedAt: now, ExpiresAt: now.Add(LoginIdle), LastUsedAt: now}
	_, err := look(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, a.cfg.Logins.AddLogin(ctx, login) })
	if err != nil && fault.KindOf(err) == fault.NotFound {
		return "", Principal{}, errPassword
	}
	if err != nil {
		return "", Principal{}, err
	}
	login.UserScopes = user.Scopes
	return value, loggedIn(login, hash), nil
}

func loggedIn(l LoginRecord, hash [32]byte) Principal {
	return Principal{ID: userID(l.User), Name: l.User, Scopes: l.UserScopes, Expires: l.CreatedAt.Add(LoginMax), proof: proof{byCookie, hash}}
}

// Cookie returns who has a cookie; fault.Unauthorized if its login has ended.
// Using it makes it last.
func (a *Authenticator) Cookie(ctx context.Context, value string) (Principal, error) {
	hash := sha256.Sum256([]byte(value))
	p, login, err := a.login(ctx, hash)
	a.count("cookie", err)
	if err != nil {
		return Principal{}, err
	}
	now := a.cfg.Now()
	if now.Sub(login.LastUsedAt) >= slideEvery {
		expires := now.Add(LoginIdle)
		if last := login.CreatedAt.Add(LoginMax); expires.After(last) {
			expires = last
		}
		a.uses.note(ctx, hash, func(ctx context.Context) {
			if err := a.cfg.Logins.UseLogin(ctx, hash[:], now, expires); err != nil {
				a.cfg.Logger.WarnContext(ctx, "note the use of a login", slog.String("kind", string(fault.KindOf(err))))
			}
		})
	}
	return p, nil
}

// login reads a login that has not ended.
func (a *Authenticator) login(ctx context.Context, hash [32]byte) (Principal, LoginRecord, error) {
	login, err := look(ctx, func(ctx context.Context) (LoginRecord, error) { return a.cfg.Logins.Login(ctx, hash[:]) })
	if err != nil && fault.KindOf(err) == fault.NotFound {
		return Principal{}, login, errEnded
	}
	if err != nil {
		return Principal{}, login, err
	}
	now := a.cfg.Now()
	if !now.Before(login.ExpiresAt) || !now.Before(login.CreatedAt.Add(LoginMax)) {
		return Principal{}, login, errEnded
	}
	return loggedIn(login, hash), login, nil
}

// Logout ends the login of a cookie, if there is one.
func (a *Authenticator) Logout(ctx context.Context, value string) error {
	hash := sha256.Sum256([]byte(value))
	_, err := look(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, a.cfg.Logins.RemoveLogin(ctx, hash[:]) })
	return err
}

// NewCookie is the cookie that carries a login; with value "" it takes the
// browser's away. Scripts cannot read it. It is sent with requests of the
// server's own pages only (Strict): a link from a mail still opens the page,
// which is the same for everybody, and what that then asks for is its own
// request. The browser keeps it for as long as a login may last; when it ends
// before, the server says so.
func NewCookie(r *http.Request, value string) http.Cookie {
	c := http.Cookie{
		Name: CookieName, Value: value, Path: "/", MaxAge: int(LoginMax / time.Second),
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
		// A proxy that ends TLS says so. Who lies gets a cookie that their own
		// browser does not send.
		Secure: r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https"),
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}
