// Package mediawiki reads the pages of a MediaWiki, such as Wikipedia, over its API.
package mediawiki

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"docent/ingest/source"
	"docent/ingest/source/dial"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Config describes a MediaWiki source.
type Config struct {
	// URL is the address of a page of the wiki, or of its api.php. Required.
	URL string `json:"url"`
	// Namespaces are the names or numbers of the namespaces to read. Default: the
	// namespaces that the wiki declares as content.
	Namespaces []string `json:"namespaces,omitempty"`
	// User is the name of a bot password, such as Reader@docent. Default: none.
	User string `json:"user,omitempty"`
	// Password is the bot password of User. It is a secret. Default: none.
	Password string `json:"password,omitempty"`
	// Token is an OAuth token that is sent instead of user and password. It is a
	// secret. Default: none.
	Token string `json:"token,omitempty"`
	// Reader is the group of the wiki whose pages the source has, or * for those of
	// everybody. The account must be in no other group, so that the wiki itself decides.
	// Default: none, the pages that the account may read.
	Reader string `json:"reader,omitempty"`
	// MaxPages bounds the pages of the source. Default: 100000.
	MaxPages int `json:"max_pages,omitempty"`
	// MaxBytes bounds the size of one response, and so of one page. Default:
	// 20971520 (20 MB).
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// TimeoutSeconds bounds one attempt of a request. Default: 60.
	TimeoutSeconds int `json:"timeout_seconds,omitempty"`
	// RetryMillis is the wait before the first retry of a failed request, in
	// milliseconds. It doubles with each of the four retries. Default: 300.
	RetryMillis int `json:"retry_ms,omitempty"`
	// AllowPrivate lets the source connect to private addresses. Only the operator
	// can set it; it is not an option of the source. Default: false.
	AllowPrivate bool `json:"-"`
	// Dial connects to servers. Default: the dialer of package dial.
	Dial dial.Func `json:"-"`
}

// maxRequests bounds the requests of a listing, and maxTitle the bytes of a title.
const (
	maxRequests = 10_000
	maxTitle    = 1000
)

// Source is a MediaWiki source. It implements source.Source and is safe for
// concurrent use of Open.
type Source struct {
	cfg    Config
	url    *url.URL
	client *http.Client

	mu   sync.Mutex
	site *site // nil before the first request
}

// New checks a configuration and returns its source. It does not connect.
func New(cfg Config) (*Source, error) {
	u, err := dial.ParseURL(cfg.URL, cfg.AllowPrivate, "https", "http")
	if err != nil {
		return nil, err
	}
	switch {
	case cfg.User == "" && cfg.Password != "":
		return nil, fault.New(fault.Invalid, "user_missing", "user: it is missing for the password")
	case cfg.Reader == everybody && (cfg.User != "" || cfg.Token != ""):
		return nil, fault.New(fault.Invalid, "wiki_reader_public", "reader: give no user and no token for the pages of everybody")
	case cfg.Token != "" && cfg.User != "":
		return nil, fault.New(fault.Invalid, "token_and_password", "token: give either a token or user and password")
	case cfg.MaxPages < 0, cfg.MaxBytes < 0, cfg.TimeoutSeconds < 0, cfg.RetryMillis < 0:
		return nil, fault.New(fault.Invalid,
			"pages_option_negative", "max_pages, max_bytes, timeout_seconds, retry_ms: they cannot be negative")
	}
	if cfg.MaxPages == 0 {
		cfg.MaxPages = 100_000
	}
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = 20 << 20
	}
	o := dial.Options{
		AllowPrivate: cfg.AllowPrivate,
		Dial:         cfg.Dial,
		Timeout:      time.Duration(cfg.TimeoutSeconds) * time.Second,
		RetryWait:    time.Duration(cfg.RetryMillis) * time.Millisecond,
		Redirects:    5,
		Connections:  2,
		MaxBody:      cfg.MaxBytes,
	}
	if cfg.Token != "" {
		o.Authorization = "Bearer " + cfg.Token
	}
	client := dial.Client(o)
	if client.Jar, err = cookiejar.New(nil); err != nil { // a session has a cookie
		return nil, fmt.Errorf("keep cookies: %w", err)
	}
	return &Source{cfg: cfg, url: u, client: client}, nil
}

// Reaches reports whether a host is that of the address; see source.Bound.
func (s *Source) Reaches(host string) bool { return dial.SameHost(host, s.url) }

// Close ends idle connections. The source stays usable.
func (s *Source) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// state is the stored state of a page between two syncs.
type state struct {
	// Revision is the number of the last edit.
	Revision int64 `json:"r"`
	// Touched changes with the page, and with templates in it.
	Touched string `json:"t"`
}

