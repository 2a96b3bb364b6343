// Package imap reads the messages of mailboxes on an IMAP server.
package imap

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"docent/ingest/source/dial"
	"docent/internal/fault"
)

// Config describes an IMAP source. Passwords are sent over TLS only.
type Config struct {
	// URL is the address of the server: imaps://host for TLS from the start,
	// imap://host for STARTTLS. A port may follow. Required.
	URL string `json:"url"`
	// User is the name of the account. Required.
	User string `json:"user"`
	// Password is the password of User. Required. It is a secret.
	Password string `json:"password"`
	// Mailboxes are the names of the mailboxes to read. In a name, * matches any
	// characters. % matches any characters except the separator of levels. Default:
	// "INBOX".
	Mailboxes []string `json:"mailboxes,omitempty"`
	// Certificate is a certificate authority in PEM format to trust in addition to
	// those of the system. Default: none.
	Certificate string `json:"certificate,omitempty"`
	// MaxMessages bounds the messages of the source. Default: 100000.
	MaxMessages int `json:"max_messages,omitempty"`
	// MaxBytes bounds the size of one message. Default: 52428800 (50 MB).
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// TimeoutSeconds bounds the listing of one mailbox and the download of one message.
	// Signing in takes at most a minute. Default: 300.
	TimeoutSeconds int `json:"timeout_seconds,omitempty"`
	// AllowPrivate lets the source connect to private addresses. Only the operator
	// can set it; it is not an option of the source. Default: false.
	AllowPrivate bool `json:"-"`
	// Dial connects to servers. Default: the dialer of package dial.
	Dial dial.Func `json:"-"`
}

// Source is an IMAP source. It implements source.Source and is safe for
// concurrent use of Open.
type Source struct {
	cfg  Config
	url  *url.URL
	addr string
	tls  *tls.Config

	mu     sync.Mutex  // guards the connection for Open, which sends one command at a time
	reader *connection // nil if there is none
	idle   *time.Timer // closes reader
}

// New checks a configuration and returns its source. It does not connect.
func New(cfg Config) (*Source, error) {
	u, err := dial.ParseURL(cfg.URL, cfg.AllowPrivate, "imaps", "imap")
	if err != nil {
		return nil, err
	}
	port := u.Port()
	switch {
	case port == "" && u.Scheme == "imaps":
		port = "993"
	case port == "":
		port = "143"
	}
	for _, f := range []struct{ name, value string }{{"user", cfg.User}, {"password", cfg.Password}} {
		if f.value == "" {
			return nil, fault.New(fault.Invalid, "mail_option_missing", "%s: it is missing", f.name)
		}
		if strings.ContainsAny(f.value, "\r\n\x00") {
			return nil, fault.New(fault.Invalid, "mail_option_lines", "%s must be a single line", f.name)
		}
	}
	if len(cfg.Mailboxes) == 0 {
		cfg.Mailboxes = []string{"INBOX"}
	}
	for _, m := range cfg.Mailboxes {
		if m == "" || strings.ContainsAny(m, "\r\n\x00") || len(m) > 500 {
			return nil, fault.New(fault.Invalid, "mailbox_name_invalid", "mailboxes: %q is not the name of a mailbox", m)
		}
	}
	if cfg.MaxMessages < 0 || cfg.MaxBytes < 0 || cfg.TimeoutSeconds < 0 {
		return nil, fault.New(fault.Invalid, "mail_option_negative", "max_messages, max_bytes, timeout_seconds: they cannot be negative")
	}
	if cfg.TimeoutSeconds == 0 {
		cfg.TimeoutSeconds = 300
	}
	if cfg.MaxMessages == 0 {
		cfg.MaxMessages = 100_000
	}
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = 50 << 20
	}
	s := &Source{cfg: cfg, url: u, addr: net.JoinHostPort(u.Hostname(), port)}
	s.tls = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	if cfg.Certificate != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM([]byte(cfg.Certificate)) {
			return nil, fault.New(fault.Invalid, "mail_certificate_invalid", "certificate: it is not a certificate in PEM format")
		}
		s.tls.RootCAs = pool
	}
	return s, nil
}

// Reaches reports whether a host is that of the address; see source.Bound.
func (s *Source) Reaches(host string) bool { return dial.SameHost(host, s.url) }

// Close ends the connection. The source stays usable.
func (s *Source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	return nil
}

// drop closes the connection for Open. The caller holds the lock.
func (s *Source) drop() {
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
	if s.reader != nil {
		s.reader.close()
		s.reader = nil
	}
}
