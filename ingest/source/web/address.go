package web

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// maxAddress bounds the length of an address.
const maxAddress = 2000

// maxSegments and maxRepeats bound the path of an address. Wrong relative links
// make paths that grow without end, such as /a/b/a/b/a/b.
const (
	maxSegments = 30
	maxRepeats  = 4
)

// tracking are query parameters that identify visits instead of pages. Names
// that begin with utm_ are tracking parameters too.
var tracking = map[string]bool{
	"fbclid": true, "gclid": true, "dclid": true, "gbraid": true, "wbraid": true, "msclkid": true,
	"yclid": true, "igshid": true, "twclid": true, "ttclid": true, "mc_cid": true, "mc_eid": true,
	"_ga": true, "_gl": true, "_hsenc": true, "_hsmi": true, "mkt_tok": true, "vero_id": true,
	"phpsessid": true, "jsessionid": true, "aspsessionid": true,
}

// canonical returns the canonical form of an absolute address. It has no
// fragment, user, default port, dot segments, session, or tracking parameters.
// ok is false if the address cannot be the address of a page.
func canonical(u *url.URL) (key string, ok bool) {
	scheme := strings.ToLower(u.Scheme)
	if scheme != "http" && scheme != "https" || u.Opaque != "" {
		return "", false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if !strings.Contains(host, ":") {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil && strings.ContainsFunc(host, func(r rune) bool { return r > '~' }) {
			return "", false
		} else if err == nil {
			host = ascii
		}
	} else {
		host = "[" + host + "]"
	}
	if host == "" {
		return "", false
	}
	if port := u.Port(); port != "" && !(scheme == "http" && port == "80" || scheme == "https" && port == "443") {
		host += ":" + port
	}
	p, ok := cleanPath(u.EscapedPath())
	if !ok {
		return "", false
	}
	key = scheme + "://" + host + p
	if q := cleanQuery(u.RawQuery); q != "" {
		key += "?" + q
	}
	return key, len(key) <= maxAddress
}

// cleanPath normalizes an escaped path. ok is false if the path seems to be
// endless.
func cleanPath(p string) (string, bool) {
	if len(p) > maxAddress {
		return "", false
	}
	if i := strings.Index(strings.ToLower(p), ";jsessionid="); i >= 0 {
		rest := p[i+1:]
		p = p[:i]
		if j := strings.IndexAny(rest, "/;"); j >= 0 {
			p += rest[j:]
		}
	}
	p = cleanEscapes(p)
	if p == "" {
		return "/", true
	}
	segments := strings.Split(p, "/")
	if len(segments) > maxSegments {
		return "", false
	}
	seen := make(map[string]int, len(segments))
	for _, s := range segments {
		if s == "." || s == ".." { // only in unresolved addresses
			return cleanPath(resolveDots(p))
		}
		if seen[s]++; s != "" && seen[s] > maxRepeats {
			return "", false
		}
	}
	return p, true
}

func resolveDots(p string) string {
	clean := path.Clean("/" + p)
	if strings.HasSuffix(p, "/") || strings.HasSuffix(p, "/.") || strings.HasSuffix(p, "/..") {
		clean = strings.TrimSuffix(clean, "/") + "/"
	}
	return clean
}

// cleanEscapes decodes unnecessary escapes and writes the others with capital
// digits.
func cleanEscapes(p string) string {
	if !strings.Contains(p, "%") {
		return p
	}
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] != '%' || i+2 >= len(p) {
			b.WriteByte(p[i])
			continue
		}
		hi, lo := unhex(p[i+1]), unhex(p[i+2])
		c := hi<<4 | lo
		switch {
		case hi > 15 || lo > 15:
			b.WriteByte('%')
			continue
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteString(strings.ToUpper(p[i : i+3]))
		}
		i += 2
	}
	return b.String()
}

// unhex returns the value of a hexadecimal digit, or 255.
func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

func cleanQuery(q string) string {
	if q == "" {
		return ""
	}
	var kept []string
	for part := range strings.SplitSeq(q, "&") {
		name, _, _ := strings.Cut(part, "=")
		name = strings.ToLower(name)
		if part != "" && !tracking[name] && !strings.HasPrefix(name, "utm_") {
			kept = append(kept, strings.ReplaceAll(cleanEscapes(part), " ", "%20"))
		}
	}
	return strings.Join(kept, "&")
}

// scope determines which addresses belong to a source.
type scope struct {
	scheme, host string
	hosts        []string
	prefixes     []string
	exclude      []string
}

func newScope(start *url.URL, cfg Config) scope {
	s := scope{scheme: start.Scheme, host: start.Host, prefixes: cfg.Prefixes, exclude: cfg.Exclude}
	for _, h := range cfg.Hosts {
		s.hosts = append(s.hosts, strings.ToLower(h))
	}
	if len(s.prefixes) == 0 {
		s.prefixes = []string{folder(start.EscapedPath())}
		if cfg.Mode == ModeSitemap {
			dir, _ := path.Split(start.EscapedPath())
			s.prefixes = []string{dir}
		}
	}
	return s
}

// folder returns the path below which a crawl stays by default. This is the
// path itself, or its folder if the last part looks like a file.
func folder(p string) string {
	dir, last := path.Split(p)
	if strings.Contains(last, ".") {
		return dir
	}
	return p
}

// allows reports whether the source reads a canonical address.
func (s scope) allows(u *url.URL) bool {
	if !(u.Host == s.host && u.Scheme == s.scheme) && !slices.Contains(s.hosts, u.Host) {
		return false
	}
	p := u.EscapedPath()
	below := func(prefix string) bool { return under(p, prefix) }
	return slices.ContainsFunc(s.prefixes, below) && !slices.ContainsFunc(s.exclude, below)
}

// under reports whether a path equals a prefix or is below it.
func under(p, prefix string) bool {
	rest, ok := strings.CutPrefix(p, prefix)
	return ok && (rest == "" || strings.HasSuffix(prefix, "/") || rest[0] == '/')
}

// follows reports whether a redirect of the first page to u is allowed. It may
// lead to https, to or from the www host, or to another path of the host.
func (s scope) follows(u *url.URL) bool {
	bare := func(h string) string { return strings.TrimPrefix(h, "www.") }
	return bare(u.Host) == bare(s.host) && (u.Scheme == s.scheme || u.Scheme == "https")
}
