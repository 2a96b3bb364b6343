// Package forge reads the issues, pull requests, and wiki pages of repositories on GitHub,
// GitLab, Gitea, and Forgejo over their APIs.
package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"docent/ingest/source"
	"docent/ingest/source/dial"
	"docent/internal/fault"
)

// Config describes a source on a forge.
type Config struct {
	// URL is the address of the repository. Required.
	URL string `json:"url"`
	// Software is github, gitlab, or gitea, which is also for Forgejo. Default: what the
	// name of the host says.
	Software string `json:"software,omitempty"`
	// Parts are those to read: issues, pulls, and wiki. Default: all. GitHub's API has no
	// wikis.
	Parts []string `json:"parts,omitempty"`
	// Token is an access token. It is a secret. Default: none.
	Token string `json:"token,omitempty"`
	// Reader selects whose documents the source has: "public", or the name of a team or
	// group of the forge. Default: none, all that the token may read.
	Reader string `json:"reader,omitempty"`
	// MaxItems bounds the issues, pull requests, and pages. Default: 50000.
	MaxItems int `json:"max_items,omitempty"`
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

// The limits of a source: the bytes of one response, the pages of one list and of the
// comments of one issue, the bytes of the listed texts that wait for Open, and the bytes of a document.
const (
	maxResponse = 32 << 20
	maxPages    = 2000

	maxCommentPages = 200
	maxWaiting      = 64 << 20
	maxDocument     = 16 << 20
)

// The parts of a repository.
const (
	issues = "issues"
	pulls  = "pulls"
	wiki   = "wiki"
)

// Source is a source on a forge. It implements source.Source and is safe for concurrent
// use of Open.
type Source struct {
	cfg    Config
	url    *url.URL
	api    api
	client *http.Client

	mu      sync.Mutex
	allowed access
	waiting map[string]ticket // listed issues that Open reads, by key
	size    int               // the bytes of their texts
}

// New checks a configuration and returns its source. It does not connect.
func New(cfg Config) (*Source, error) {
	u, err := dial.ParseURL(cfg.URL, cfg.AllowPrivate, "https", "http")
	if err != nil {
		return nil, err
	}
	if cfg.MaxItems < 0 || cfg.TimeoutSeconds < 0 || cfg.RetryMillis < 0 {
		return nil, fault.New(fault.Invalid, "forge_option_negative", "max_items, timeout_seconds, retry_ms: they cannot be negative")
	}
	if cfg.MaxItems == 0 {
		cfg.MaxItems = 50_000
	}
	for _, part := range cfg.Parts {
		if !slices.Contains([]string{issues, pulls, wiki}, part) {
			return nil, fault.New(fault.Invalid, "forge_part_unknown", "parts: %.64q is not one of issues, pulls, and wiki", part)
		}
	}
	api, err := newAPI(u, cfg.Software)
	if err != nil {
		return nil, err
	}
	if slices.Contains(cfg.Parts, wiki) && api.software == github {
		return nil, fault.New(fault.Invalid, "forge_no_wiki",
			"parts: GitHub's API has no wikis; add a source of kind git with the address of the repository and .wiki.git")
	}
	o := dial.Options{
		AllowPrivate: cfg.AllowPrivate,
		Dial:         cfg.Dial,
		Timeout:      time.Duration(cfg.TimeoutSeconds) * time.Second,
		RetryWait:    time.Duration(cfg.RetryMillis) * time.Millisecond,
		Redirects:    5,
		Connections:  2,
		MaxBody:      maxResponse,
	}
	if cfg.Token != "" {
		o.Authorization = "Bearer " + cfg.Token
		if api.software == gitea {
			o.Authorization = "token " + cfg.Token
		}
	}
	return &Source{cfg: cfg, url: u, api: api, client: dial.Client(o)}, nil
}

// Reaches reports whether a host is that of the repository or of its API; see
// source.Bound.
func (s *Source) Reaches(host string) bool {
	return dial.SameHost(host, s.url) || dial.SameHost(host, s.api.base)
}

// Close ends idle connections and frees memory. The source stays usable.
func (s *Source) Close() error {
	s.client.CloseIdleConnections()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting, s.size = nil, 0
	return nil
}

// reads reports whether the source has a part of the repository.
func (s *Source) reads(part string) bool {
	s.mu.Lock()
	allowed := s.allowed
	s.mu.Unlock()
	return s.wants(part) && (s.cfg.Reader == "" || allowed[part])
}

func (s *Source) wants(part string) bool {
	return len(s.cfg.Parts) == 0 && (part != wiki || s.api.software != github) || slices.Contains(s.cfg.Parts, part)
}

// state is the stored state of an item between two syncs.
type state struct {
	// Changed is the time of the last change, or the hash of a wiki page.
	Changed string `json:"c"`
}

// List requests the issues, the pull requests, and the pages, up to 100 with one request.
func (s *Source) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		_ = s.Close()
		allowed, err := s.access(ctx)
		if err != nil {
			yield(source.Item{}, fmt.Errorf("list %s: %w", s.url, err))
			return
		}
		s.mu.Lock()
		s.waiting, s.allowed = map[string]ticket{}, allowed
		s.mu.Unlock()
		seen := map[string]bool{}
		take := func(item source.Item, changed string, t *ticket) bool {
			if seen[item.Key] {
				return true
			}
			seen[item.Key] = true
			st := state{changed}
			item.State, item.Err = json.Marshal(st)
			if raw, ok := known(item.Key); ok {
				var old state
				item.Unchanged = changed != "" && len(raw) < 1000 && json.Unmarshal(raw, &old) == nil && old == st
			}
			if t != nil && !item.Unchanged {
				s.keep(item.Key, *t)
			}
			return yield(item, nil)
		}
		if err := s.list(ctx, take, seen); err != nil {
			yield(source.Item{}, fmt.Errorf("list %s: %w", s.url, err))
		}
	}
}

