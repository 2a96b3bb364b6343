package web

import (
	"bytes"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxLinks and maxLinkBytes bound the links of one page.
const (
	maxLinks     = 5000
	maxLinkBytes = 512 << 10
)

// pageLinks has the data of a page that a crawl needs.
type pageLinks struct {
	links     []string // canonical and absolute, each once
	canonical string   // of rel="canonical"; "" without one
	noIndex   bool
	noFollow  bool
}

// resolve returns the canonical form of a link on a page.
func resolve(base *url.URL, href string) (string, bool) {
	href = strings.TrimSpace(href)
	if href == "" || len(href) > maxAddress || strings.HasPrefix(href, "#") {
		return "", false
	}
	u, err := base.Parse(href)
	if err != nil {
		return "", false
	}
	return canonical(u)
}

// readLinks returns the links of an HTML page for which keep returns true.
func readLinks(page *url.URL, body []byte, keep func(string) bool) pageLinks {
	var out pageLinks
	base, seen, size, tries := page, map[string]bool{}, 0, 0
	z := html.NewTokenizer(bytes.NewReader(body))
	z.SetMaxBuf(1 << 20)
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		name, more := z.TagName()
		tag := atom.Lookup(name)
		if !more || !linking(tag) {
			continue
		}
		attrs := readAttrs(z)
		switch tag {
		case atom.Base:
			if u, err := page.Parse(attrs["href"]); err == nil && attrs["href"] != "" && base == page {
				base = u
			}
			continue
		case atom.Meta:
			out.meta(attrs)
			continue
		case atom.Link:
			rel := strings.ToLower(attrs["rel"])
			if rel == "canonical" && out.canonical == "" {
				out.canonical, _ = resolve(base, attrs["href"])
			}
			if rel != "next" && rel != "prev" {
				continue
			}
		}
		href := attrs["href"]
		if href == "" {
			href = attrs["src"]
		}
		if tries++; href == "" || tries > 20*maxLinks || len(seen) >= maxLinks || size >= maxLinkBytes {
			continue
		}
		if key, ok := resolve(base, href); ok && !seen[key] && keep(key) {
			seen[key] = true
			size += len(key)
			out.links = append(out.links, key)
		}
	}
}

// linking reports whether a crawl needs a tag.
func linking(tag atom.Atom) bool {
	switch tag {
	case atom.A, atom.Area, atom.Base, atom.Meta, atom.Link, atom.Frame, atom.Iframe:
		return true
	}
	return false
}

// readAttrs reads the attributes that a crawl needs.
func readAttrs(z *html.Tokenizer) map[string]string {
	attrs := make(map[string]string, 2)
	for range 100 {
		key, value, more := z.TagAttr()
		switch string(key) {
		case "href", "src", "rel", "name", "content":
			if _, twice := attrs[string(key)]; !twice {
				attrs[string(key)] = string(value)
			}
		}
		if !more {
			break
		}
	}
	return attrs
}

func (p *pageLinks) meta(attrs map[string]string) {
	if name := strings.ToLower(attrs["name"]); name == "robots" || name == "docent" {
		p.robots(attrs["content"])
	}
}

// robots parses a robots directive of a page or of its header.
func (p *pageLinks) robots(content string) {
	for word := range strings.SplitSeq(strings.ToLower(content), ",") {
		switch strings.TrimSpace(word) {
		case "noindex":
			p.noIndex = true
		case "nofollow":
			p.noFollow = true
		case "none":
			p.noIndex, p.noFollow = true, true
		}
	}
}
