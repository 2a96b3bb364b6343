package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/api/route"
	"docent/api/stall"
	"docent/auth"
	"docent/internal/fault"
)

const (
	// Path is the address of the server.
	Path = "/mcp"
	// metadataPath is the address of the metadata for clients that look for a token
	// (RFC 9728).
	metadataPath = "/.well-known/oauth-protected-resource"
	// maxMessage bounds a message of a client, in bytes.
	maxMessage = 256 << 10
	// bodyTimeout bounds the pauses while a message arrives.
	bodyTimeout = 30 * time.Second
	// sessionHeader names the session of a request.
	sessionHeader = "Mcp-Session-Id"
)

// HTTPConfig configures the routes.
type HTTPConfig struct {
	// Sessions are the sessions of the clients. The caller closes them. Required.
	Sessions *Sessions
	// Auth reports that authentication is on.
	Auth bool
	// Issuer is the OpenID Connect issuer of tokens. Default: "", there is none.
	Issuer string
}

// Metadata describes the server to clients that look for a token (RFC 9728).
type Metadata struct {
	// Resource is the address of the server.
	Resource string `json:"resource"`
	// Name is its name.
	Name string `json:"resource_name"`
	// AuthorizationServers issue tokens for it.
	AuthorizationServers []string `json:"authorization_servers,omitempty"`
	// Scopes are the scopes that a token needs.
	Scopes []string `json:"scopes_supported"`
	// Methods are the ways to send a token.
	Methods []string `json:"bearer_methods_supported"`
}

type metadataOutput struct{ Body Metadata }

type metadataInput struct{ route.StreamedBody }

type input struct {
	route.StreamedBody
	Session string `header:"Mcp-Session-Id" maxLength:"100" doc:"The session. The response to initialize names it."`
}

// endpoint handles the routes.
type endpoint struct {
	cfg     HTTPConfig
	handler http.Handler // of the SDK
}

// AddRoutes adds the routes of a server for clients over HTTP. It may be called once.
func AddRoutes(r *route.Router, s *Server, config HTTPConfig) {
	s.sessions = config.Sessions
	s.sdk.AddReceivingMiddleware(s.begin)
	e := endpoint{config, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		SessionTimeout: maxIdle, MaxRequestBodyBytes: maxMessage,
		DisableLocalhostProtection: true, // package edge checks host names and origins
	})}
	tags := []string{"mcp"}
	errs := []int{http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge}
	stream := &huma.Schema{Type: "string"}
	add := func(method, id, summary, description string, content map[string]*huma.MediaType) {
		route.Add(r, huma.Operation{
			Method: method, Path: Path, OperationID: id, Tags: tags, Summary: summary, Description: description, Errors: errs,
			Responses: map[string]*huma.Response{"200": {Description: "OK", Content: content}},
		}, e.serve)
	}
	add(http.MethodPost, "mcp", "Send a message of the Model Context Protocol",
		"The streamable HTTP transport of MCP. The body is one JSON-RPC message.",
		map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: "object"}}, "text/event-stream": {Schema: stream}})
	add(http.MethodGet, "mcp-stream", "Receive the messages of an MCP session", "",
		map[string]*huma.MediaType{"text/event-stream": {Schema: stream}})
	add(http.MethodDelete, "mcp-end", "End an MCP session", "", nil)
	for path, id := range map[string]string{metadataPath: "mcp-metadata", metadataPath + Path: "mcp-metadata-of-path"} {
		route.Add(r, huma.Operation{
			Method: http.MethodGet, Path: path, OperationID: id, Tags: tags, Errors: []int{http.StatusNotFound},
			Summary: "Get the metadata of the MCP server for OAuth (RFC 9728)",
		}, e.metadata)
	}
}

// begin counts the sessions that begin.
func (s *Server) begin(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		begun, ok := req.GetSession().(*sdk.ServerSession)
		if method == "initialize" && ok {
			live := map[string]bool{}
			for one := range s.sdk.Sessions() {
				live[one.ID()] = true
			}
			if err := s.sessions.add(ctx, begun, live); err != nil {
				return nil, err
			}
		}
		return next(ctx, method, req)
	}
}

// serve passes a request to the SDK. It reads the message first, so that a slow
// client holds nothing.
func (e endpoint) serve(ctx context.Context, in *input) (*huma.StreamResponse, error) {
	req, w := in.HTTP()
	if in.Session != "" {
		if err := e.cfg.Sessions.check(ctx, in.Session); err != nil {
			return nil, err
		}
	} else if req.Method != http.MethodPost {
		return nil, fault.New(fault.Invalid, "mcp_session_missing", "the header %s is missing", sessionHeader)
	}
	body, err := io.ReadAll(io.LimitReader(stall.NewReader(w, req.Body, bodyTimeout), maxMessage+1))
	switch {
	case err != nil:
		return nil, fault.Wrap(fault.Invalid, err, "mcp_message_incomplete", "the message is not complete")
	case len(body) > maxMessage:
		return nil, route.TooLarge(fault.Plain("the message"), maxMessage)
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")):
		return nil, fault.New(fault.Invalid, "mcp_batch", "send one message at a time")
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		req, w := humago.Unwrap(hc)
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(body))
		answer, done := acceptBoth(req, w)
		e.handler.ServeHTTP(answer, req)
		done()
	}}, nil
}

// metadata describes the server. Without authentication, there is nothing to know.
func (e endpoint) metadata(_ context.Context, in *metadataInput) (*metadataOutput, error) {
	if !e.cfg.Auth {
		return nil, fault.New(fault.NotFound, "mcp_auth_off", "authentication is off, so clients need no token")
	}
	req, _ := in.HTTP()
	out := &metadataOutput{Metadata{
		Resource: route.Origin(req) + Path, Name: "docent", Scopes: []string{string(auth.Ask)}, Methods: []string{"header"},
	}}
	if e.cfg.Issuer != "" {
		out.Body.AuthorizationServers = []string{e.cfg.Issuer}
	}
	return out, nil
}

// Challenge lets the responses without a valid token name the metadata of the server,
// so that clients find the issuer. Other paths do not change.
func Challenge(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == Path {
			w = challenger{w, `resource_metadata="` + route.Origin(r) + metadataPath + Path + `"`}
		}
		next.ServeHTTP(w, r)
	})
}

// challenger adds a parameter to the challenge of a response.
type challenger struct {
	http.ResponseWriter

	parameter string
}

// WriteHeader sends the status.
func (c challenger) WriteHeader(status int) {
	if status == http.StatusUnauthorized {
		separator := " "
		if had := c.Header().Get("WWW-Authenticate"); had != "Bearer" && had != "" {
			separator = ", "
		} else {
			c.Header().Set("WWW-Authenticate", "Bearer")
		}
		c.Header().Set("WWW-Authenticate", c.Header().Get("WWW-Authenticate")+separator+c.parameter)
	}
	c.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController flush and set deadlines.
func (c challenger) Unwrap() http.ResponseWriter { return c.ResponseWriter }
