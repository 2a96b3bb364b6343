// Package git reads the files of one branch of a git repository over HTTPS.
package git

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"docent/ingest/source/dial"
	"docent/ingest/source/match"
	"docent/internal/fault"
)

// Config describes a git source. The file and ssh protocols are not supported.
// Use a folder source for local files, and HTTPS instead of ssh.
type Config struct {
	// URL is the address for git clone. It begins with https:// or http://.
	// Required.
	URL string `json:"url"`
	// Branch is the branch or tag to read. Default: the default branch of the
	// repository.
	Branch string `json:"branch,omitempty"`
	// Include are patterns of the files to read, such as "docs/**" or "*.md".
	// Default: all.
	Include []string `json:"include,omitempty"`
	// Exclude are patterns of the files and folders to omit. Default: none.
	Exclude []string `json:"exclude,omitempty"`
	// Hidden also reads files and folders whose names begin with a dot. Default:
	// false.
	Hidden bool `json:"hidden,omitempty"`
	// User is the user name to send with Token. Default: "git".
	User string `json:"user,omitempty"`
	// Token is a password or access token. It is a secret. Default: none.
	Token string `json:"token,omitempty"`
	// CacheDir is the folder for the files of the last sync. With it, docent does
	// not download an unchanged repository again. It is not an option of the
	// source. Default: docent/git in the user's cache folder.
	CacheDir string `json:"-"`
	// MaxFiles bounds the files of the source. Default: 100000.
	MaxFiles int `json:"max_files,omitempty"`
	// MaxBytes bounds the size of one file. Default: 20971520 (20 MB).
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// MaxRepositoryBytes bounds the download. Default: 536870912 (512 MB).
	MaxRepositoryBytes int64 `json:"max_repository_bytes,omitempty"`
	// TimeoutSeconds bounds one attempt of a request. Default: 900.
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

// Source is a git source. It implements source.Source and is safe for
// concurrent use of Open.
type Source struct {
	cfg    Config
	url    *url.URL
	filter match.Filter
	client *http.Client

	mu      sync.Mutex // guards objects and their use: reading packs is not concurrent
	objects storer.EncodedObjectStorer
	commit  plumbing.Hash // the commit in objects

	brokenMu sync.Mutex // guards broken
	broken   error      // the first error of reading a response
}

// New checks a configuration and returns its source. It does not connect.
func New(cfg Config) (*Source, error) {
	u, err := dial.ParseURL(cfg.URL, cfg.AllowPrivate, "https", "http")
	if err != nil {
		return nil, err
	}
	u.RawQuery, u.Fragment = "", ""
	u.Path = strings.TrimSuffix(u.Path, "/")
	filter, err := match.New(cfg.Include, cfg.Exclude, cfg.Hidden)
	if err != nil {
		return nil, err
	}
	if cfg.Branch != "" && plumbing.NewBranchReferenceName(cfg.Branch).Validate() != nil {
		return nil, fault.New(fault.Invalid, "git_branch_invalid", "branch: %q is not the name of a branch", cfg.Branch)
	}
	if cfg.MaxFiles < 0 || cfg.MaxBytes < 0 || cfg.MaxRepositoryBytes < 0 || cfg.TimeoutSeconds < 0 || cfg.RetryMillis < 0 {
		return nil, fault.New(fault.Invalid,
			"git_option_negative", "max_files, max_bytes, max_repository_bytes, timeout_seconds, retry_ms: they cannot be negative")
	}
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	client := dial.Client(dial.Options{
		AllowPrivate: cfg.AllowPrivate,
		Dial:         cfg.Dial,
		Timeout:      time.Duration(cfg.TimeoutSeconds) * time.Second,
		RetryWait:    time.Duration(cfg.RetryMillis) * time.Millisecond,
		Redirects:    5,
		MaxBody:      cfg.MaxRepositoryBytes,
	})
	s := &Source{cfg: cfg, url: u, filter: filter, client: client}
	client.Transport = &watched{RoundTripper: client.Transport, failed: s.note}
	return s, nil
}

// note keeps the first error of reading a response, which the git library hides. It returns the error.
func (s *Source) note(err error) error {
	s.brokenMu.Lock()
	defer s.brokenMu.Unlock()
	if s.broken == nil {
		s.broken = err
	}
	return err
}

// noted returns the error of note, and forgets it.
func (s *Source) noted() error {
	s.brokenMu.Lock()
	defer s.brokenMu.Unlock()
	err := s.broken
	s.broken = nil
	return err
}

// maxBranchList bounds the list of branches and tags in bytes. In memory it takes several times its size.
const maxBranchList = 32 << 20

// watched is a transport that bounds the list of branches and tags, and notes errors of reading.
type watched struct {
	http.RoundTripper
	failed func(error) error
}

// RoundTrip implements http.RoundTripper.
func (t *watched) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := t.RoundTripper.RoundTrip(req)
	if err == nil {
		res.Body = &body{ReadCloser: res.Body, failed: t.failed, branches: strings.HasSuffix(req.URL.Path, "/info/refs")}
	}
	return res, err
}

// CloseIdleConnections closes the idle connections of the transport.
func (t *watched) CloseIdleConnections() {
	(&http.Client{Transport: t.RoundTripper}).CloseIdleConnections()
}

// body is the body of a response.
type body struct {
	io.ReadCloser
	failed   func(error) error
	branches bool
	size     int
}

func (b *body) Read(p []byte) (int, error) {
	if b.branches && b.size > maxBranchList {
		return 0, b.failed(fault.New(fault.Invalid, "git_branches_many", "the repository has too many branches and tags"))
	}
	n, err := b.ReadCloser.Read(p)
	b.size += n
	if err != nil && err != io.EOF { //nolint:errorlint // a wrapped io.EOF is a broken connection
		err = b.failed(err)
	}
	return n, err
}

func (c *Config) complete() error {
	if c.MaxFiles == 0 {
		c.MaxFiles = 100_000
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 20 << 20
	}
	if c.MaxRepositoryBytes == 0 {
		c.MaxRepositoryBytes = 512 << 20
	}
	if c.TimeoutSeconds == 0 {
		c.TimeoutSeconds = 900
	}
	if c.User == "" {
		c.User = "git"
	}
	if c.CacheDir == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fault.Wrap(fault.Invalid, err, "git_cache_missing", "cache_dir: it is missing, and the user has no cache folder")
		}
		c.CacheDir = filepath.Join(dir, "docent", "git")
	}
	return nil
}

// Close ends idle connections. The source stays usable.
func (s *Source) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// address returns the web address of a file of a branch.
func address(repo *url.URL, branch, file string) string {
	u := *repo
	base := strings.TrimSuffix(u.Path, ".git")
	switch host := u.Hostname(); {
	case host == "github.com":
		u.Path = base + "/blob/" + branch + "/" + file
	case host == "gitlab.com" || strings.HasPrefix(host, "gitlab."):
		u.Path = base + "/-/blob/" + branch + "/" + file
	case host == "bitbucket.org":
		u.Path = base + "/src/" + branch + "/" + file
	case host == "codeberg.org" || strings.HasPrefix(host, "gitea.") || strings.HasPrefix(host, "forgejo."):
		u.Path = base + "/src/branch/" + branch + "/" + file
	default:
		u.Fragment = file
	}
	u.RawPath = ""
	return u.String()
}
