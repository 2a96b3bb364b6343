package config

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxRecipients bounds the recipients of the weekly digest.
const MaxRecipients = 50

// Mail configures the mail server.
type Mail struct {
	// URL is smtp://USER@HOST:PORT, or smtps:// for TLS from the beginning. USER and PORT may be absent. Default
	// none: docent sends no mail.
	URL string
	// Password is the password of the user; default none.
	Password string
	// From is the address of the sender; default none.
	From string
}

// Digest configures the weekly digest.
type Digest struct {
	// Day is the weekday in English, such as monday, or off; default off.
	Day string
	// Recipients get it as mail; default none.
	Recipients []Recipient
	// Language is the language of the texts: en, de, fr, or es; default en.
	Language string
}

// Recipient is somebody who gets the weekly digest as mail.
type Recipient struct {
	// Address is the address for mail.
	Address string
	// User is the name of a user, who gets the digest of the collections that they manage. "" stands for
	// nobody in particular, who gets everything.
	User string
}

// off is the day of a digest that is not sent.
const off = "off"

// digestDays are the values of Digest.Day.
var digestDays = []string{off, "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// digestLanguages are the values of Digest.Language.
var digestLanguages = []string{"en", "de", "fr", "es"}

// Weekday returns the weekday of the digest. It returns false if no digest is sent.
func (d Digest) Weekday() (time.Weekday, bool) {
	i := slices.Index(digestDays, d.Day)
	return time.Weekday(max(i, 0) % 7), i > 0
}

// recipients is a list such as "ops@example.com, ann <ann@example.com>".
func recipients(p func(*Config) *[]Recipient) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error {
			list, err := parseRecipients(s)
			if err == nil {
				*p(c) = list
			}
			return err
		}, func(c Config) string {
			var out []string
			for _, r := range *p(&c) {
				switch {
				case r.User == "":
					out = append(out, r.Address)
				case strings.ContainsAny(r.User, `()<>[]:;@\,."`):
					out = append(out, strconv.Quote(r.User)+" <"+r.Address+">")
				default:
					out = append(out, r.User+" <"+r.Address+">")
				}
			}
			return strings.Join(out, ", ")
		}
}

func parseRecipients(text string) ([]Recipient, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	list, err := mail.ParseAddressList(text)
	if err != nil {
		return nil, errors.New("it is not a list such as ops@example.com, ann <ann@example.com>")
	}
	var out []Recipient
	for _, a := range list {
		if !slices.ContainsFunc(out, func(r Recipient) bool { return r.Address == a.Address }) {
			out = append(out, Recipient{Address: a.Address, User: a.Name})
		}
	}
	if len(out) > MaxRecipients {
		return nil, fmt.Errorf("it has %d recipients; at most %d are allowed", len(out), MaxRecipients)
	}
	return out, nil
}

// wrong returns the key of a setting that does not fit, and the reason, or "".
func (m Mail) wrong() (key, reason string) {
	if m.URL == "" {
		return "", ""
	}
	u, err := url.Parse(m.URL)
	switch {
	case err != nil, u.Scheme != "smtp" && u.Scheme != "smtps", u.Hostname() == "":
		return "smtp.url", "is not a URL such as smtp://user@mail.example.com:587"
	}
	if _, set := u.User.Password(); set {
		return "smtp.url", "has a password; set smtp.password instead"
	}
	if _, err := mail.ParseAddress(m.From); err != nil {
		return "smtp.from", "must be the address of the sender, such as docent@example.com"
	}
	return "", ""
}

// digestSettings are the settings of mail and the weekly digest.
func digestSettings() []Setting {
	return []Setting{
		with(Setting{
			Key: "smtp.url", Flag: "smtp-url", Env: []string{"DOCENT_SMTP_URL"}, Scope: Serving,
			Help: "mail server for the weekly digest, such as smtp://user@mail.example.com:587, or smtps:// for TLS from the beginning",
		})(text(func(c *Config) *string { return &c.Mail.URL })),
		with(Setting{
			Key: "smtp.password", Flag: "smtp-password", Env: []string{"DOCENT_SMTP_PASSWORD"}, Scope: Serving, Secret: true,
			Help: "password of the user of --smtp-url",
		})(text(func(c *Config) *string { return &c.Mail.Password })),
		with(Setting{
			Key: "smtp.from", Flag: "smtp-from", Env: []string{"DOCENT_SMTP_FROM"}, Scope: Serving,
			Help: "address of the sender of mail, such as docent@example.com",
		})(text(func(c *Config) *string { return &c.Mail.From })),
		with(Setting{
			Storage: Live, Values: digestDays,
			Key: "digest.day", Flag: "digest-day", Env: []string{"DOCENT_DIGEST_DAY"}, Scope: Serving,
			Help:    "weekday on which docent sends a digest of things to do at 07:00, in the time zone of the server; off for none",
			Default: off,
		})(oneOf(func(c *Config) *string { return &c.Digest.Day }, digestDays...)),
		with(Setting{
			Storage: Live,
			Key:     "digest.recipients", Flag: "digest-recipients", Env: []string{"DOCENT_DIGEST_RECIPIENTS"}, Scope: Serving,
			Help: "recipients of the weekly digest, such as ops@example.com, ann <ann@example.com>; " +
				"the user ann gets the digest of her collections, and an address alone gets everything",
		})(recipients(func(c *Config) *[]Recipient { return &c.Digest.Recipients })),
		with(Setting{
			Storage: Live, Values: digestLanguages,
			Key: "digest.language", Flag: "digest-language", Env: []string{"DOCENT_DIGEST_LANGUAGE"}, Scope: Serving,
			Help: "language of the weekly digest: en, de, fr, or es", Default: "en",
		})(oneOf(func(c *Config) *string { return &c.Digest.Language }, digestLanguages...)),
	}
}
