package api

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth"
	"docent/internal/fault"
)

// OwnTokens keeps the API tokens of users. Logins may implement it, as
// auth.Authenticator does.
type OwnTokens interface {
	// OwnTokens lists the tokens of a principal; fault.Forbidden if the principal
	// cannot have tokens.
	OwnTokens(ctx context.Context, p auth.Principal) ([]auth.TokenRecord, error)
	// CreateOwnToken creates a token, and returns its record and the token itself.
	CreateOwnToken(ctx context.Context, p auth.Principal, token auth.OwnToken) (auth.TokenRecord, string, error)
	// RevokeOwnToken deletes a token by its ID.
	RevokeOwnToken(ctx context.Context, p auth.Principal, id int64) error
}

// Token describes an API token. The token itself is not stored.
type Token struct {
	// ID identifies it in this API.
	ID int64 `json:"id"`
	// Name is unique among the tokens of all users.
	Name string `json:"name"`
	// Scopes are its permissions. They cannot exceed those of its user.
	Scopes []string `json:"scopes" enum:"ask,ingest,admin"`
	// CreatedAt is the time of its creation.
	CreatedAt time.Time `json:"created_at"`
	// ExpiresAt is the time at which it expires; null if it does not.
	ExpiresAt *time.Time `json:"expires_at"`
	// LastUsedAt is the time of its last use, within a minute; null before the first.
	LastUsedAt *time.Time `json:"last_used_at"`
}

// NewToken is a token that was just created.
type NewToken struct {
	Token

	// Secret is the token itself. Programs send it to authenticate. It is shown
	// only once.
	Secret string `json:"token" doc:"The token, which programs send as Authorization: Bearer. docent cannot show it again."`
}

type tokensOutput struct{ Body []Token }

type newTokenInput struct {
	route.JSONBody
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

// tokens handles the routes for the API tokens of users.
type tokens struct {
	logins Logins // nil while authentication is off
	log    *slog.Logger
}

func (t tokens) addRoutes(r *route.Router) {
	const list = "/api/tokens"
	tags := []string{"access"}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-tokens", Tags: tags, Summary: "List your API tokens",
		Description: "Only for users who signed in with a name and a password, not for tokens or users of an OpenID Connect issuer.",
		Errors:      []int{http.StatusNotFound},
	}, t.list)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: list, OperationID: "create-token", Tags: tags, Summary: "Create an API token for yourself",
		Description: "The token acts on your behalf, within its scopes. Only this response contains it.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict}, DefaultStatus: http.StatusCreated, MaxBodyBytes: loginBytes,
	}, t.create)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: list + "/{token_id}", OperationID: "delete-token", Tags: tags, Summary: "Revoke one of your API tokens",
		Description: "The token becomes invalid at once, and its connections are closed.", Errors: []int{http.StatusNotFound},
	}, t.delete)
}

// keeper returns the keeper of the tokens and the current principal.
func (t tokens) keeper(ctx context.Context) (OwnTokens, auth.Principal, error) {
	p, _ := auth.FromContext(ctx)
	keeper, ok := t.logins.(OwnTokens)
	if !ok {
		return nil, p, fault.New(fault.NotFound, "tokens_off", "authentication is off; there are no tokens here")
	}
	return keeper, p, nil
}

func (t tokens) list(ctx context.Context, _ *struct{}) (*tokensOutput, error) {
	keeper, p, err := t.keeper(ctx)
	if err != nil {
		return nil, err
	}
	all, err := keeper.OwnTokens(ctx, p)
	if err != nil {
		return nil, err
	}
	out := &tokensOutput{Body: []Token{}}
	for _, r := range all {
		out.Body = append(out.Body, token(r))
	}
	return out, nil
}

func (t tokens) create(ctx context.Context, in *newTokenInput) (*newTokenOutput, error) {
	keeper, p, err := t.keeper(ctx)
	if err != nil {
		return nil, err
	}
	wish := auth.OwnToken{Name: in.Body.Name, Scopes: scopesOf(in.Body.Scopes)}
	if in.Body.ExpiresAt != nil {
		wish.ExpiresAt = *in.Body.ExpiresAt
		if wish.ExpiresAt.IsZero() {
			wish.ExpiresAt = time.Unix(0, 0) // in the past, not never
		}
	}
	record, secret, err := keeper.CreateOwnToken(ctx, p, wish)
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, tokenObject(record.ID))
	t.note(ctx, "token made", p, record.ID)
	return &newTokenOutput{NewToken{token(record), secret}}, nil
}

func (t tokens) delete(ctx context.Context, in *tokenInput) (*struct{}, error) {
	keeper, p, err := t.keeper(ctx)
	if err == nil {
		err = keeper.RevokeOwnToken(ctx, p, in.ID)
	}
	if err != nil {
		return nil, err
	}
	route.Concerns(ctx, tokenObject(in.ID))
	t.note(ctx, "token revoked", p, in.ID)
	return nil, nil //nolint:nilnil // there is no content
}

// tokenObject names a token in the audit log.
func tokenObject(id int64) string { return "token:" + strconv.FormatInt(id, 10) }

// note logs a change of a token with its principal and its id, without its name.
func (t tokens) note(ctx context.Context, what string, p auth.Principal, id int64) {
	t.log.LogAttrs(ctx, slog.LevelInfo, what,
		slog.String("principal", p.ID), slog.Int64("token", id), slog.String("request", route.RequestID(ctx)))
}

func token(r auth.TokenRecord) Token {
	return Token{
		ID: r.ID, Name: r.Name, Scopes: scopeNames(r.Scopes),
		CreatedAt: r.CreatedAt.UTC(), ExpiresAt: moment(r.ExpiresAt), LastUsedAt: moment(r.LastUsedAt),
	}
}

// moment returns a time in UTC; nil for the zero time.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
