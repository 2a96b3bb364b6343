// Package feed reads the entries of RSS, Atom, and JSON feeds.
package feed

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html/charset"

	"docent/ingest/source"
	"docent/ingest/source/dial"
	"docent/ingest/source/web"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Config describes a feed source.
type Config struct {
	// URL is the address of the feed. Required.
	URL string `json:"url"`
	// Linked reads the page behind the link of an entry instead of the entry's own
	// text. Default: false.
	Linked bool `json:"linked,omitempty"`
	// RemoveOld removes entries that the feed no longer contains. Most feeds only
	// contain the latest entries. Default: false.
	RemoveOld bool `json:"remove_old,omitempty"`
	// MaxBytes bounds the size of the feed and of one page. Default: 20971520 (20
	// MB).
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// TimeoutSeconds bounds one attempt of a request. Default: 60.
	TimeoutSeconds int `json:"timeout_seconds,omitempty"`
	// RetryMillis is the wait before the first retry of a failed request, in
	// milliseconds. It doubles with each of the four retries. Default: 300.
	RetryMillis int `json:"retry_ms,omitempty"`
	// Authorization is sent in the Authorization header to the feed's server, but
	// not to linked pages. It is a secret. Default: none.
	Authorization string `json:"authorization,omitempty"`
	// AllowPrivate lets the source connect to private addresses. Only the operator
	// can set it; it is not an option of the source. Default: false.
	AllowPrivate bool `json:"-"`
	// Dial connects to servers. Default: the dialer of package dial.
	Dial dial.Func `json:"-"`
}

// The limits of a feed: entries, elements with their attributes, levels of elements,
// and bytes of a key. The parser needs up to a few hundred bytes for each element.
const (
	maxEntries  = 10_000
	maxElements = 400_000
	maxDepth    = 200
	maxKey      = 1000
)

// Source is a feed source. It implements source.Source and is safe for
// concurrent use of Open.
type Source struct {
	cfg    Config
	url    *url.URL
	client *http.Client // for the feed
	pages  *http.Client // for linked pages

	mu      sync.Mutex
	entries map[string]entry // of the last listing
}

// entry is one entry as a document.
type entry struct {
	text []byte // an HTML page
	link string // absolute, or ""
}

// New checks a configuration and returns its source. It does not connect.
func New(cfg Config) (*Source, error) {
	u, err := dial.ParseURL(cfg.URL, cfg.AllowPrivate, "https", "http")
	if err != nil {
		return nil, err
	}
	if cfg.MaxBytes < 0 || cfg.TimeoutSeconds < 0 || cfg.RetryMillis < 0 {
		return nil, fault.New(fault.Invalid, "feed_option_negative", "max_bytes, timeout_seconds, retry_ms: they cannot be negative")
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
	s := &Source{cfg: cfg, url: u, pages: dial.Client(o)}
	o.Authorization = cfg.Authorization
	s.client = dial.Client(o)
	return s, nil
}

// Partial reports whether entries that leave the feed stay; see source.Partial.
func (s *Source) Partial() bool { return !s.cfg.RemoveOld }

// Close ends idle connections and frees memory. The source stays usable.
func (s *Source) Close() error {
	s.client.CloseIdleConnections()
	s.pages.CloseIdleConnections()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = nil
	return nil
}

// state is the stored state of an entry between two syncs.
type state struct {
	Hash string `json:"h"`
}

func sameState(raw []byte, hash string) bool {
	var st state
	return len(raw) < 1000 && json.Unmarshal(raw, &st) == nil && st.Hash == hash
}

// List reads the feed with one request and yields its entries. Open later
// requests linked pages.
func (s *Source) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		f, err := s.read(ctx)
		if err != nil {
			yield(source.Item{}, fmt.Errorf("list %s: %w", s.url, err))
			return
		}
		s.mu.Lock()
		s.entries = make(map[string]entry)
		s.mu.Unlock()
		seen := make(map[string]bool)
		for _, e := range f.Items {
			if e == nil {
				continue
			}
			key := keyOf(e)
			if key == "" || seen[key] || len(seen) >= maxEntries {
				continue
			}
			seen[key] = true
			if !yield(s.item(e, key, known), nil) {
				return
			}
		}
	}
}

// keyOf returns the key of an entry: its id, its link, or its title.
func keyOf(e *gofeed.Item) string {
	for _, key := range []string{e.GUID, e.Link, e.Title} {
		key = strings.ToValidUTF8(strings.TrimSpace(key), "\uFFFD")
		if len(key) > maxKey {
			sum := sha256.Sum256([]byte(key))
			return hex.EncodeToString(sum[:])
		}
		if key != "" {
			return key
		}
	}
	return ""
}

