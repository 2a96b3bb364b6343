package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

const (
	indexFile       = "index.html"
	placeholderFile = "placeholder.html"
	// assetPrefix is where Vite puts files whose names hold a hash of their
	// content; they may be cached for ever.
	assetPrefix = "assets/"

	cacheForever = "public, max-age=31536000, immutable"
	cacheRecheck = "no-cache"

	// gzipMin is the size below which compressing gains nothing, in bytes.
	gzipMin = 860
)

// site serves a built page from a file system that never changes.
type site struct {
	files map[string]*file
	start *file // what every deep link gets
}

// file is one file of the page, ready to be sent.
type file struct {
	name, mediaType, etag, cache string
	plain                        []byte
	squeezed                     func() []byte // gzip, made at first use; nil bytes when it gains nothing
}

func newSite(fsys fs.FS) *site {
	s := &site{files: map[string]*file{}}
	_ = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		s.files[name] = newFile(name, data)
		return nil
	})
	s.start = s.files[indexFile]
	if s.start == nil {
		s.start = s.files[placeholderFile]
	}
	delete(s.files, placeholderFile)
	return s
}

func newFile(name string, data []byte) *file {
	sum := sha256.Sum256(data)
	f := &file{
		name:      name,
		mediaType: mediaType(name),
		etag:      `"` + hex.EncodeToString(sum[:12]) + `"`,
		cache:     cacheRecheck,
		plain:     data,
	}
	if strings.HasPrefix(name, assetPrefix) {
		f.cache = cacheForever
	}
	f.squeezed = sync.OnceValue(func() []byte {
		if len(data) < gzipMin || !compressible(f.mediaType) {
			return nil
		}
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is a valid constant
		_, _ = w.Write(data)                                  // a bytes.Buffer does not fail
		_ = w.Close()
		return b.Bytes()
	})
	return f
}

// ServeHTTP implements http.Handler.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header(), r.Host)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	f, ok := s.files[name]
	switch {
	case ok:
	case path.Ext(name) != "" || strings.HasPrefix(name, assetPrefix):
		http.NotFound(w, r) // a file that is not there, not an address of the page
		return
	default:
		f = s.start
	}
	if f == nil {
		http.NotFound(w, r)
		return
	}
	f.send(w, r)
}

func (f *file) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.mediaType)
	h.Set("Cache-Control", f.cache)
	body, etag := f.plain, f.etag
	if small := f.squeezed(); small != nil {
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			h.Set("Content-Encoding", "gzip")
			body, etag = small, strings.TrimSuffix(f.etag, `"`)+`-gz"`
		}
	}
	h.Set("ETag", etag)
	if match := r.Header.Get("If-None-Match"); match != "" && strings.Contains(match, etag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(body) // the reader went away; there is nobody to tell
}

// secure sets the headers that keep what the page shows from doing anything:
// no script, style, image or connection but our own.
func secure(h http.Header, host string) {
	connect := "'self'"
	if plainHost(host) {
		// 'self' covers WebSockets only in newer browsers.
		connect += " ws://" + host + " wss://" + host
	}
	h.Set("Content-Security-Policy", strings.Join([]string{
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src 'self' data: blob:",
		"connect-src " + connect,
		"font-src 'self'",
		"manifest-src 'self'",
		"frame-src 'none'",
		"frame-ancestors 'none'",
		"base-uri 'none'",
		"form-action 'none'",
	}, "; "))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}

// plainHost reports whether a Host header can stand in a policy unquoted.
func plainHost(host string) bool {
	if host == "" {
		return false
	}
	for _, c := range host {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune(".-:[]", c):
		default:
			return false
		}
	}
	return true
}

func acceptsGzip(r *http.Request) bool {
	for _, part := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		coding, quality, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(coding) == "gzip" {
			q := strings.TrimPrefix(strings.TrimSpace(quality), "q=")
			return strings.Trim(q, "0.") != "" || q == ""
		}
	}
	return false
}

func compressible(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || strings.Contains(mediaType, "json") || strings.Contains(mediaType, "svg")
}

// mediaType is by table for what the page has, because the system's own table
// (mime.TypeByExtension) differs between machines.
func mediaType(name string) string {
	switch ext := path.Ext(name); ext {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".webmanifest":
		return "application/manifest+json"
	default:
		if t := mime.TypeByExtension(ext); t != "" {
			return t
		}
		return "application/octet-stream"
	}
}