func (s *Source) list(ctx context.Context, take func(source.Item, string, *ticket) bool, seen map[string]bool) error {
	for _, l := range s.api.lists(s.reads) {
		err := pages(ctx, s, l.address, maxPages, func(t ticket) (bool, error) {
			part := l.part
			if t.PullRequest != nil {
				part = pulls
			}
			if t.number() <= 0 || !s.reads(part) || s.cfg.Reader != "" && t.Confidential {
				return true, nil
			}
			if len(seen) >= s.cfg.MaxItems {
				return false, fault.New(fault.Invalid, "forge_too_many", "more than %d issues and pull requests; raise max_items", s.cfg.MaxItems)
			}
			item := source.Item{Key: fmt.Sprintf("%s/%d", part, t.number()), Name: "issue.md", Address: t.address(), Modified: t.UpdatedAt}
			return take(item, t.UpdatedAt.UTC().Format(time.RFC3339Nano), &t), nil
		})
		if err != nil || ctx.Err() != nil {
			return err
		}
	}
	if !s.reads(wiki) {
		return nil
	}
	err := pages(ctx, s, s.api.wiki(), maxPages, func(p page) (bool, error) {
		if len(seen) >= s.cfg.MaxItems {
			return false, fault.New(fault.Invalid, "forge_too_many", "more than %d issues and pull requests; raise max_items", s.cfg.MaxItems)
		}
		if p.slug() == "" {
			return true, nil
		}
		item := source.Item{Key: "wiki/" + p.slug(), Name: p.name(), Address: p.address(s.url)}
		return take(item, p.version(), nil), nil
	})
	if fault.KindOf(err) == fault.NotFound || fault.KindOf(err) == fault.Forbidden && len(s.cfg.Parts) == 0 {
		return nil // the repository has no wiki
	}
	return err
}

// keep keeps an issue for Open, unless many wait.
func (s *Source) keep(key string, t ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(t.Title) + len(t.Body) + len(t.Description) + 512; s.size+n < maxWaiting {
		s.waiting[key] = t
		s.size += n
	}
}

// Open returns an issue or a pull request with its comments, or a page.
func (s *Source) Open(ctx context.Context, item source.Item) (io.ReadCloser, error) {
	part, which, _ := strings.Cut(item.Key, "/")
	if part == wiki {
		var p page
		if _, err := s.get(ctx, s.api.page(which), &p); err != nil {
			return nil, err
		}
		text, err := p.text()
		return io.NopCloser(strings.NewReader(text)), err
	}
	s.mu.Lock()
	t, ok := s.waiting[item.Key]
	s.mu.Unlock()
	if !ok {
		if _, err := s.get(ctx, s.api.item(part, which), &t); err != nil {
			return nil, err
		}
	}
	var comments []comment
	size := 0
	for _, address := range s.api.comments(part, which, t) {
		err := pages(ctx, s, address, maxCommentPages, func(c comment) (bool, error) {
			hidden := s.cfg.Reader != "" && (c.Confidential || c.Internal)
			if !c.System && !hidden && strings.TrimSpace(c.Body) != "" {
				comments = append(comments, c)
				size += len(c.Body)
			}
			return size < maxDocument, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return io.NopCloser(strings.NewReader(t.document(part, s.api.project, comments).Markdown())), nil
}
