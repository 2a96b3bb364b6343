// Package s3 reads the objects of a bucket on any S3-compatible server.
package s3

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"docent/ingest/source"
	"docent/ingest/source/dial"
	"docent/ingest/source/match"
	"docent/internal/fault"
)

// Config describes an S3 source.
type Config struct {
	// URL is the address of the server with bucket and prefix, such as
	// https://s3.example.com/bucket/prefix. The form s3://bucket/prefix means
	// Amazon. Required.
	URL string `json:"url"`
	// Region is the bucket's region. Default: "us-east-1".
	Region string `json:"region,omitempty"`
	// AccessKey identifies the account. Default: none, for public buckets.
	AccessKey string `json:"access_key,omitempty"`
	// SecretKey is the secret part of AccessKey. It is a secret. Default: none.
	SecretKey string `json:"secret_key,omitempty"`
	// SessionToken is the token of temporary keys. It is a secret. Default: none.
	SessionToken string `json:"session_token,omitempty"`
	// VirtualHost puts the bucket's name into the host name instead of the path.
	// Requests to Amazon's servers always do so. Default: false.
	VirtualHost bool `json:"virtual_host,omitempty"`
	// Include are patterns of the objects to read. Default: all.
	Include []string `json:"include,omitempty"`
	// Exclude are patterns of the objects and folders to omit. Default: none.
	Exclude []string `json:"exclude,omitempty"`
	// Hidden also reads objects if the name or a folder begins with a dot. Default:
	// false.
	Hidden bool `json:"hidden,omitempty"`
	// MaxFiles bounds the objects of the source. Default: 100000.
	MaxFiles int `json:"max_files,omitempty"`
	// MaxBytes bounds the size of one object. Default: 104857600 (100 MB).
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

// Source is an S3 source. It implements source.Source and is safe for
// concurrent use of Open.
type Source struct {
	cfg            Config
	host           string
	bucket, prefix string // the prefix ends with a slash or is ""
	filter         match.Filter
	http           *http.Client // for objects
	listing        *http.Client // for listings
	objects        *minio.Core
	lists          *minio.Core
	requests       counter // of listings
}

// counter is a transport with a bounded number of requests. A hostile server could
// otherwise continue a listing forever without listing an object.
type counter struct {
	base http.RoundTripper
	most int64
	left atomic.Int64
}

func (c *counter) reset() { c.left.Store(c.most) }

// RoundTrip implements http.RoundTripper.
func (c *counter) RoundTrip(req *http.Request) (*http.Response, error) {
	if c.left.Add(-1) < 0 {
		return nil, fault.New(fault.Invalid,
			"s3_too_many_requests", "the list of the bucket takes more than %d requests; choose a longer prefix or raise max_files", c.most)
	}
	return c.base.RoundTrip(req)
}

// maxListing bounds one response of a listing, in bytes. It has at most a thousand
// objects with names of up to 1024 bytes, each of which takes up to three bytes.
// Parsing needs up to 27 times this size in memory.
const maxListing = 4 << 20

// minRequests is the least bound of the requests of a listing. The bound grows with
// Config.MaxFiles.
const minRequests = 1000

const amazon = "s3.amazonaws.com"

// New checks a configuration and returns its source. It does not connect.
func New(cfg Config) (*Source, error) {
	u, err := dial.ParseURL(cfg.URL, cfg.AllowPrivate, "https", "http", "s3")
	if err != nil {
		return nil, err
	}
	s := &Source{cfg: cfg, host: u.Host}
	rest := strings.TrimPrefix(u.Path, "/")
	if u.Scheme == "s3" {
		s.host, rest = amazon, u.Host+u.Path
	}
	s.bucket, s.prefix, _ = strings.Cut(rest, "/")
	if s.bucket == "" {
		return nil, fault.New(fault.Invalid, "s3_url_without_bucket", "url: %q names no bucket; write https://host/bucket", cfg.URL)
	}
	if s.prefix != "" && !strings.HasSuffix(s.prefix, "/") {
		s.prefix += "/"
	}
	if s.filter, err = match.New(cfg.Include, cfg.Exclude, cfg.Hidden); err != nil {
		return nil, err
	}
	if (cfg.AccessKey == "") != (cfg.SecretKey == "") {
		return nil, fault.New(fault.Invalid, "s3_one_key", "access_key, secret_key: give both or neither")
	}
	if cfg.MaxFiles < 0 || cfg.MaxBytes < 0 || cfg.TimeoutSeconds < 0 || cfg.RetryMillis < 0 {
		return nil, fault.New(fault.Invalid,
			"files_option_negative", "max_files, max_bytes, timeout_seconds, retry_ms: they cannot be negative")
	}
	s.cfg.complete()
	s.http, s.listing = s.client(s.cfg.MaxBytes), s.client(maxListing)
	s.requests.base, s.requests.most = s.listing.Transport, max(minRequests, int64(s.cfg.MaxFiles)/10)
	if s.objects, err = s.connect(u.Scheme != "http", s.http.Transport); err != nil {
		return nil, err
	}
	if s.lists, err = s.connect(u.Scheme != "http", &s.requests); err != nil {
		return nil, err
	}
	return s, nil
}

// Reaches reports whether a host is that of the address or of the bucket; see
// source.Bound. Amazon has a host for each region.
func (s *Source) Reaches(host string) bool {
	u := &url.URL{Host: s.host}
	name := strings.ToLower(host)
	if endpoint, ok := amazonDomain(u.Hostname()); ok {
		return strings.HasSuffix(name, "."+endpoint)
	}
	return dial.SameHost(host, u) || dial.SameHost(strings.TrimPrefix(name, strings.ToLower(s.bucket)+"."), u)
}

// amazonDomain returns the domain of Amazon that a host belongs to.
func amazonDomain(host string) (string, bool) {
	for _, domain := range []string{"amazonaws.com", "amazonaws.com.cn"} {
		if strings.HasSuffix(strings.ToLower(host), "."+domain) {
			return domain, true
		}
	}
	return "", false
}

// client returns a client for responses of up to a number of bytes.
func (s *Source) client(maxBody int64) *http.Client {
	return dial.Client(dial.Options{
		AllowPrivate: s.cfg.AllowPrivate,
		Dial:         s.cfg.Dial,
		Timeout:      time.Duration(s.cfg.TimeoutSeconds) * time.Second,
		RetryWait:    time.Duration(s.cfg.RetryMillis) * time.Millisecond,
		MaxBody:      maxBody,
	})
}

// connect returns the API of the bucket.
func (s *Source) connect(secure bool, transport http.RoundTripper) (*minio.Core, error) {
	lookup := minio.BucketLookupAuto // path style, except for Amazon
	if s.cfg.VirtualHost {
		lookup = minio.BucketLookupDNS
	}
	core, err := minio.NewCore(s.host, &minio.Options{
		Creds:        credentials.NewStaticV4(s.cfg.AccessKey, s.cfg.SecretKey, s.cfg.SessionToken),
		Secure:       secure,
		Transport:    transport,
		Region:       s.cfg.Region,
		BucketLookup: lookup,
		MaxRetries:   1, // the transport retries instead
	})
	if err != nil {
		return nil, fault.New(fault.Invalid, "url_forbidden", "url: %w", err)
	}
	return core, nil
}

func (c *Config) complete() {
	if c.Region == "" {
		c.Region = "us-east-1"
	}
	if c.MaxFiles == 0 {
		c.MaxFiles = 100_000
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 100 << 20
	}
	if c.TimeoutSeconds == 0 {
		c.TimeoutSeconds = 300
	}
}

// Close ends idle connections. The source stays usable.
func (s *Source) Close() error {
	s.http.CloseIdleConnections()
	s.listing.CloseIdleConnections()
	return nil
}

// state is the stored state of an object between two syncs.
type state struct {
	ETag     string `json:"e,omitempty"`
	Modified int64  `json:"m,omitempty"` // seconds since 1970
	Size     int64  `json:"s,omitempty"`
}

// same reports whether an object is unchanged since an earlier state.
func (st state) same(raw []byte) bool {
	var old state
	if len(raw) > 4096 || json.Unmarshal(raw, &old) != nil {
		return false
	}
	if st.ETag != "" || old.ETag != "" {
		return st.ETag == old.ETag && st.Size == old.Size
	}
	return st.Modified != 0 && st == old
}

// List yields the objects below the prefix, a thousand with each request.
func (s *Source) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		s.requests.reset()
		files, last := 0, ""
		for o := range s.lists.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix, Recursive: true}) {
			if o.Err != nil {
				yield(source.Item{}, fmt.Errorf("list s3://%s/%s: %w", s.bucket, s.prefix, s.explain(o.Err)))
				return
			}
			if last != "" && o.Key <= last { // otherwise a hostile server could list forever
				yield(source.Item{}, fault.New(fault.Unavailable, "s3_unsorted", "the server does not list the bucket in order"))
				return
			}
			last = o.Key
			key, ok := strings.CutPrefix(o.Key, s.prefix)
			if !ok || key == "" || strings.HasSuffix(key, "/") || !s.filter.Allows(key) {
				continue
			}
			if files++; files > s.cfg.MaxFiles {
				yield(source.Item{}, fault.New(fault.Invalid,
					"s3_too_many_objects", "more than %d objects; choose a longer prefix or raise max_files", s.cfg.MaxFiles))
				return
			}
			if !yield(s.item(o, key, known), nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(source.Item{}, err)
		}
	}
}

