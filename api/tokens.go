package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/auth"
	"docent/internal/fault"
)

// OwnTokens are the API tokens of users; Logins that are OwnTokens as well offer
// them, as auth.Authenticator does.
type OwnTokens interface {
	// OwnTokens lists those on behalf of who is signed in; fault.Forbidden of who
	// cannot have any.
	OwnTokens(ctx context.Context, p auth.Principal) ([]auth.TokenRecord, error)
	// CreateOwnToken makes one, and returns its record and itself.
	CreateOwnToken(ctx context.Context, p auth.Principal, token auth.OwnToken) (auth.TokenRecord, string, error)
	// RevokeOwnToken deletes one by its ID.
	RevokeOwnToken(ctx context.Context, p auth.Principal, id int64) error
}

// Token is an API token in a list; what it is itself nobody keeps.
type Token struct {
	// ID names it here.
	ID int64 `json:"id"`
	// Name is unlike that of any other token, also of others.
	Name string `json:"name"`
	// Scopes are what it may do, as far as its user may.
	Scopes []string `json:"scopes" enum:"ask,ingest,admin"`
	// CreatedAt is when it was made.
	CreatedAt time.Time `json:"created_at"`
	// ExpiresAt is when it stops counting; null is never.
	ExpiresAt *time.Time `json:"expires_at"`
	// LastUsedAt is when it was used, a minute more or less; null is never.
	LastUsedAt *time.Time `json:"last_used_at"`
}

// NewToken is a token that was just made.
type NewToken struct {
	Token

	// Secret is what programs send. It is shown once.
	Secret string `json:"token" doc:"The token, which programs send as Authorization: Bearer. docent cannot show it again."`
}

type tokensOutput struct{ Body []Token }

type newTokenInput struct {
	bodyRead
	Body struct {
		Name      string     `json:"name" minLength:"1" doc:"1 to 64 letters, digits, and characters of . _ @ + -. Names are unique."`
		Scopes    []string   `json:"scopes" minItems:"1" maxItems:"3" enum:"ask,ingest,admin" doc:"The scopes of the token. You must have them yourself."`
		ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"The time at which the token expires. Without it, the token does not expire."`
	} `nameHint:"TokenWish"`
}

type newTokenOutput struct{ Body NewToken }

type tokenInput struct {
	ID int64 `path:"token_id" minimum:"1"`
}

func (s *server) tokenRoutes() {
	const list = "/api/tokens"
	tags := []string{"access"}
	register(s, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-tokens", Tags: tags, Summary: "List your API tokens",
		Description: "Only for users who signed in with a name and a password, not for tokens or users of an OpenID Connect issuer.",
		Errors:      []int{http.StatusNotFound},
	}, s.listTokens)
	register(s, huma.Operation{
		Method: http.MethodPost, Path: list, OperationID: "create-token", Tags: tags, Summary: "Create an API token for yourself",
		Description: "The token acts on your behalf, within its scopes. Only this response contains it.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict}, DefaultStatus: http.StatusCreated,
		MaxBodyBytes: loginBytes, BodyReadTimeout: s.cfg.bodyTimeout,
	}, s.createToken)
	register(s, huma.Operation{
		Method: http.MethodDelete, Path: list + "/{token_id}", OperationID: "delete-token", Tags: tags, Summary: "Revoke one of your API tokens",
		Description: "The token becomes invalid at once, and its connections are closed.", Errors: []int{http.StatusNotFound},
	}, s.deleteToken)
}

// tokens is who keeps the tokens of users, and who asks.
func (s *server) tokens(ctx context.Context) (OwnTokens, auth.Principal, error) {
	p, _ := auth.FromContext(ctx)
	tokens, has := s.cfg.Logins.(OwnTokens)
	if !has {
		return nil, p, fault.New(fault.NotFound, "tokens_off", "authentication is off; there are no tokens here")
	}
	return tokens, p, nil
}

func (s *server) listTokens(ctx context.Context, _ *struct{}) (*tokensOutput, error) {
	tokens, p, err := s.tokens(ctx)
	if err != nil {
		return nil, err
	}
	all, err := tokens.OwnTokens(ctx, p)
	if err != nil {
		return nil, err
	}
	out := &tokensOutput{Body: []Token{}}
	for _, r := range all {
		out.Body = append(out.Body, token(r))
	}
	return out, nil
}

func (s *server) createToken(ctx context.Context, in *newTokenInput) (*newTokenOutput, error) {
	tokens, p, err := s.tokens(ctx)
	if err != nil {
		return nil, err
	}
	wish := auth.OwnToken{Name: in.Body.Name}
	for _, word := range in.Body.Scopes {
		wish.Scopes = append(wish.Scopes, auth.Scope(word))
	}
	if in.Body.ExpiresAt != nil {
		wish.ExpiresAt = *in.Body.ExpiresAt
		if wish.ExpiresAt.IsZero() {
			wish.ExpiresAt = time.Unix(0, 0) // long ago, not never
		}
	}
	record, secret, err := tokens.CreateOwnToken(ctx, p, wish)
	if err != nil {
		return nil, err
	}
	s.noteToken(ctx, "token made", p, record.ID)
	return &newTokenOutput{NewToken{token(record), secret}}, nil
}

func (s *server) deleteToken(ctx context.Context, in *tokenInput) (*struct{}, error) {
	tokens, p, err := s.tokens(ctx)
	if err == nil {
		err = tokens.RevokeOwnToken(ctx, p, in.ID)
	}
	if err != nil {
		return nil, err
	}
	s.noteToken(ctx, "token revoked", p, in.ID)
	return nil, nil //nolint:nilnil // there is no content
}

// noteToken logs what became of a token: who did it, and which, without its name.
func (s *server) noteToken(ctx context.Context, what string, p auth.Principal, id int64) {
	attrs := []slog.Attr{slog.String("principal", p.ID), slog.Int64("token", id)}
	if r := requestOf(ctx); r != nil {
		attrs = append(attrs, slog.String("request", r.id))
	}
	s.log.LogAttrs(ctx, slog.LevelInfo, what, attrs...)
}

func token(r auth.TokenRecord) Token {
	t := Token{ID: r.ID, Name: r.Name, Scopes: []string{}, CreatedAt: r.CreatedAt.UTC(), ExpiresAt: moment(r.ExpiresAt), LastUsedAt: moment(r.LastUsedAt)}
	for _, scope := range r.Scopes {
		t.Scopes = append(t.Scopes, string(scope))
	}
	return t
}

// moment is a time that may not be set; nil if it is not.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
