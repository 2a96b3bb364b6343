// Package web reads web pages: one page, the pages of a sitemap, or the pages
// that a bounded crawl finds.
package web

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"docent/ingest/source/dial"
	"docent/internal/fault"
)

// The modes of a source.
const (
	// ModePage reads one page.
	ModePage = "page"
	// ModeSitemap reads the pages that a sitemap lists.
	ModeSitemap = "sitemap"
	// ModeCrawl follows the links of a page.
	ModeCrawl = "crawl"
)

// Config describes a web source.
type Config struct {
	// URL is the address of the page, of the sitemap, or of the page where the
	// crawl starts. Required.
	URL string `json:"url"`
	// Mode is "page", "sitemap", or "crawl". Default: "sitemap" if the address ends
	// with .xml or .xml.gz, else "page".
	Mode string `json:"mode,omitempty"`
	// Depth is the maximum number of links between the first page and a crawled
	// page. Default: 10.
	Depth int `json:"depth,omitempty"`
	// MaxPages bounds the pages that one sync requests. Default: 5000.
	MaxPages int `json:"max_pages,omitempty"`
	// Prefixes limit the source to pages below these paths. Default: the folder of
	// the address.
	Prefixes []string `json:"prefixes,omitempty"`
	// Exclude omits the pages below these paths. Default: none.
	Exclude []string `json:"exclude,omitempty"`
	// Hosts are additional hosts whose pages are read. Default: none.
	Hosts []string `json:"hosts,omitempty"`
	// IgnoreRobots also reads pages that robots.txt forbids. Set it only for your
	// own sites. Default: false.
	IgnoreRobots bool `json:"ignore_robots,omitempty"`
	// DelayMillis is the minimum time between two requests, in milliseconds. A
	// longer Crawl-delay in robots.txt takes precedence, up to 10 seconds. Default:
	// 0.
	DelayMillis int `json:"delay_ms,omitempty"`
	// Parallel is the number of concurrent requests, from 1 to 8. Default: 3.
	Parallel int `json:"parallel,omitempty"`
	// MaxBytes bounds the size of one document. Default: 52428800 (50 MB).
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// TimeoutSeconds bounds one attempt of a request. Default: 60.
	TimeoutSeconds int `json:"timeout_seconds,omitempty"`
	// RetryMillis is the wait before the first retry of a failed request, in
	// milliseconds. It doubles with each of the four retries. Default: 300.
	RetryMillis int `json:"retry_ms,omitempty"`
	// UserAgent is the User-Agent header. Default: docent's own.
	UserAgent string `json:"user_agent,omitempty"`
	// Authorization is sent in the Authorization header, and only to the host of
	// URL. An example is "Bearer TOKEN". It is a secret. Default: none.
	Authorization string `json:"authorization,omitempty"`
	// AllowPrivate lets the source connect to private addresses. Only the operator
	// can set it; it is not an option of the source. Default: false.
	AllowPrivate bool `json:"-"`
	// Dial connects to servers. Default: the dialer of package dial.
	Dial dial.Func `json:"-"`
}

// Source is a web source. It implements source.Source and is safe for
// concurrent use of Open.
type Source struct {
	cfg    Config
	start  *url.URL // canonical
	client *http.Client

	mu       sync.Mutex
	scope    scope
	spool    spool
	next     time.Time     // when the next request may be sent
	interval time.Duration // time between two requests
}

// New checks a configuration and returns its source. It does not connect.
func New(cfg Config) (*Source, error) {
	u, err := dial.ParseURL(cfg.URL, cfg.AllowPrivate, "https", "http")
	if err != nil {
		return nil, err
	}
	key, ok := canonical(u)
	if !ok {
		return nil, fault.New(fault.Invalid, "web_url_invalid", "url: %q is not the address of a page", cfg.URL)
	}
	if u, err = url.Parse(key); err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "url_invalid", "url: %q is not an address", cfg.URL)
	}
	if err := cfg.complete(u); err != nil {
		return nil, err
	}
	return &Source{
		cfg:   cfg,
		start: u,
		scope: newScope(u, cfg),
		client: dial.Client(dial.Options{
			AllowPrivate: cfg.AllowPrivate,
			Dial:         cfg.Dial,
			UserAgent:    cfg.UserAgent,
			Timeout:      time.Duration(cfg.TimeoutSeconds) * time.Second,
			RetryWait:    time.Duration(cfg.RetryMillis) * time.Millisecond,
			Connections:  cfg.Parallel,
			MaxBody:      cfg.MaxBytes,
		}),
	}, nil
}

// complete fills in defaults and checks the ranges.
func (c *Config) complete(start *url.URL) error {
	if c.Mode == "" {
		c.Mode = ModePage
		if strings.HasSuffix(start.Path, ".xml") || strings.HasSuffix(start.Path, ".xml.gz") {
			c.Mode = ModeSitemap
		}
	}
	if c.Mode != ModePage && c.Mode != ModeSitemap && c.Mode != ModeCrawl {
		return fault.New(fault.Invalid, "web_mode_invalid", "mode: %q is not one of page, sitemap, crawl", c.Mode)
	}
	for _, f := range []struct {
		name             string
		value            *int
		least, most, std int
	}{
		{"depth", &c.Depth, 1, 1000, 10},
		{"max_pages", &c.MaxPages, 1, 200_000, 5000},
		{"delay_ms", &c.DelayMillis, 0, 60_000, 0},
		{"parallel", &c.Parallel, 1, 8, 3},
		{"timeout_seconds", &c.TimeoutSeconds, 1, 600, 60},
		{"retry_ms", &c.RetryMillis, 1, 60_000, 300},
	} {
		if *f.value == 0 {
			*f.value = f.std
		}
		if *f.value < f.least || *f.value > f.most {
			return fault.New(fault.Invalid, "option_out_of_range", "%s: %d is not between %d and %d", f.name, *f.value, f.least, f.most)
		}
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 50 << 20
	}
	if c.MaxBytes < 0 || c.MaxBytes > 1<<30 {
		return fault.New(fault.Invalid, "max_bytes_out_of_range", "max_bytes: %d is not between 1 and %d", c.MaxBytes, 1<<30)
	}
	for _, list := range []struct {
		name  string
		paths []string
	}{{"prefixes", c.Prefixes}, {"exclude", c.Exclude}} {
		for _, p := range list.paths {
			if !strings.HasPrefix(p, "/") {
				return fault.New(fault.Invalid, "web_path_invalid", "%s: %q must begin with /", list.name, p)
			}
		}
	}
	return nil
}

// Close ends idle connections and frees memory. The source stays usable.
func (s *Source) Close() error {
	s.client.CloseIdleConnections()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spool.reset()
	return nil
}
