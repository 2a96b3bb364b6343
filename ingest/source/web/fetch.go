package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/transform"

	"docent/ingest/extract"
	"docent/ingest/format"
	"docent/ingest/source"
	"docent/ingest/source/dial"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// maxHTML bounds an HTML page. maxKept bounds other documents that are kept
// between listing and opening.
const (
	maxHTML = 16 << 20
	maxKept = 4 << 20
)

const accept = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5"

// page is the result of requesting one address.
type page struct {
	item  *source.Item // nil without a document
	links []string     // canonical and absolute
	move  string       // address of the document after a redirect; "" without one
	err   error        // why the address could not be read; also in item, if set
}

// get sends one request, after waiting for its turn.
func (s *Source) get(ctx context.Context, u *url.URL, st state) (*http.Response, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "address_invalid", "%s is not an address", u)
	}
	req.Header.Set("Accept", accept)
	if st.ETag != "" {
		req.Header.Set("If-None-Match", st.ETag)
	}
	if st.LastModified != "" {
		req.Header.Set("If-Modified-Since", st.LastModified)
	}
	if s.cfg.Authorization != "" && u.Scheme == s.start.Scheme && u.Host == s.start.Host {
		req.Header.Set("Authorization", s.cfg.Authorization)
	}
	res, err := s.client.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) { // the error text repeats the address
			err = wrapped.Err
		}
		return nil, dial.Explain(err, u.Host)
	}
	return res, nil
}

