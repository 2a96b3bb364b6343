package webdav

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html/charset"

	"docent/ingest/source/dial"
	"docent/internal/fault"
)

const propfind = `<?xml version="1.0" encoding="utf-8"?>` +
	`<propfind xmlns="DAV:"><prop><resourcetype/><getetag/><getlastmodified/><getcontentlength/></prop></propfind>`

// The limits of one listing: bytes, entries, and levels of XML elements.
const (
	maxListing  = 64 << 20
	maxEntries  = 100_000
	maxXMLDepth = 32
	maxText     = 8 << 10 // bytes of text in one element
)

// entry is a file or folder of a listing.
type entry struct {
	path     string // decoded path relative to the root; folders end with a slash
	folder   bool
	etag     string
	modified string
	size     int64
}

// folder lists one folder.
func (s *Source) folder(ctx context.Context, dir string) ([]entry, error) {
	res, err := s.do(ctx, "PROPFIND", s.address(dir), propfind)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	switch code := res.StatusCode; {
	case code == http.StatusMultiStatus:
	case code >= 300 && code < 400:
		return nil, fault.New(fault.Invalid, "webdav_moved", "the server redirects to %s; use that address", res.Header.Get("Location"))
	case code == http.StatusMethodNotAllowed || code == http.StatusOK || code == http.StatusNotImplemented:
		return nil, fault.New(fault.Invalid, "webdav_not_spoken", "the server does not speak WebDAV at this address")
	default:
		return nil, dial.StatusError(res)
	}
	all, err := parse(res.Body, s.root)
	if err != nil {
		var f *fault.Fault
		if !errors.As(err, &f) {
			err = dial.Explain(err, s.root.Host)
		}
		return nil, err
	}
	out := all[:0]
	for _, e := range all { // only direct members, so that a server cannot cause an endless walk
		rest, ok := strings.CutPrefix(e.path, dir)
		rest = strings.TrimSuffix(rest, "/")
		if ok && rest != "" && rest != "." && rest != ".." && !strings.Contains(rest, "/") && strings.Count(e.path, "/") <= maxDepth {
			out = append(out, e)
		}
	}
	return out, nil
}

// parse parses a multistatus response.
func parse(r io.Reader, root *url.URL) ([]entry, error) {
	bounded := &io.LimitedReader{R: r, N: maxListing}
	d := xml.NewDecoder(bufio.NewReader(bounded))
	d.CharsetReader = charset.NewReaderLabel
	p := parser{root: root}
	for {
		token, err := d.RawToken()
		if bounded.N <= 0 || len(p.entries) > maxEntries {
			return nil, fault.New(fault.Invalid, "webdav_listing_too_large", "the listing of a folder is too large")
		}
		if errors.Is(err, io.EOF) {
			if !p.complete {
				return nil, fault.New(fault.Unavailable, "webdav_listing_cut_off", "the listing of a folder is cut off")
			}
			return p.entries, nil
		}
		if err != nil {
			var syntax *xml.SyntaxError
			if errors.As(err, &syntax) {
				return nil, fault.Wrap(fault.Unavailable, err, "webdav_listing_invalid", "the listing of a folder is not valid XML")
			}
			return nil, err
		}
		if err := p.token(token); err != nil {
			return nil, err
		}
	}
}

// parser collects the entries of a multistatus response.
type parser struct {
	root     *url.URL
	path     []string // the open elements
	text     strings.Builder
	now      entry
	props    entry // properties of the current propstat
	good     bool  // the current propstat has status 200
	gone     bool  // the current response has another status
	href     string
	entries  []entry
	complete bool
}

func (p *parser) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		if len(p.path) >= maxXMLDepth {
			return fault.New(fault.Invalid, "webdav_listing_too_deep", "the listing of a folder is nested too deeply")
		}
		p.path = append(p.path, t.Name.Local)
		p.text.Reset()
		switch t.Name.Local {
		case "response":
			p.now, p.href, p.gone = entry{}, "", false
		case "propstat":
			p.props, p.good = entry{}, true
		case "collection":
			if p.parent() == "resourcetype" {
				p.props.folder = true
			}
		}
	case xml.CharData:
		if p.text.Len()+len(t) <= maxText {
			p.text.Write(t)
		}
	case xml.EndElement:
		if len(p.path) == 0 || p.path[len(p.path)-1] != t.Name.Local {
			return fault.New(fault.Unavailable, "webdav_listing_invalid", "the listing of a folder is not valid XML")
		}
		p.end(t.Name.Local, strings.TrimSpace(p.text.String()))
		p.path = p.path[:len(p.path)-1]
		p.text.Reset()
	}
	return nil
}

// parent returns the parent of the innermost open element.
func (p *parser) parent() string {
	if len(p.path) < 2 {
		return ""
	}
	return p.path[len(p.path)-2]
}

func (p *parser) end(name, text string) {
	switch parent := p.parent(); {
	case name == "multistatus":
		p.complete = true
	case name == "href" && parent == "response" && p.href == "":
		p.href = text
	case name == "status" && parent == "propstat":
		p.good = strings.Contains(text, " 200")
	case name == "status" && parent == "response":
		p.gone = !strings.Contains(text, " 200")
	case name == "getetag" && parent == "prop":
		p.props.etag = text
	case name == "getlastmodified" && parent == "prop":
		p.props.modified = text
	case name == "getcontentlength" && parent == "prop":
		p.props.size, _ = strconv.ParseInt(text, 10, 64)
	case name == "propstat" && p.good:
		p.now.merge(p.props)
	case name == "response" && !p.gone:
		p.add()
	}
}

func (e *entry) merge(o entry) {
	e.folder = e.folder || o.folder
	if o.etag != "" {
		e.etag = o.etag
	}
	if o.modified != "" {
		e.modified = o.modified
	}
	e.size = max(e.size, o.size)
}

// add adds an entry if it is below the root.
func (p *parser) add() {
	u, err := p.root.Parse(p.href)
	if err != nil || u.Host != p.root.Host {
		return
	}
	rest, ok := strings.CutPrefix(u.Path, p.root.Path)
	if !ok || rest == "" {
		return
	}
	p.now.path = strings.TrimSuffix(rest, "/")
	if p.now.folder {
		p.now.path += "/"
	}
	p.entries = append(p.entries, p.now)
}
