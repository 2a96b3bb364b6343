package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"docent/internal/fault"
)

// SignIn configures the sign-in with an OpenID Connect provider. Without Issuer or
// ClientID, it is off.
type SignIn struct {
	// Issuer is the URL of the provider; see CheckIssuer.
	Issuer string
	// ClientID is the name of docent at the provider.
	ClientID string
	// ClientSecret is the password of docent at the provider. "" makes docent a public
	// client, which PKCE protects.
	ClientSecret string
	// Label names the provider on the button; "" is its host.
	Label string
	// Create gives people without an account one when they sign in.
	Create bool
	// Scopes are the rights of users that Create adds.
	Scopes Scopes
	// GroupsClaim is the claim that lists the groups.
	GroupsClaim string
}

const (
	// SignInLife is the time that a user may need at the provider.
	SignInLife = 15 * time.Minute
	// discoveryLife is the time for which the configuration of a provider is kept.
	discoveryLife = 24 * time.Hour
	// maxTo bounds the place on the page after a sign-in, in bytes.
	maxTo = 500
	// maxNames bounds the names that docent tries for a new user.
	maxNames = 50
)

// signIn is the provider of the present configuration.
type signIn struct {
	mu     sync.Mutex // guards the fields below
	issuer *issuer    // nil before the first sign-in
	of     SignIn     // the configuration of issuer
}

// SignIns signs users of an Authenticator in with a provider. It is safe for concurrent use.
type SignIns struct{ a *Authenticator }

// NewSignIns returns the sign-in with the provider of an Authenticator.
func NewSignIns(a *Authenticator) SignIns { return SignIns{a} }

// provider returns the provider of a configuration.
func (w SignIns) provider(s SignIn) *issuer {
	w.a.signIn.mu.Lock()
	defer w.a.signIn.mu.Unlock()
	old := w.a.signIn.issuer
	if old != nil && w.a.signIn.of.Issuer == s.Issuer && w.a.signIn.of.ClientID == s.ClientID && w.a.signIn.of.GroupsClaim == s.GroupsClaim {
		if found := old.found.Load(); found == nil || w.a.cfg.Now().Sub(found.at) < discoveryLife {
			return old
		}
	}
	cfg := w.a.cfg
	cfg.Issuer, cfg.Audience, cfg.GroupsClaim = s.Issuer, s.ClientID, s.GroupsClaim
	w.a.signIn.issuer, w.a.signIn.of = newIssuer(cfg), s
	w.a.signIn.issuer.signsIn = true
	return w.a.signIn.issuer
}

var (
	errSignInOff = fault.New(fault.NotFound, "sign_in_provider_off", "this server has no sign-in with a provider")
	// errSignInState also covers forged responses.
	errSignInState = fault.New(fault.Unauthorized, "sign_in_lost",
		"the sign-in took too long, or began in another browser; sign in again")
	errSignInCanceled = fault.New(fault.Unauthorized, "sign_in_canceled", "the provider did not sign you in; try again")
	errSignInRefused  = fault.New(fault.Unauthorized, "sign_in_refused",
		"the provider refused the sign-in; try again, or ask an administrator, who finds the reason in the log")
	errSignInSilent = fault.New(fault.Unavailable, "sign_in_silent", "the provider does not answer; try again, or use your password")
	errNoAccount    = fault.New(fault.Unauthorized, "sign_in_unknown",
		"there is no account for you here; ask an administrator for an invitation, and open it before you sign in")
)

// errTaken is also an error of stores.
func errTaken() error {
	return fault.New(fault.Conflict, "identity_taken", "this sign-in already belongs to another user")
}

// SignInProblem returns the error of a failed sign-in by its id, for the page. Another id gives a general one.
func SignInProblem(id string) error {
	for _, err := range []error{
		errSignInOff, errSignInState, errSignInCanceled, errSignInSilent, errNoAccount, errLink, errDisabled, errJWT, errTaken(),
	} {
		if fault.TextOf(err).ID == id {
			return err
		}
	}
	return errSignInRefused
}

