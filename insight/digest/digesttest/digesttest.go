// Package digesttest has a mail server for tests.
package digesttest

import (
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Letter is a mail that the server has taken.
type Letter struct {
	// From and To are the addresses of the envelope.
	From, To string
	// Subject and Text are its content.
	Subject, Text string
}

// Server is a mail server on this machine. It is safe for concurrent use.
type Server struct {
	// URL is its address for config.Mail. The user is docent.
	URL string
	// Password is the password of the user.
	Password string

	mu      sync.Mutex // guards the following fields
	letters []Letter
	refused map[string]int
}

// Start starts a server. It stops at the end of the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{Password: "secret of docent", refused: map[string]int{}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }))
	server.Domain, server.AllowInsecureAuth = "localhost", true
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = listener.Close() // Close of the server does it only if Serve has begun
		_ = server.Close()
		<-ended
	})
	s.URL = "smtp://docent@" + listener.Addr().String()
	return s
}

// Refuse makes the server answer a recipient with a code, such as 550. 0 takes mail again.
func (s *Server) Refuse(to string, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[to] = code
}

// Take returns the letters since the last call, ordered by recipient.
func (s *Server) Take() []Letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.letters
	s.letters = nil
	slices.SortFunc(out, func(a, b Letter) int { return strings.Compare(a.To, b.To) })
	return out
}

// session is a conversation with a client.
type session struct {
	server *Server
	known  bool
	letter Letter
}

// AuthMechanisms implements smtp.AuthSession.
func (*session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "docent" || password != s.server.Password {
			return smtp.ErrAuthFailed
		}
		s.known = true
		return nil
	}), nil
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if !s.known {
		return smtp.ErrAuthRequired
	}
	s.letter = Letter{From: from}
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if code := s.server.refused[to]; code != 0 {
		return &smtp.SMTPError{Code: code, Message: fmt.Sprintf("no mail for %s", to)}
	}
	s.letter.To = to
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return fmt.Errorf("read mail: %w", err)
	}
	body := m.Body
	if m.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("read mail: %w", err)
	}
	s.letter.Text = strings.ReplaceAll(string(text), "\r\n", "\n")
	if s.letter.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return fmt.Errorf("read mail: %w", err)
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.letters = append(s.server.letters, s.letter)
	return nil
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.letter = Letter{} }

// Logout implements smtp.Session.
func (*session) Logout() error { return nil }