// wait waits until the minimum time between two requests has passed.
func (s *Source) wait(ctx context.Context) error {
	s.mu.Lock()
	interval, now := s.interval, time.Now()
	at := s.next
	if at.Before(now) {
		at = now
	}
	s.next = at.Add(interval)
	s.mu.Unlock()
	if interval == 0 || !at.After(now) {
		return ctx.Err()
	}
	timer := time.NewTimer(at.Sub(now))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// fetch requests one address and returns the data for the listing.
func (r *run) fetch(ctx context.Context, key string) page {
	u, err := url.Parse(key)
	if err != nil {
		return page{}
	}
	if allowed, err := r.robots(ctx, u); err != nil || !allowed {
		if err != nil {
			return r.failed(u, key, err)
		}
		return page{err: fault.New(fault.Forbidden, "robots_forbid", "robots.txt forbids %s", key)}
	}
	var st state
	raw, known := r.known(key)
	if known {
		st, known = decodeState(raw)
	}
	res, err := r.src.get(ctx, u, st)
	if err != nil {
		return r.failed(u, key, err)
	}
	defer res.Body.Close()
	switch code := res.StatusCode; {
	case code == http.StatusNotModified && known:
		return page{
			item:  &source.Item{Key: key, Name: fileName(u, ""), Address: key, Modified: modified(res, st), State: raw, Unchanged: true},
			links: lengthen(u, st.Links),
		}
	case code == http.StatusOK:
		return r.read(u, key, st, res)
	case code == http.StatusNotFound, code == http.StatusGone:
		return page{err: fault.New(fault.NotFound, "web_page_missing", "%s does not exist", key)}
	case code >= 300 && code < 400:
		return r.redirected(u, key, res)
	}
	return r.failed(u, key, dial.StatusError(res))
}

// failed returns a page that is temporarily unreadable. Its links from the last
// sync are followed, so the pages behind it stay.
func (r *run) failed(u *url.URL, key string, err error) page {
	p := page{item: &source.Item{Key: key, Name: fileName(u, ""), Address: key, Err: err}, err: err}
	if raw, ok := r.known(key); ok {
		if st, ok := decodeState(raw); ok {
			p.links = lengthen(u, st.Links)
		}
	}
	return p
}

// redirected applies the rules for links to a redirect.
func (r *run) redirected(u *url.URL, key string, res *http.Response) page {
	to, ok := resolve(u, res.Header.Get("Location"))
	if ok && r.allowed(to) {
		return page{move: to}
	}
	err := fault.New(fault.Invalid, "web_redirect_outside", "%s redirects to an address outside of the source", key)
	if _, known := r.known(key); known {
		return r.failed(u, key, err)
	}
	return page{move: to, err: err}
}

// read reads the document in a response.
func (r *run) read(u *url.URL, key string, old state, res *http.Response) page {
	kind, params := contentType(res, u)
	if !readable(kind, u) {
		return page{err: fault.New(fault.Invalid, "web_type_without_text", "%s is of the type %s, which holds no text", key, kind)}
	}
	st := state{ETag: res.Header.Get("ETag"), LastModified: res.Header.Get("Last-Modified")}
	if !headerSafe(st.ETag) || !headerSafe(st.LastModified) {
		st.ETag, st.LastModified = "", ""
	}
	item := &source.Item{Key: key, Name: fileName(u, kind), Address: key, Size: max(res.ContentLength, 0)}
	item.Modified, item.DateFrom = modified(res, st), corpus.LastModified
	isHTML := kind == "text/html" || kind == "application/xhtml+xml"
	if !isHTML && res.ContentLength > r.src.cfg.MaxBytes {
		return r.failed(u, key, dial.TooLarge(r.src.cfg.MaxBytes))
	}
	if !isHTML && res.ContentLength > maxKept && (st.ETag != "" || st.LastModified != "") {
		item.State = st.encode()
		return page{item: item}
	}
	limit := int64(maxKept)
	if isHTML {
		limit = maxHTML
	}
	body, whole, err := drain(res.Body, &st, limit)
	switch {
	case err != nil:
		return r.failed(u, key, dial.Explain(err, u.Host))
	case isHTML && !whole:
		return r.failed(u, key, dial.TooLarge(limit))
	}
	var out pageLinks
	if whole {
		item.Size = int64(len(body))
		body = decoded(body, kind, params["charset"])
	}
	if isHTML {
		out = readLinks(u, body, r.follows)
		out.robots(res.Header.Get("X-Robots-Tag"))
		st.Links = shorten(u, out.links)
	}
	if out.noFollow {
		st.Links, out.links = nil, nil
	}
	if c := out.canonical; c != "" && c != key && key != r.src.start.String() && r.src.cfg.Mode != ModePage && r.allowed(c) {
		return page{links: out.links, move: c}
	}
	if out.noIndex && r.src.cfg.Mode != ModePage {
		return page{links: out.links}
	}
	item.State = st.encode()
	item.Unchanged = old.Hash != "" && old.Hash == st.Hash
	if whole && !item.Unchanged {
		r.src.mu.Lock()
		r.src.spool.put(key, body)
		r.src.mu.Unlock()
	}
	return page{item: item, links: out.links}
}

// drain reads a body and computes its hash. It returns up to limit bytes. whole
// is false if there are more.
func drain(body io.Reader, st *state, limit int64) (kept []byte, whole bool, err error) {
	sum := sha256.New()
	var buf bytes.Buffer
	n, err := io.Copy(&buf, io.TeeReader(io.LimitReader(body, limit), sum))
	if err != nil {
		return nil, false, err
	}
	rest, err := io.Copy(sum, body)
	if err != nil {
		return nil, false, err
	}
	st.Hash = hex.EncodeToString(sum.Sum(nil)[:16])
	return buf.Bytes()[:n], rest == 0, nil
}

// Open returns the document of an item. It uses the copy in memory if List has
// already downloaded the document.
func (s *Source) Open(ctx context.Context, item source.Item) (io.ReadCloser, error) {
	s.mu.Lock()
	body, ok := s.spool.take(item.Key)
	s.mu.Unlock()
	if ok {
		return io.NopCloser(bytes.NewReader(body)), nil
	}
	u, err := url.Parse(item.Key)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "item_address_invalid", "%q is not an address", item.Key)
	}
	res, err := s.get(ctx, u, state{})
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		res.Body.Close()
		if res.StatusCode >= 300 && res.StatusCode < 400 {
			return nil, fault.New(fault.Unavailable, "web_item_moved", "%s moved during the sync; sync again", item.Key)
		}
		return nil, dial.StatusError(res)
	}
	return struct {
		io.Reader
		io.Closer
	}{Body(res), res.Body}, nil
}

