// Package webdav reads the files of a WebDAV folder, such as those of Nextcloud
// or Apache.
package webdav

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"docent/ingest/source"
	"docent/ingest/source/dial"
	"docent/ingest/source/match"
	"docent/internal/fault"
)

// Config describes a WebDAV source.
type Config struct {
	// URL is the address of the folder. Required.
	URL string `json:"url"`
	// User is the name for basic authentication. Default: none.
	User string `json:"user,omitempty"`
	// Password is the password of User. It is a secret. Default: none.
	Password string `json:"password,omitempty"`
	// Token is sent as a bearer token instead of user and password. It is a secret.
	// Default: none.
	Token string `json:"token,omitempty"`
	// Include are patterns of the files to read. Default: all.
	Include []string `json:"include,omitempty"`
	// Exclude are patterns of the files and folders to omit. Default: none.
	Exclude []string `json:"exclude,omitempty"`
	// Hidden also reads files and folders whose names begin with a dot. Default:
	// false.
	Hidden bool `json:"hidden,omitempty"`
	// MaxFiles bounds the files of the source. Default: 100000.
	MaxFiles int `json:"max_files,omitempty"`
	// MaxBytes bounds the size of one file. Default: 104857600 (100 MB).
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// TimeoutSeconds bounds one attempt of a request. Default: 300.
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

// Source is a WebDAV source. It implements source.Source and is safe for
// concurrent use of Open.
type Source struct {
	cfg    Config
	root   *url.URL // ends with a slash
	filter match.Filter
	client *http.Client
}

// Reaches reports whether a host is that of the address; see source.Bound.
func (s *Source) Reaches(host string) bool { return dial.SameHost(host, s.root) }

// New checks a configuration and returns its source. It does not connect.
func New(cfg Config) (*Source, error) {
	root, err := dial.ParseURL(cfg.URL, cfg.AllowPrivate, "https", "http")
	if err != nil {
		return nil, err
	}
	root = root.JoinPath("/")
	root.RawQuery, root.Fragment = "", ""
	filter, err := match.New(cfg.Include, cfg.Exclude, cfg.Hidden)
	if err != nil {
		return nil, err
	}
	if cfg.User == "" && cfg.Password != "" {
		return nil, fault.New(fault.Invalid, "user_missing", "user: it is missing for the password")
	}
	if cfg.Token != "" && cfg.User != "" {
		return nil, fault.New(fault.Invalid, "token_and_password", "token: give either a token or user and password")
	}
	if cfg.MaxFiles < 0 || cfg.MaxBytes < 0 || cfg.TimeoutSeconds < 0 || cfg.RetryMillis < 0 {
		return nil, fault.New(fault.Invalid,
			"files_option_negative", "max_files, max_bytes, timeout_seconds, retry_ms: they cannot be negative")
	}
	if cfg.MaxFiles == 0 {
		cfg.MaxFiles = 100_000
	}
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = 100 << 20
	}
	if cfg.TimeoutSeconds == 0 {
		cfg.TimeoutSeconds = 300
	}
	o := dial.Options{
		AllowPrivate: cfg.AllowPrivate,
		Dial:         cfg.Dial,
		Timeout:      time.Duration(cfg.TimeoutSeconds) * time.Second,
		RetryWait:    time.Duration(cfg.RetryMillis) * time.Millisecond,
		MaxBody:      cfg.MaxBytes,
	}
	switch {
	case cfg.Token != "":
		o.Authorization = "Bearer " + cfg.Token
	case cfg.User != "":
		o.Authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(cfg.User+":"+cfg.Password))
	}
	return &Source{cfg: cfg, root: root, filter: filter, client: dial.Client(o)}, nil
}

// Close ends idle connections. The source stays usable.
func (s *Source) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// state is the stored state of a file between two syncs.
type state struct {
	ETag     string `json:"e,omitempty"`
	Modified string `json:"m,omitempty"`
	Size     int64  `json:"s,omitempty"`
}

// weakPrefix marks a weak ETag. Apache sends a weak ETag for the first second
// of a file, and then the same one without the prefix.
const weakPrefix = "W/"

