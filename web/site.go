package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"html"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	indexFile       = "index.html"
	placeholderFile = "placeholder.html"
	// assetPrefix is the folder of files that Vite names by a hash of their
	// content. Browsers may cache them forever.
	assetPrefix = "assets/"
	// widgetFile is the script that other sites embed. Its imports are among the
	// assets.
	widgetFile = "widget.js"
	// packedSuffix is the suffix of files that the build compressed.
	packedSuffix = ".gz"

	cacheForever = "public, max-age=31536000, immutable"
	cacheRecheck = "no-cache"
)

// views are the first parts of the page's addresses after #. Users may omit the
// #.
var views = []string{"c", "documents", "settings"}

// site serves a built page from a file system that never changes.
type site struct {
	files map[string]*file
	start *file // the page; its deep links lie behind #
	// base returns the base path for the page's relative addresses, or "".
	base func(context.Context) string
	look func() Look
}

// file is one file of the page, ready to be sent.
type file struct {
	name, mediaType, cache string
	// data is the file's content, packed by gzip if packed is true.
	data   []byte
	packed bool
	// sum is the beginning of the hash of data, made at first use.
	sum func() string
}

func newSite(fsys fs.FS) *site {
	s := &site{files: map[string]*file{}, base: func(context.Context) string { return "" }, look: func() Look { return Look{} }}
	_ = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		f := newFile(name, data)
		s.files[f.name] = f
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
	name, packed := strings.CutSuffix(name, packedSuffix)
	f := &file{name: name, mediaType: mediaType(name), cache: cacheRecheck, data: data, packed: packed}
	if strings.HasPrefix(name, assetPrefix) {
		f.cache = cacheForever
	}
	f.sum = sync.OnceValue(func() string {
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:12])
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
	f := s.find(name)
	first, _, _ := strings.Cut(name, "/")
	if f == nil && slices.Contains(views, first) {
		// The address is relative, because a proxy may serve the page below a path.
		up := strings.Repeat("../", strings.Count(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/"))
		w.Header().Set("Location", "./"+up+"#/"+(&url.URL{Path: name}).EscapedPath())
		w.WriteHeader(http.StatusFound)
		return
	}
	if f == nil {
		http.NotFound(w, r)
		return
	}
	if f.name == widgetFile || strings.HasPrefix(f.name, assetPrefix) {
		share(w.Header())
	}
	if base := s.base(r.Context()); base != "" && f.name == s.start.name {
		f = f.below(base)
		h := w.Header()
		h.Set("Content-Security-Policy", strings.Replace(h.Get("Content-Security-Policy"), "base-uri 'none'", "base-uri 'self'", 1))
	}
	if f.name == logoFile { // an SVG file can hold scripts
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	}
	f.send(w, r)
}

// find returns the file with a name, as the installation wants it to look, or nil.
func (s *site) find(name string) *file {
	look, f := s.look(), s.files[name]
	switch name {
	case "", s.start.name:
		f = s.start
		if look.Name != "" || look.Color != "" || len(look.Logo) > 0 {
			f = look.start(f)
		}
	case colorFile:
		return look.colors()
	case logoFile:
		if f = look.logo(); f == nil {
			f = s.files[defaultLogo]
		}
	case manifestFile:
		if f != nil && (look.Name != "" || look.Color != "" || len(look.Logo) > 0) {
			f = look.manifest(f)
		}
	}
	return f
}

// below returns the page with the base path that its relative addresses begin with. A proxy that removes the path hides
// whether the address in the browser ends in a slash.
func (f *file) below(base string) *file {
	element := `<head><base href="` + html.EscapeString(base) + `/">`
	return newFile(f.name, bytes.Replace(f.unpacked(), []byte("<head>"), []byte(element), 1))
}

// unpacked returns the content of the file.
func (f *file) unpacked() []byte {
	if !f.packed {
		return f.data
	}
	var b bytes.Buffer
	unpack(&b, f.data)
	return b.Bytes()
}

// share lets pages of other origins run a file, which the widget needs. It holds
// nothing that is anybody's, so that every page may; who may talk to docent is
// for the setting origins to say.
func share(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*") // modules are always asked for by CORS
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

func (f *file) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.mediaType)
	h.Set("Cache-Control", f.cache)
	asPacked := f.packed && acceptsGzip(r)
	etag, size := `"`+f.sum()+`"`, len(f.data)
	switch {
	case asPacked:
		etag = `"` + f.sum() + `-gz"`
	case f.packed:
		size = unpackedSize(f.data)
	}
	if f.packed {
		h.Add("Vary", "Accept-Encoding")
	}
	h.Set("ETag", etag)
	if match := r.Header.Get("If-None-Match"); match != "" && strings.Contains(match, etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if asPacked {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(size))
	switch {
	case r.Method == http.MethodHead:
	case f.packed && !asPacked:
		unpack(w, f.data)
	default:
		_, _ = w.Write(f.data) // the reader went away; there is nobody to tell
	}
}

// unpackedSize returns the uncompressed size from the end of a gzip file.
func unpackedSize(packed []byte) int {
	if len(packed) < 4 {
		return 0
	}
	return int(binary.LittleEndian.Uint32(packed[len(packed)-4:]))
}

// unpack writes what is in a gzip file, for the rare client that takes none.
func unpack(w io.Writer, packed []byte) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return // a build makes no such file; the length that was promised tells
	}
	_, _ = io.Copy(w, z) //nolint:gosec // it is ours, and of a size that is known
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
		"media-src data: blob:",
		"connect-src " + connect,
		"font-src 'self'",
		"manifest-src 'self'",
		"frame-src 'none'", // a sandboxed srcdoc is none: it has this policy too
		"frame-ancestors 'none'",
		"base-uri 'none'",
		"form-action 'none'",
	}, "; "))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(self)")
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

// mediaType returns the media type of a file of the page. It uses its own
// table, because the system's table (mime.TypeByExtension) differs between
// machines.
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
	case ".png":
		return "image/png"
	default:
		if t := mime.TypeByExtension(ext); t != "" {
			return t
		}
		return "application/octet-stream"
	}
}
