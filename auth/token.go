package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"log/slog"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
)

// Sizes and bounds of tokens.
const (
	// tokenPrefix marks docent's tokens. Secret scanners recognize it.
	tokenPrefix = "docent_"
	// secretBytes is the number of random bytes in a token or a cookie.
	secretBytes = 32
	// maxTokenBytes bounds a token of any kind.
	maxTokenBytes = 16 << 10
	// useEvery is the interval at which the use of a token is recorded.
	useEvery = time.Minute
)

var errToken = fault.New(fault.Unauthorized, "token_unknown", "the token is unknown here or was revoked")

// newSecret returns a random text without characters that need escaping.
func newSecret() string {
	b := make([]byte, secretBytes)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// checksum lets docent reject mistyped tokens without reading the store.
func checksum(secret string) string {
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(secret))))
}

// TokenSpec describes a token to create.
type TokenSpec struct {
	// Name identifies the token in lists and for revocation. It has 1 to 64
	// letters, digits, and characters of ._@+-. No two tokens have the same
	// name.
	Name string
	// Scopes are the token's rights.
	Scopes Scopes
	// For is the token's lifetime; 0 means no limit.
	For time.Duration
	// until is the time of expiry, instead of For. The zero time means never.
	until time.Time
	// User is the token's user. The token acts as that user and has no rights
	// that the user lacks. "" means that the token belongs to no user.
	User string
}

// CreateToken creates a token and returns it. The store holds only its hash.
func (a *Authenticator) CreateToken(ctx context.Context, spec TokenSpec) (string, error) {
	_, token, err := a.create(ctx, spec)
	return token, err
}

// create creates a token and returns its stored record and the token.
func (a *Authenticator) create(ctx context.Context, spec TokenSpec) (TokenRecord, string, error) {
	name := compose(spec.Name)
	switch {
	case checkName("token", name) != nil:
		return TokenRecord{}, "", checkName("token", name)
	case len(spec.Scopes) == 0:
		return TokenRecord{}, "", fault.New(fault.Invalid, "token_without_scope", "a token needs a scope: chat, ask, ingest, or admin")
	case slices.Contains(spec.Scopes, Chat) && (len(spec.Scopes) > 1 || spec.User != ""):
		return TokenRecord{}, "", fault.New(fault.Invalid,
			"token_chat_alone", "a token with the scope chat has no other scope and belongs to no user, because everybody can read it")
	case spec.For < 0:
		return TokenRecord{}, "", fault.New(fault.Invalid, "token_expiry_past", "a token cannot expire in the past")
	}
	secret := newSecret()
	token := tokenPrefix + secret + checksum(secret)
	hash := sha256.Sum256([]byte(token))
	record := TokenRecord{
		Name: name, Hash: hash[:], Scopes: spec.Scopes, User: UserName(spec.User), CreatedAt: a.cfg.Now(), ExpiresAt: spec.until,
	}
	if spec.For > 0 {
		record.ExpiresAt = record.CreatedAt.Add(spec.For)
	}
	if err := a.cfg.Tokens.AddToken(ctx, record); err != nil {
		return TokenRecord{}, "", err //nolint:wrapcheck // it says what failed
	}
	record, err := a.cfg.Tokens.Token(ctx, hash[:]) // with the fields that the store sets
	return record, token, err                       //nolint:wrapcheck // it says what failed
}

// RevokeToken deletes a token by its name. It fails with fault.NotFound if
// there is none. A new token of the same name owns the old token's data.
func (a *Authenticator) RevokeToken(ctx context.Context, name string) error {
	return a.cfg.Tokens.RemoveToken(ctx, compose(name)) //nolint:wrapcheck // it says what failed
}

// UserTokens lists the tokens of a user by name.
func (a *Authenticator) UserTokens(ctx context.Context, user string) ([]TokenRecord, error) {
	return a.cfg.Tokens.UserTokens(ctx, UserName(user)) //nolint:wrapcheck // it says what failed
}

// Token authenticates a token: one of docent's own or a JWT of the configured
// issuer. It fails with fault.Unauthorized for wrong tokens. After too many wrong
// tokens from one address it fails with fault.RateLimited; see [RetryAfter].
// Valid tokens still work during that time, because tokens cannot be guessed.
func (a *Authenticator) Token(ctx context.Context, token string) (Principal, error) {
	p, err := a.token(ctx, token)
	if err != nil && fault.KindOf(err) == fault.Unauthorized {
		if slowed := a.wrongTokens.attempt(RemoteOf(ctx)); slowed != nil {
			p, err = Principal{}, slowed
		}
	}
	by := "token"
	if a.issuer != nil && looksLikeJWT(token) {
		by = "jwt"
	}
	a.count(by, err)
	return p, err
}

func (a *Authenticator) token(ctx context.Context, token string) (Principal, error) {
	switch {
	case len(token) > maxTokenBytes:
		return Principal{}, errToken
	case strings.HasPrefix(token, tokenPrefix):
		secret := strings.TrimPrefix(token, tokenPrefix)
		if at := base64.RawURLEncoding.EncodedLen(secretBytes); len(secret) < at || checksum(secret[:at]) != secret[at:] {
			return Principal{}, fault.New(fault.Unauthorized, "token_mistyped", "the token is mistyped or cut short")
		}
		return a.stored(ctx, sha256.Sum256([]byte(token)))
	case a.issuer != nil && looksLikeJWT(token):
		return a.issuer.verify(ctx, token)
	}
	return Principal{}, errToken
}

// stored authenticates a token by its hash. The time of a lookup by hash
// reveals nothing about the token.
func (a *Authenticator) stored(ctx context.Context, hash [32]byte) (Principal, error) {
	record, err := look(ctx, func(ctx context.Context) (TokenRecord, error) { return a.cfg.Tokens.Token(ctx, hash[:]) })
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return Principal{}, errToken
	}
	if err != nil {
		return Principal{}, err
	}
	now := a.cfg.Now()
	if record.UserDisabled {
		return Principal{}, errToken
	}
	if !record.ExpiresAt.IsZero() && !now.Before(record.ExpiresAt) {
		return Principal{}, fault.New(fault.Unauthorized, "token_expired", "the token has expired")
	}
	if now.Sub(record.LastUsedAt) >= useEvery {
		a.uses.note(ctx, hash, func(ctx context.Context) {
			if err := a.cfg.Tokens.UseToken(ctx, hash[:], now); err != nil {
				a.cfg.Logger.WarnContext(ctx, "record the use of a token", slog.String("kind", string(fault.KindOf(err))))
			}
		})
	}
	p := Principal{ID: "token:" + record.Name, Name: record.Name, Scopes: record.Scopes, Expires: record.ExpiresAt}
	if record.User != "" {
		p.ID, p.Name, p.Scopes = userID(record.User), record.User, both(record.Scopes, record.UserScopes)
	}
	p.proof = proof{byToken, hash}
	return p, nil
}
