package digest

import (
	"context"
	"errors"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"docent/config"
	"docent/internal/fault"
)

const (
	// mailTimeout bounds one step of the conversation with a mail server.
	mailTimeout = 15 * time.Second
	// maxReply bounds the words of a mail server in a problem, in bytes.
	maxReply = 300
)

// The ports of mail servers that take mail of their users.
const (
	submission    = 587
	submissionTLS = 465
)

// newClient returns the client of a server. With a user, it needs TLS, except on this machine.
func newClient(s config.Mail) (*gomail.Client, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Hostname() == "" {
		return nil, fault.New(fault.Invalid, "digest_server", "smtp.url is not a URL such as smtp://user@mail.example.com:587")
	}
	port := submission
	if u.Scheme == "smtps" {
		port = submissionTLS
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, fault.New(fault.Invalid, "digest_server", "smtp.url is not a URL such as smtp://user@mail.example.com:587")
		}
	}
	options := []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(mailTimeout), gomail.WithoutNoop()}
	user, here := u.User.Username(), loopback(u.Hostname())
	switch {
	case u.Scheme == "smtps":
		options = append(options, gomail.WithSSL())
	case here:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case user == "":
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	}
	switch {
	case user == "":
	case here && u.Scheme != "smtps":
		options = append(options, gomail.WithUsername(user), gomail.WithPassword(s.Password), gomail.WithOpportunisticSMTPAuth(
			gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthCramMD5, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	default:
		options = append(options, gomail.WithUsername(user), gomail.WithPassword(s.Password), gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover))
	}
	client, err := gomail.NewClient(u.Hostname(), options...)
	return client, fault.Wrap(fault.Invalid, err, "digest_server", "smtp.url is not a URL such as smtp://user@mail.example.com:587")
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// letter is a digest for one recipient.
type letter struct {
	to            config.Recipient
	subject, text string
}

// post sends a letter over a connection.
func post(s config.Mail, client *gomail.Client, l letter, now time.Time) error {
	m := gomail.NewMsg()
	if err := m.From(s.From); err != nil {
		return fault.Wrap(fault.Invalid, err, "digest_from", "smtp.from is not an address such as docent@example.com")
	}
	m.ToMailAddress(&mail.Address{Name: l.to.User, Address: l.to.Address})
	m.Subject(l.subject)
	m.SetDateWithValue(now)
	m.SetMessageID()
	m.SetGenHeader("Auto-Submitted", "auto-generated") // so that nobody's absence note answers it
	m.SetBodyString(gomail.TypeTextPlain, l.text)
	err := client.Send(m)
	if m.IsDelivered() { // a later failure is none of the letter
		return nil
	}
	return refused(err)
}

// refused is the problem of a letter or a connection.
func refused(err error) error {
	if err == nil {
		return nil
	}
	kind := fault.Unavailable
	var failed *gomail.SendError
	if errors.As(err, &failed) && !failed.IsTemp() && failed.ErrorCode() >= 500 {
		kind = fault.Invalid // it will not change
	}
	return fault.Wrap(kind, err, "digest_refused", "the mail server did not take the digest: %s", oneLine(err.Error()))
}

// oneLine returns a text without line breaks and control characters, of at most maxReply bytes.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return r <= ' ' || r == 0x7f || unicode.IsSpace(r) && r != '\u00a0' // which stays in French
	}), " ")
	return strings.ToValidUTF8(text[:min(len(text), maxReply)], "")
}

// connect opens a connection to a server. The caller closes the client.
func connect(ctx context.Context, s config.Mail) (*gomail.Client, error) {
	client, err := newClient(s)
	if err != nil {
		return nil, err
	}
	if err := client.DialWithContext(ctx); err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "digest_unreachable", "the mail server cannot be used: %s", oneLine(err.Error()))
	}
	return client, nil
}
