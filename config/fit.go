package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"docent/internal/fault"
)

// The minimum limits of sockets.
const (
	minMessage = 1 << 10
	// minOutbox holds the frames that count toward the limit. Long frames do not.
	minOutbox = 64 << 10
)

// scopes are the valid words of OIDC.Scopes.
var scopes = []string{"ask", "ingest", "admin"}

// fits fails for the first setting that has no effect, either because of its value
// or because another setting is missing.
func (c Config) fits() error {
	for _, check := range []func() (key, problem string){
		c.originsFit, c.hostsFit, c.OIDC.fits, c.Sockets.fit, c.Speech.fits, c.Embedder.fits, c.Rerank.fits,
	} {
		if key, problem := check(); problem != "" {
			return fault.New(fault.Invalid, "setting_problem", "setting %s: %s", key, problem)
		}
	}
	return c.modelsFit()
}

// originsFit returns the first origin that no browser sends.
func (c Config) originsFit() (key, problem string) {
	for _, origin := range c.Origins {
		u, err := url.Parse(strings.TrimRight(origin, "/"))
		switch {
		case err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" ||
			!plain(u.Host):
			return "origins", fmt.Sprintf("%q is no origin of a page: write such as https://app.example.com or http://127.0.0.1:3000, without a path and without *", origin)
		case u.Scheme == "https" && u.Port() == "443", u.Scheme == "http" && u.Port() == "80":
			return "origins", fmt.Sprintf("%q: browsers leave this port out: write %s://%s", origin, u.Scheme, u.Hostname())
		}
	}
	return "", ""
}

// hostsFit returns the first host that cannot be in a Host header.
func (c Config) hostsFit() (key, problem string) {
	for _, host := range c.Hosts {
		if !plain(host) || strings.HasPrefix(host, ".") {
			return "hosts", fmt.Sprintf("%q is no host name: write such as docs.example.com, without https:// and without *", host)
		}
	}
	return "", ""
}

// plain reports whether a host is written as browsers send it.
func plain(host string) bool {
	return !strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("/*@?#\\", r) })
}

func (o OIDC) fits() (key, problem string) {
	words := strings.FieldsFunc(o.Scopes, func(r rune) bool { return r == ' ' || r == ',' })
	switch {
	case o.Issuer == "" && o.Audience != "":
		return "oidc.audience", "is set but no issuer is: add --oidc-issuer URL"
	case len(words) == 0, slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(scopes, word) }):
		return "oidc.scopes", fmt.Sprintf("%q: write one or more of %s", o.Scopes, strings.Join(scopes, ","))
	case o.Issuer == "" && o.Scopes != defaultOf("oidc.scopes"):
		return "oidc.scopes", "is set but no issuer is: add --oidc-issuer URL"
	}
	return "", ""
}

func (s Sockets) fit() (key, problem string) {
	switch {
	case s.MessageBytes < minMessage:
		return "sockets.message-size", fmt.Sprintf("%d bytes are too few for a message: write at least 1KiB", s.MessageBytes)
	case s.FrameBytes < s.MessageBytes:
		return "sockets.frame-size", fmt.Sprintf("%d bytes are less than a message may have (%d, sockets.message-size): write at least as many", s.FrameBytes, s.MessageBytes)
	case s.OutboxBytes < minOutbox:
		return "sockets.outbox-size", fmt.Sprintf("%d bytes would close connections that read in time: write at least 64KiB", s.OutboxBytes)
	case s.Silence <= s.PingInterval:
		return "sockets.silence", fmt.Sprintf("%s is not longer than the time between pings (%s): clients that answer them would be cut off; write twice as long", s.Silence, s.PingInterval)
	}
	return "", ""
}

func (s Speech) fits() (key, problem string) {
	switch {
	case !s.enabled() && s.URL != "":
		return "speech.url", "is set but no model is: add --transcription-model NAME or --speech-model NAME"
	case s.Model == "" && s.Voice != defaultOf("speech.voice"):
		return "speech.voice", "is set but no model speaks: add --speech-model NAME"
	}
	return "", ""
}

func (e Embedder) fits() (key, problem string) {
	switch {
	case e.Remote():
		return "", ""
	case e.URL != "":
		return "embedder.url", "is set but no model is: add --embedder-model NAME"
	case e.Dimensions != 0:
		return "embedder.dimensions", "is set but no model is: add --embedder-model NAME"
	}
	return "", ""
}

func (r Rerank) fits() (key, problem string) {
	switch {
	case r.Enabled():
		return "", ""
	case r.Key != "":
		return "rerank.key", "is set but no server is: add --rerank-url URL"
	}
	return "", ""
}

// defaultOf returns the default of a setting as text.
func defaultOf(key string) string {
	for _, s := range Settings() {
		if s.Key == key {
			return s.Default
		}
	}
	return ""
}