func (s *Source) item(o minio.ObjectInfo, key string, known source.Known) source.Item {
	st := state{ETag: strings.Trim(o.ETag, `"`), Size: o.Size}
	item := source.Item{
		Key: key, Name: path.Base(key), Address: "s3://" + s.bucket + "/" + o.Key,
		Size: o.Size, Modified: o.LastModified,
	}
	if !o.LastModified.IsZero() {
		st.Modified = o.LastModified.Unix()
	}
	item.State, item.Err = json.Marshal(st)
	if raw, ok := known(key); ok {
		item.Unchanged = st.same(raw)
	}
	if o.Size > s.cfg.MaxBytes {
		item.Err = dial.TooLarge(s.cfg.MaxBytes)
	}
	return item
}

// Open downloads an object.
func (s *Source) Open(ctx context.Context, item source.Item) (io.ReadCloser, error) {
	body, _, _, err := s.objects.GetObject(ctx, s.bucket, s.prefix+item.Key, minio.GetObjectOptions{})
	if err != nil {
		return nil, s.explain(err)
	}
	return body, nil
}

// explain returns an error of the server with a message for users.
func (s *Source) explain(err error) error {
	var res minio.ErrorResponse
	if !errors.As(err, &res) {
		return dial.Explain(err, s.host)
	}
	switch {
	case res.Code == minio.NoSuchBucket:
		return fault.Wrap(fault.NotFound, err, "s3_no_bucket", "the server has no bucket %s", s.bucket)
	case res.StatusCode == http.StatusNotFound:
		return fault.Wrap(fault.NotFound, err, "s3_object_gone", "the object does not exist")
	case res.StatusCode == http.StatusForbidden || res.StatusCode == http.StatusUnauthorized:
		return fault.Wrap(fault.Forbidden, err, "s3_refused", "the server refuses access; check access_key, secret_key, and region")
	case dial.TemporaryStatus(res.StatusCode):
		return fault.Wrap(fault.Unavailable, err, "s3_unavailable", "the server answered %d; try again later", res.StatusCode)
	}
	return fault.Wrap(fault.Invalid, err, "s3_answered", "the server answered %d %s", res.StatusCode, res.Code)
}