// Provider returns the name of the provider for the button; "" if the sign-in with a provider is off.
func (w SignIns) Provider() string {
	s, on := w.config()
	if !on {
		return ""
	}
	u, err := url.Parse(s.Issuer)
	if err != nil {
		return s.Label
	}
	return cmp.Or(s.Label, u.Hostname())
}

func (w SignIns) config() (SignIn, bool) {
	if w.a.cfg.SignIn == nil {
		return SignIn{}, false
	}
	s := w.a.cfg.SignIn()
	s.GroupsClaim = cmp.Or(s.GroupsClaim, "groups")
	return s, s.Issuer != "" && s.ClientID != "" && CheckIssuer(s.Issuer) == nil
}

// signInState is the data that a browser keeps during a sign-in. It holds nothing that its user may not know.
type signInState struct {
	Issuer   string `json:"i"`
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	// To is the place on the page after the sign-in, such as #/documents.
	To string `json:"t,omitempty"`
	// Link is the secret of a link of a user. The identity is added to this user.
	Link string `json:"l,omitempty"`
}

// Begin starts a sign-in. It returns the address at the provider, and the value for NewStateCookie. redirect is the
// address for End, and to the place on the page after it. With the secret of a link, the identity is added to its
// user. It fails with fault.NotFound if the sign-in is off, and with fault.Unavailable if the provider does not answer.
func (w SignIns) Begin(ctx context.Context, redirect, to, link string) (address, cookie string, err error) {
	s, on := w.config()
	if !on {
		return "", "", errSignInOff
	}
	found, err := w.provider(s).ask(ctx)
	if err != nil {
		return "", "", errSignInSilent // the log has the reason
	}
	if !strings.HasPrefix(to, "#/") || len(to) > maxTo {
		to = ""
	}
	state := signInState{Issuer: s.Issuer, State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), To: to, Link: link}
	kept, err := json.Marshal(state)
	if err != nil {
		return "", "", fmt.Errorf("sign-in: %w", err)
	}
	client := found.client(s, redirect)
	address = client.AuthCodeURL(state.State, oidc.Nonce(state.Nonce), oauth2.S256ChallengeOption(state.Verifier))
	return address, base64.RawURLEncoding.EncodeToString(kept), nil
}

// SignInResponse is the response of a provider.
type SignInResponse struct {
	// Cookie is the value from Begin.
	Cookie string
	// Redirect is the address that Begin got.
	Redirect string
	// State, Code, Issuer, and Error are parameters of the response.
	State, Code, Issuer, Error string
}

// End signs a user in with the response of the provider. It returns the value of a cookie, as Password does, and
// the place on the page. Failures are slowed by address, as for Token.
func (w SignIns) End(ctx context.Context, r SignInResponse, remote string) (cookie string, p Principal, to string, err error) {
	cookie, p, to, err = w.end(ctx, r, remote)
	w.a.count("provider", err)
	return cookie, p, to, err
}

func (w SignIns) end(ctx context.Context, r SignInResponse, remote string) (string, Principal, string, error) {
	fail := func(err error) (string, Principal, string, error) { return "", Principal{}, "", err }
	s, on := w.config()
	if !on {
		return fail(errSignInOff)
	}
	var state signInState
	kept, err := base64.RawURLEncoding.DecodeString(r.Cookie)
	if err != nil || json.Unmarshal(kept, &state) != nil || state.State == "" ||
		subtle.ConstantTimeCompare([]byte(state.State), []byte(r.State)) != 1 ||
		state.Issuer != s.Issuer || r.Issuer != "" && r.Issuer != s.Issuer {
		return fail(errSignInState)
	}
	if r.Error != "" || r.Code == "" {
		return fail(errSignInCanceled)
	}
	if err := w.a.wrongTokens.attempt(remote); err != nil {
		return fail(err)
	}
	provider := w.provider(s)
	who, err := provider.exchange(ctx, s, r.Code, r.Redirect, state)
	if err != nil {
		return fail(err)
	}
	w.a.wrongTokens.refund(remote)
	user, err := w.identified(ctx, s, who, state.Link)
	if err != nil {
		return fail(err)
	}
	cookie, p, err := w.a.enter(ctx, user)
	if err != nil {
		return fail(err)
	}
	if err := provider.members.note(ctx, p, who.groups); err != nil {
		return fail(err)
	}
	return cookie, p, state.To, nil
}

