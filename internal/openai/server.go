// Package openai is the HTTP part that all clients of OpenAI-compatible servers
// share: address, key, limits, retries, and refusals. Packages llm, embed, and
// llm/speech build their calls on it.
package openai

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// DefaultBaseURL is the address of OpenAI's own API.
const DefaultBaseURL = "https://api.openai.com/v1"

// ErrTooLong reports that the server sent more bytes than the limit.
var ErrTooLong = errors.New("the answer is too long")

// Server is an OpenAI-compatible server.
type Server struct {
	// BaseURL is the API's address up to and with its version. Default:
	// DefaultBaseURL.
	BaseURL string
	// APIKey is sent as bearer token. Default: "", for local servers.
	APIKey string
	// HTTPClient sends the requests. It never follows redirects, because a
	// request with documents and a key must not reach another server. Default: a
	// client with the settings of http.DefaultTransport.
	HTTPClient *http.Client
}

// Complete applies the defaults and checks the rest. Errors name the field of
// Config, which is the configuration of the calling package.
func (s Server) Complete() (Server, error) {
	s.BaseURL = strings.TrimRight(cmp.Or(strings.TrimSpace(s.BaseURL), DefaultBaseURL), "/")
	u, err := url.Parse(s.BaseURL)
	switch {
	case err != nil: // the parser's error repeats the text, which may contain a password
		return s, errors.New("Config.BaseURL is not a URL")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return s, errors.New("Config.BaseURL must begin with http:// or https:// and name a host")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return s, errors.New("Config.BaseURL must not hold a password, a query or a fragment; the key goes in Config.APIKey")
	case strings.ContainsAny(s.APIKey, "\r\n"):
		return s, errors.New("Config.APIKey holds a line break")
	}
	client := http.Client{}
	if s.HTTPClient != nil {
		client = *s.HTTPClient
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		client.Transport = t.Clone()
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.HTTPClient = &client
	return s, nil
}

// Limit returns a body that fails with ErrTooLong after limit bytes.
func Limit(body io.ReadCloser, limit int64) io.ReadCloser {
	return &bounded{ReadCloser: body, left: limit}
}

type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrTooLong
	}
	return n, err
}
