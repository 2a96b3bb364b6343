package web

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html/charset"

	"docent/ingest/source/dial"
	"docent/internal/fault"
)

// The limits of sitemaps: the decompressed bytes of one sitemap, the sitemaps
// of one source, the levels of index files, and the levels of XML elements.
const (
	maxSitemap      = 50 << 20
	maxSitemaps     = 1000
	maxSitemapDepth = 4
	maxXMLDepth     = 32
)

// sitemap is the content of one sitemap.
type sitemap struct {
	pages, children []string
}

// sitemapPages returns the addresses in the first sitemap and in the sitemaps
// below it, at most one more than the source may have. It fails if any sitemap is
// unreadable, because its pages would otherwise be removed.
func (r *run) sitemapPages(ctx context.Context) ([]string, error) {
	type entry struct {
		address string
		depth   int
	}
	var pages []string
	queue := []entry{{r.src.start.String(), 0}}
	seen := map[string]bool{queue[0].address: true}
	for i := 0; i < len(queue) && len(pages) <= r.src.cfg.MaxPages; i++ {
		e := queue[i]
		sm, to, err := r.readSitemap(ctx, e.address)
		if err != nil {
			return nil, fmt.Errorf("sitemap %s: %w", e.address, err)
		}
		if to != "" {
			sm.children = append(sm.children, to)
		}
		pages = append(pages, sm.pages[:min(len(sm.pages), r.src.cfg.MaxPages+1-len(pages))]...)
		for _, child := range sm.children {
			u, err := url.Parse(child)
			if err != nil || seen[child] || !r.sitemapHost(u) {
				continue
			}
			if e.depth+1 > maxSitemapDepth || len(queue) >= maxSitemaps {
				return nil, fault.New(fault.Invalid,
					"sitemap_too_large", "the sitemap has more than %d files or %d levels", maxSitemaps, maxSitemapDepth)
			}
			seen[child] = true
			queue = append(queue, entry{child, e.depth + 1})
		}
	}
	return pages, nil
}

// sitemapHost reports whether sitemaps are read from the host of u.
func (r *run) sitemapHost(u *url.URL) bool {
	s := r.src.scope
	s.prefixes, s.exclude = []string{"/"}, nil
	return s.allows(u) || s.follows(u)
}

// readSitemap requests one sitemap. to is the target of a redirect.
func (r *run) readSitemap(ctx context.Context, address string) (sm sitemap, to string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return sm, "", fault.Wrap(fault.Invalid, err, "item_address_invalid", "%q is not an address", address)
	}
	res, err := r.src.get(ctx, u, state{})
	if err != nil {
		return sm, "", err
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		to, ok := resolve(u, res.Header.Get("Location"))
		if target, err := url.Parse(to); !ok || err != nil || !r.sitemapHost(target) {
			return sm, "", fault.New(fault.Invalid, "sitemap_redirect_outside", "it redirects to an address outside of the source")
		}
		return sm, to, nil
	}
	if res.StatusCode != http.StatusOK {
		return sm, "", dial.StatusError(res)
	}
	sm, err = parseSitemap(res.Body, u, r.src.cfg.MaxPages+1, maxSitemap)
	var f *fault.Fault
	if err != nil && !errors.As(err, &f) {
		err = dial.Explain(err, u.Host)
	}
	return sm, "", err
}

// parseSitemap parses a sitemap or an index of sitemaps. It accepts XML,
// compressed XML, and one address on each line. It stops after limit addresses
// and fails above size bytes.
func parseSitemap(r io.Reader, base *url.URL, limit int, size int64) (sitemap, error) {
	in := bufio.NewReader(r)
	head, err := in.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return sitemap{}, err // it comes only once
	}
	if bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return sitemap{}, fault.Wrap(fault.Invalid, err, "sitemap_gzip_damaged", "damaged: it is not a compressed sitemap")
		}
		in = bufio.NewReader(z)
	}
	bounded := &io.LimitedReader{R: in, N: size}
	in = bufio.NewReader(bounded)
	var sm sitemap
	head, err = in.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return sm, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(head, []byte(mark))), []byte("<")) {
		err = sm.readXML(in, base, limit)
	} else {
		err = sm.readLines(in, base, limit)
	}
	if bounded.N <= 0 && len(sm.pages) < limit {
		return sm, dial.TooLarge(size)
	}
	return sm, err
}

func (sm *sitemap) readXML(r io.Reader, base *url.URL, limit int) error {
	d := xml.NewDecoder(r)
	d.Strict = false
	d.CharsetReader = charset.NewReaderLabel
	var path []string
	roots := 0
	for len(sm.pages) < limit && len(sm.children) <= maxSitemaps {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			if roots == 0 {
				return fault.New(fault.Invalid, "sitemap_invalid", "damaged: it is not a sitemap")
			}
			return nil
		}
		if err != nil {
			var syntax *xml.SyntaxError
			if errors.As(err, &syntax) {
				return fault.Wrap(fault.Invalid, err, "sitemap_invalid", "damaged: it is not a sitemap")
			}
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(path) >= maxXMLDepth {
				return fault.New(fault.Invalid, "sitemap_too_deep", "damaged: it is nested too deeply for a sitemap")
			}
			if t.Name.Local == "urlset" || t.Name.Local == "sitemapindex" {
				roots++
			}
			path = append(path, t.Name.Local)
		case xml.EndElement:
			path = path[:max(len(path)-1, 0)]
		case xml.CharData:
			if n := len(path); n >= 2 && path[n-1] == "loc" {
				sm.add(path[n-2], string(t), base)
			}
		}
	}
	return nil
}

func (sm *sitemap) add(parent, address string, base *url.URL) {
	key, ok := resolve(base, address)
	switch {
	case !ok:
	case parent == "url":
		sm.pages = append(sm.pages, key)
	case parent == "sitemap":
		sm.children = append(sm.children, key)
	}
}

func (sm *sitemap) readLines(r io.Reader, base *url.URL, limit int) error {
	lines := bufio.NewScanner(r)
	for lines.Scan() && len(sm.pages) < limit {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), mark))
		if line == "" {
			continue
		}
		if !strings.HasPrefix(line, "http://") && !strings.HasPrefix(line, "https://") {
			return fault.New(fault.Invalid, "sitemap_invalid", "damaged: it is not a sitemap")
		}
		sm.add("url", line, base)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fault.New(fault.Invalid, "sitemap_invalid", "damaged: it is not a sitemap")
	}
	return lines.Err()
}