// same reports whether a file is unchanged since an earlier state. It compares
// ETags weakly (RFC 9110, section 8.8.3.2).
func (st state) same(raw []byte) bool {
	var old state
	if len(raw) > 4096 || json.Unmarshal(raw, &old) != nil {
		return false
	}
	if st.ETag != "" || old.ETag != "" {
		return strings.TrimPrefix(st.ETag, weakPrefix) == strings.TrimPrefix(old.ETag, weakPrefix)
	}
	return st.Modified != "" && st == old
}

// maxDepth bounds the levels of folders. maxPaths bounds the bytes of all paths of a
// listing.
const (
	maxDepth = 64
	maxPaths = 64 << 20
)

// List walks the folders with one request for each. If a folder cannot be listed,
// List continues with the others and yields an error at the end.
func (s *Source) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		var failed error
		queue := []string{""} // relative to the root, with a slash at the end
		seen := map[string]bool{"": true}
		files, paths := 0, 0
		for len(queue) > 0 {
			dir := queue[0]
			queue = queue[1:]
			entries, err := s.folder(ctx, dir)
			if err != nil {
				if ctx.Err() != nil || dir == "" {
					yield(source.Item{}, fmt.Errorf("list %s: %w", s.root, err))
					return
				}
				if fault.KindOf(err) != fault.NotFound && failed == nil { // otherwise the folder was just deleted
					failed = fmt.Errorf("list folder %s: %w", dir, err)
				}
				continue
			}
			for _, e := range entries {
				if paths += len(e.path); paths > maxPaths || len(queue) > s.cfg.MaxFiles || len(seen) > 2*s.cfg.MaxFiles {
					yield(source.Item{}, s.tooMany())
					return
				}
				if e.folder {
					if !seen[e.path] && !s.filter.Excludes(strings.TrimSuffix(e.path, "/")) {
						seen[e.path] = true
						queue = append(queue, e.path)
					}
					continue
				}
				if seen[e.path] || !s.filter.Allows(e.path) {
					continue
				}
				seen[e.path] = true
				if files++; files > s.cfg.MaxFiles {
					yield(source.Item{}, s.tooMany())
					return
				}
				if !yield(s.item(e, known), nil) {
					return
				}
			}
		}
		if failed != nil {
			yield(source.Item{}, failed)
		}
	}
}

func (s *Source) tooMany() error {
	return fault.New(fault.Invalid,
		"folder_too_many_files", "more than %d files; choose a smaller folder or raise max_files", s.cfg.MaxFiles)
}

func (s *Source) item(e entry, known source.Known) source.Item {
	item := source.Item{Key: e.path, Name: path.Base(e.path), Address: s.address(e.path), Size: e.size}
	if at, err := http.ParseTime(e.modified); err == nil {
		item.Modified = at
	}
	st := state{ETag: e.etag, Modified: e.modified, Size: e.size}
	item.State, item.Err = json.Marshal(st)
	if raw, ok := known(e.path); ok {
		item.Unchanged = st.same(raw)
	}
	if e.size > s.cfg.MaxBytes {
		item.Err = dial.TooLarge(s.cfg.MaxBytes)
	}
	return item
}

// address returns the address of a path below the root.
func (s *Source) address(p string) string {
	u := *s.root
	u.Path += p
	u.RawPath = ""
	return u.String()
}

// Open downloads a file.
func (s *Source) Open(ctx context.Context, item source.Item) (io.ReadCloser, error) {
	res, err := s.do(ctx, http.MethodGet, s.address(item.Key), "")
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		res.Body.Close()
		return nil, dial.StatusError(res)
	}
	return res.Body, nil
}

func (s *Source) do(ctx context.Context, method, address, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "address_invalid", "%s is not an address", address)
	}
	if method == "PROPFIND" {
		req.Header.Set("Depth", "1")
		req.Header.Set("Content-Type", "application/xml; charset=utf-8")
	}
	res, err := s.client.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) { // the error text repeats the address
			err = wrapped.Err
		}
		return nil, dial.Explain(err, s.root.Host)
	}
	return res, nil
}