// listed is a page in the answer of the API.
type listed struct {
	ID        int64              `json:"pageid"`
	Title     string             `json:"title"`
	Revision  int64              `json:"lastrevid"`
	Touched   string             `json:"touched"`
	Address   string             `json:"fullurl"`
	Revisions dial.List[changed] `json:"revisions"`
	Actions   struct {
		Read *bool `json:"read"`
	} `json:"actions"`
}

// readable reports whether the account may read a page, as the wiki says. Wikis can restrict
// namespaces and pages, and list them all the same.
func (p listed) readable(strict bool) bool {
	if p.Actions.Read == nil {
		return !strict
	}
	return *p.Actions.Read
}

// changed is a revision of a page.
type changed struct {
	At time.Time `json:"timestamp"`
}

// batch is the answer to a part of a listing.
type batch struct {
	Complete bool              `json:"batchcomplete"`
	Continue map[string]string `json:"continue"`
	Query    struct {
		Pages dial.List[listed] `json:"pages"`
	} `json:"query"`
}

// List requests the pages of each namespace, up to 500 with one request. Redirects are
// no pages.
func (s *Source) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		if err := s.list(ctx, known, yield); err != nil {
			yield(source.Item{}, fmt.Errorf("list %s: %w", s.url, err))
		}
	}
}

func (s *Source) list(ctx context.Context, known source.Known, yield func(source.Item, error) bool) error {
	site, err := s.connect(ctx, true)
	if s.cfg.Reader == everybody && fault.TextOf(err).ID == deniedID {
		return nil // everybody may read no page
	}
	if err != nil {
		return err
	}
	seen, requests := map[int64]bool{}, 0
	for _, namespace := range site.namespaces {
		part := map[int64]listed{} // pages whose properties are incomplete
		next := map[string]string{}
		for next != nil {
			if requests++; requests > maxRequests {
				return s.tooMany()
			}
			params := url.Values{
				"action": {"query"}, "generator": {"allpages"}, "gapnamespace": {strconv.Itoa(namespace)}, "gapfilterredir": {"nonredirects"},
				"gaplimit": {"max"}, "prop": {"info|revisions"}, "inprop": {"url"}, "rvprop": {"timestamp"}, "intestactions": {"read"},
			}
			for name, value := range next {
				params.Set(name, value)
			}
			var got batch
			if err := s.call(ctx, site, params, &got); err != nil {
				return err
			}
			for _, p := range got.Query.Pages {
				if old, ok := part[p.ID]; ok && len(p.Revisions) == 0 {
					p.Revisions = old.Revisions
				}
				if part[p.ID] = p; len(part)+len(seen) > s.cfg.MaxPages {
					return s.tooMany()
				}
			}
			next = got.Continue
			if !got.Complete && next != nil {
				continue
			}
			for id, p := range part {
				if seen[id] || id <= 0 || p.Title == "" || len(p.Title) > maxTitle {
					continue
				}
				seen[id] = true
				if !p.readable(s.cfg.Reader != "") {
					continue
				}
				if !yield(s.item(p, known), nil) {
					return nil
				}
			}
			clear(part)
		}
	}
	return nil
}

func (s *Source) tooMany() error {
	return fault.New(fault.Invalid,
		"wiki_too_many_pages", "more than %d pages; choose fewer namespaces or raise max_pages", s.cfg.MaxPages)
}

func (s *Source) item(p listed, known source.Known) source.Item {
	item := source.Item{
		Key: strconv.FormatInt(p.ID, 10), Name: strings.ReplaceAll(p.Title, "/", "-") + ".html",
		Address: p.Address, DateFrom: corpus.PageMarkup,
	}
	if u, err := s.url.Parse(p.Address); err == nil { // it may have no scheme
		item.Address = u.String()
	}
	if len(p.Revisions) > 0 {
		item.Modified = p.Revisions[0].At
	}
	st := state{p.Revision, p.Touched}
	item.State, item.Err = json.Marshal(st)
	if raw, ok := known(item.Key); ok {
		var old state
		item.Unchanged = len(raw) < 1000 && json.Unmarshal(raw, &old) == nil && old == st
	}
	return item
}

// Open requests a page as HTML.
func (s *Source) Open(ctx context.Context, item source.Item) (io.ReadCloser, error) {
	site, err := s.connect(ctx, false)
	if err != nil {
		return nil, err
	}
	params := url.Values{
		"action": {"parse"}, "pageid": {item.Key}, "prop": {"text|categories"},
		"disablelimitreport": {"1"}, "disableeditsection": {"1"}, "disabletoc": {"1"},
	}
	var got struct {
		Parse parsed `json:"parse"`
	}
	if err := s.call(ctx, site, params, &got); err != nil {
		return nil, err
	}
	return io.NopCloser(strings.NewReader(got.Parse.page(item))), nil
}
