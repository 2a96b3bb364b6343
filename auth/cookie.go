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
	// CookieName is the cookie's name without TLS.
	CookieName = "docent_session"
	// SecureCookieName is its name with TLS. Browsers let only this very host set a
	// cookie with the prefix __Host-, so that no other subdomain can plant one.
	SecureCookieName = "__Host-docent_session"
	// LoginIdle is the lifetime of an unused login.
	LoginIdle = 30 * 24 * time.Hour
	// LoginMax is the maximum lifetime of a login.
	LoginMax = 90 * 24 * time.Hour
	// slideEvery is the interval at which the use of a login is recorded.
	slideEvery = time.Hour
)

// enter stores a login and returns its cookie's value.
func (a *Authenticator) enter(ctx context.Context, user UserRecord) (string, Principal, error) {
	if user.Disabled {
		return "", Principal{}, errDisabled
	}
	value, now := newSecret(), a.cfg.Now()
	hash := sha256.Sum256([]byte(value))
	login := LoginRecord{
		Hash: hash[:], User: user.Name, Password: user.Password, CreatedAt: now, ExpiresAt: now.Add(LoginIdle), LastUsedAt: now,
		Client: clientOf(ctx),
	}
	_, err := look(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, a.cfg.Logins.AddLogin(ctx, login) })
	if err != nil && fault.KindOf(err) == fault.NotFound {
		return "", Principal{}, errPassword
	}
	if err != nil {
		return "", Principal{}, err
	}
	login.UserScopes, login.NoPassword = user.Scopes, user.Password == ""
	return value, loggedIn(login, hash), nil
}

func loggedIn(l LoginRecord, hash [32]byte) Principal {
	return Principal{
		ID: userID(l.User), Name: l.User, Scopes: l.UserScopes, Expires: l.CreatedAt.Add(LoginMax), NoPassword: l.NoPassword,
		proof: proof{byCookie, hash},
	}
}

// Cookie authenticates a cookie. It fails with fault.Unauthorized if the login
// has ended. Each use extends the login.
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
				a.cfg.Logger.WarnContext(ctx, "record the use of a login", slog.String("kind", string(fault.KindOf(err))))
			}
		})
	}
	return p, nil
}

// login reads a login and checks that it has not ended.
func (a *Authenticator) login(ctx context.Context, hash [32]byte) (Principal, LoginRecord, error) {
	login, err := look(ctx, func(ctx context.Context) (LoginRecord, error) { return a.cfg.Logins.Login(ctx, hash[:]) })
	if err != nil && fault.KindOf(err) == fault.NotFound {
		return Principal{}, login, errEnded
	}
	if err != nil {
		return Principal{}, login, err
	}
	now := a.cfg.Now()
	if !now.Before(login.ExpiresAt) || !now.Before(login.CreatedAt.Add(LoginMax)) || login.UserDisabled {
		return Principal{}, login, errEnded
	}
	return loggedIn(login, hash), login, nil
}

// errDisabled is for users who know their password. Others learn nothing.
var errDisabled = fault.New(fault.Unauthorized, "user_disabled", "this account is disabled; ask an administrator")

// Logout ends the login of a cookie. An unknown cookie is ignored.
func (a *Authenticator) Logout(ctx context.Context, value string) error {
	hash := sha256.Sum256([]byte(value))
	_, err := look(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, a.cfg.Logins.RemoveLogin(ctx, hash[:]) })
	return err
}

// Secure reports whether a client uses TLS. A proxy that ends TLS sets the header.
// A client that sets it itself only gets a cookie that its own browser does not
// send back.
func Secure(r *http.Request) bool {
	first, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",") // the rest is from further proxies
	return r.TLS != nil || strings.EqualFold(strings.TrimSpace(first), "https")
}

func cookieName(r *http.Request) string {
	if Secure(r) {
		return SecureCookieName
	}
	return CookieName
}

// LoginCookie returns the value of the login cookie of a request; "" without one.
func LoginCookie(r *http.Request) string {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// NewCookie returns the cookie for a login. An empty value removes the browser's
// cookie. Scripts cannot read it. The cookie has SameSite=Strict, so browsers
// send it only with requests from the server's own pages. Links from other sites
// still work: the page loads without the cookie and then sends its own requests.
// The browser keeps the cookie for LoginMax. If the login ends earlier, the
// server rejects the cookie.
func NewCookie(r *http.Request, value string) http.Cookie {
	c := http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: int(LoginMax / time.Second),
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: Secure(r),
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}