func contentType(res *http.Response, u *url.URL) (kind string, params map[string]string) {
	kind, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || kind == "" || kind == "application/octet-stream" {
		if byName, _, err := mime.ParseMediaType(mime.TypeByExtension(path.Ext(u.Path))); err == nil {
			return byName, nil
		}
		return "application/octet-stream", nil
	}
	return kind, params
}

// readable reports whether documents with a media type contain text.
func readable(kind string, u *url.URL) bool {
	main, sub, _ := strings.Cut(kind, "/")
	switch {
	case main == "text":
		return sub != "css" && sub != "javascript" && sub != "ecmascript"
	case main == "message":
		return true
	case main != "application":
		return false
	}
	if f, ok := extract.Formats.ByMedia(kind); ok {
		return !f.Archive()
	}
	for _, part := range otherTypes {
		if strings.Contains(sub, part) {
			return true
		}
	}
	f, ok := extract.Formats.ByName(u.Path) // for octet streams the ending decides
	return ok && !f.Archive() && f.Unit != format.Image
}

// otherTypes are parts of further media types that servers use for documents.
var otherTypes = []string{
	"xml", "json", "yaml", "toml", "sql", "tex", "markdown", "rtf", "mbox", "epub", "pdf",
	"msword", "ms-word", "ms-excel", "ms-powerpoint", "ms-outlook", "officedocument", "opendocument",
}

// text reports whether the character set of a media type matters.
func text(kind string) bool {
	return strings.HasPrefix(kind, "text/") || kind == "application/xhtml+xml"
}

const mark = "\xef\xbb\xbf" // the byte order mark of UTF-8

// decoded converts a text from the character set that the server declares. It
// adds a byte order mark, which takes precedence over a declaration in the
// text.
func decoded(body []byte, kind, label string) []byte {
	if !text(kind) || label == "" || bytes.HasPrefix(body, []byte(mark)) {
		return body
	}
	enc, name := charset.Lookup(label)
	if name == "utf-8" && utf8.Valid(body) {
		return append([]byte(mark), body...)
	}
	if enc == nil || name == "utf-8" || name == "replacement" {
		return body
	}
	out, err := enc.NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	return append([]byte(mark), bytes.TrimPrefix(out, []byte(mark))...)
}

// decoder returns a reader that converts a document as decoded does.
func decoder(body io.Reader, kind, label string) io.Reader {
	if !text(kind) || label == "" {
		return body
	}
	enc, name := charset.Lookup(label)
	if enc == nil || name == "utf-8" || name == "replacement" {
		return body
	}
	return io.MultiReader(strings.NewReader(mark), transform.NewReader(body, enc.NewDecoder()))
}

// Body returns the document in a response. If the server declares the character
// set of a text, Body converts the text to UTF-8 with a byte order mark.
func Body(res *http.Response) io.Reader {
	kind, params := contentType(res, res.Request.URL)
	return decoder(res.Body, kind, params["charset"])
}

// fileName returns a name for a page that helps to detect its format.
func fileName(u *url.URL, kind string) string {
	name := path.Base(u.Path)
	if name == "/" || name == "." {
		name = "index"
	}
	if kind == "text/html" || kind == "application/xhtml+xml" {
		if ext := strings.ToLower(path.Ext(name)); ext != ".html" && ext != ".htm" && ext != ".xhtml" {
			name += ".html"
		}
	}
	return name
}

// madeNow is the age below which a page counts as made for the request. Then the time says nothing
// about its text.
const madeNow = time.Minute

// modified returns the time of the last change that a server states; zero if it states none.
func modified(res *http.Response, st state) time.Time {
	value := res.Header.Get("Last-Modified")
	if value == "" {
		value = st.LastModified
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return time.Time{}
	}
	if now, err := http.ParseTime(res.Header.Get("Date")); err == nil && now.Sub(at) < madeNow {
		return time.Time{}
	}
	return at
}