// identified returns the stored user of a user at the provider. It may add the identity to the user of a link, or create a
// user.
func (w SignIns) identified(ctx context.Context, s SignIn, who person, link string) (UserRecord, error) {
	id := Identity{Issuer: s.Issuer, Subject: who.subject}
	known := func() (UserRecord, error) {
		return look(ctx, func(ctx context.Context) (UserRecord, error) { return w.a.cfg.Identities.Identified(ctx, id) })
	}
	user, err := known()
	switch {
	case err == nil && link != "":
		return UserRecord{}, errTaken()
	case err == nil || fault.KindOf(err) != fault.NotFound:
		return user, err
	case link != "":
		hash := sha256.Sum256([]byte(link))
		found, err := w.a.cfg.Links.Link(ctx, hash[:])
		if err == nil && !w.a.cfg.Now().Before(found.ExpiresAt) || err != nil && fault.KindOf(err) == fault.NotFound {
			return UserRecord{}, errLink
		}
		if err == nil {
			err = w.a.cfg.Identities.LinkIdentity(ctx, hash[:], id)
		}
		if err != nil {
			return UserRecord{}, err //nolint:wrapcheck // it says what failed
		}
		return known()
	case !s.Create:
		return UserRecord{}, errNoAccount
	}
	err = w.add(ctx, id, s.Scopes, who.name)
	if err != nil && fault.KindOf(err) != fault.Conflict {
		return UserRecord{}, err
	}
	return known() // after a conflict, it may be of a concurrent sign-in
}

// add creates a user under the first free name.
func (w SignIns) add(ctx context.Context, id Identity, scopes Scopes, name string) error {
	var err error
	for n := range maxNames {
		record := UserRecord{Name: name, Scopes: scopes, CreatedAt: w.a.cfg.Now()}
		if n > 0 {
			record.Name = fmt.Sprintf("%s-%d", name, n+1)
		}
		if err = w.a.cfg.Identities.AddIdentified(ctx, id, record); err == nil || fault.KindOf(err) != fault.Conflict {
			return err //nolint:wrapcheck // it says what failed
		}
		if _, known := w.a.cfg.Identities.Identified(ctx, id); known == nil {
			return err //nolint:wrapcheck // it says what failed
		}
	}
	return err //nolint:wrapcheck // it says what failed
}

// nameOf proposes a name for a new user. It is only a name: the subject identifies the user.
func nameOf(subject string, claims map[string]json.RawMessage) string {
	text := func(claim string) (out string) {
		_ = json.Unmarshal(claims[claim], &out) // without a text, there is no name
		return out
	}
	const room = 4 // for a number after the name
	for _, name := range []string{text("preferred_username"), text("email"), strings.ReplaceAll(text("name"), " ", "."), subject} {
		name = UserName(name)
		if checkName("user", name) == nil && len([]rune(name)) <= MaxName-room {
			return name
		}
	}
	sum := sha256.Sum256([]byte(subject))
	return fmt.Sprintf("user-%x", sum[:6])
}

// stateCookie is the name of the cookie during a sign-in.
const stateCookie = "docent_sign_in"

func stateCookieName(r *http.Request) string {
	if Secure(r) {
		return "__Host-" + stateCookie
	}
	return stateCookie
}

// StateCookie returns the value of the cookie during a sign-in; "" without one.
func StateCookie(r *http.Request) string {
	cookie, err := r.Cookie(stateCookieName(r))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// NewStateCookie returns the cookie during a sign-in. An empty value removes it. It has SameSite=Lax, because the provider
// sends the browser back from another site.
func NewStateCookie(r *http.Request, value string) http.Cookie {
	c := http.Cookie{
		Name: stateCookieName(r), Value: value, Path: "/", MaxAge: int(SignInLife / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: Secure(r),
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}