func (s *Source) item(e *gofeed.Item, key string, known source.Known) source.Item {
	doc := entry{text: page(e)}
	if u, err := s.url.Parse(strings.TrimSpace(e.Link)); err == nil && e.Link != "" && (u.Scheme == "http" || u.Scheme == "https") {
		doc.link = u.String()
	}
	sum := sha256.Sum256(append([]byte(doc.link+"\x00"), doc.text...))
	hash := hex.EncodeToString(sum[:16])
	item := source.Item{Key: key, Name: slug(e.Title) + ".html", Address: doc.link, Size: int64(len(doc.text)), DateFrom: corpus.FeedEntry}
	if e.UpdatedParsed != nil {
		item.Modified = *e.UpdatedParsed
	} else if e.PublishedParsed != nil {
		item.Modified = *e.PublishedParsed
	}
	if s.cfg.Linked && doc.link != "" {
		item.Size, doc.text = 0, nil
	}
	item.State, item.Err = json.Marshal(state{hash})
	if raw, ok := known(key); ok {
		item.Unchanged = sameState(raw, hash)
	}
	if !item.Unchanged {
		s.mu.Lock()
		s.entries[key] = doc
		s.mu.Unlock()
	}
	return item
}

// page returns an HTML document with the content of an entry.
func page(e *gofeed.Item) []byte {
	var b bytes.Buffer
	title := html.EscapeString(strings.TrimSpace(e.Title))
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>%s</title></head><body><article><h1>%s</h1>\n", title, title)
	var facts []string
	for _, a := range e.Authors {
		if a != nil && a.Name != "" {
			facts = append(facts, html.EscapeString(a.Name))
		}
	}
	if e.PublishedParsed != nil {
		facts = append(facts, e.PublishedParsed.UTC().Format("2 January 2006"))
	}
	if len(facts) > 0 {
		fmt.Fprintf(&b, "<p>%s</p>\n", strings.Join(facts, ", "))
	}
	body := e.Content
	if strings.TrimSpace(body) == "" {
		body = e.Description
	}
	if !strings.Contains(body, "<") {
		body = "<p>" + body + "</p>"
	}
	b.WriteString(strings.ToValidUTF8(body, "\uFFFD"))
	b.WriteString("\n</article></body></html>\n")
	return b.Bytes()
}

// slug converts a title to a file name.
func slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case b.Len() > 80:
			return b.String()
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if b.Len() == 0 {
		return "entry"
	}
	return strings.TrimSuffix(b.String(), "-")
}

// read downloads and parses the feed.
func (s *Source) read(ctx context.Context) (*gofeed.Feed, error) {
	res, err := s.get(ctx, s.client, s.url.String(), "application/atom+xml,application/rss+xml,application/feed+json;q=0.9,application/xml;q=0.8,*/*;q=0.5")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, dial.Explain(err, s.url.Host)
	}
	return parse(data)
}

func parse(data []byte) (*gofeed.Feed, error) {
	if err := checkShape(data); err != nil {
		return nil, err
	}
	f, err := gofeed.NewParser().Parse(bytes.NewReader(data))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "feed_unreadable", "docent cannot read a feed at this address")
	}
	return f, nil
}

// checkShape rejects deep nesting and very many elements, which would need much memory
// to parse.
func checkShape(data []byte) error {
	tooDeep := fault.New(fault.Invalid, "feed_too_deep", "damaged: the feed is nested too deeply")
	tooMany := fault.New(fault.Invalid, "feed_too_many_elements", "too large: the feed has more than %d elements", maxElements)
	depth, elements := 0, 0
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' {
		for _, c := range trimmed { // characters in strings count too, which is harmless
			switch c {
			case '{', '[':
				if depth++; depth > 50*maxDepth {
					return tooDeep
				}
			case '}', ']':
				depth--
			case ',':
				if elements++; elements > 4*maxElements {
					return tooMany
				}
			}
		}
		return nil
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	d.CharsetReader = charset.NewReaderLabel
	for {
		token, err := d.RawToken()
		if err != nil {
			return nil //nolint:nilerr // the parser judges errors
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return tooDeep
			}
			if elements += 1 + len(t.Attr); elements > maxElements {
				return tooMany
			}
		case xml.EndElement:
			depth--
		}
	}
}

func (s *Source) get(ctx context.Context, client *http.Client, address, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "address_invalid", "%s is not an address", address)
	}
	req.Header.Set("Accept", accept)
	return dial.Do(client, req)
}

// Open returns an entry of the last listing, or the page behind its link.
func (s *Source) Open(ctx context.Context, item source.Item) (io.ReadCloser, error) {
	s.mu.Lock()
	doc, ok := s.entries[item.Key]
	s.mu.Unlock()
	if !ok {
		return nil, fault.New(fault.NotFound, "feed_entry_gone", "the entry is no longer in the feed")
	}
	if doc.text != nil {
		return io.NopCloser(bytes.NewReader(doc.text)), nil
	}
	accept := "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.5"
	res, err := s.get(ctx, s.pages, doc.link, accept) //nolint:bodyclose // the caller closes it
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{web.Body(res), res.Body}, nil
}
