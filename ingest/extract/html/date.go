package html

import (
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"docent/ingest/extract/metadata"
	"docent/ingest/outline"
	"docent/internal/lazyregexp"
	"docent/rag/corpus"
)

// maxLinkedData bounds the read bytes of a script with linked data.
const maxLinkedData = 1 << 20

var (
	// changedName and createdName are the names of metadata with the dates of a page: of meta
	// elements, of microdata, and of classes of time elements.
	changedName = lazyregexp.New(`(?i)^(?:article:modified_time|og:updated_time|last-?modified|(?:dc|dcterms)[.:](?:date\.)?modified|revised|date-?modified|updated|dt-updated|git-revision-date)$`)
	createdName = lazyregexp.New(`(?i)^(?:article:published_time|(?:dc|dcterms)[.:](?:date(?:\.(?:issued|created))?|issued|created)|date|pubdate|publish-?date|publication_date|date-?published|citation_publication_date|published|dt-published|entry-date)$`)
	// linkedChanged and linkedCreated are the dates in linked data (JSON-LD).
	linkedChanged = lazyregexp.New(`"dateModified"\s*:\s*"([^"]{8,40})"`)
	linkedCreated = lazyregexp.New(`"datePublished"\s*:\s*"([^"]{8,40})"`)
)

// maxSubjects bounds the tags in the markup of a page.
const maxSubjects = 200

// subjectName is the names of metadata with the tags of a page.
var subjectName = lazyregexp.New(`(?i)^(?:article:tag|(?:dc|dcterms)[.:]subject)$`)

// dates are the dates, the version, and the tags in the markup of a page.
type dates struct {
	changed, created time.Time
	times            []time.Time // of time elements without a meaning, at most two different ones
	version          string
	tags             []string
}

// setDates sets the date, the version, and the tags of a page from its markup. The time of the last change
// comes before the time of publication. A time element without a meaning counts if the page has only
// one date in such elements.
func setDates(root *html.Node, doc *outline.Document) {
	d := &dates{}
	d.walk(root)
	doc.Version, doc.Tags = d.version, corpus.CleanTags(d.tags)
	switch {
	case !d.changed.IsZero():
		doc.SetDate(d.changed, corpus.PageMarkup)
	case !d.created.IsZero():
		doc.SetDate(d.created, corpus.PageMarkup)
	case len(d.times) == 1:
		doc.SetDate(d.times[0], corpus.PageMarkup)
	}
}

func (d *dates) walk(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Meta:
			d.meta(c)
		case atom.Time:
			d.time(c)
		case atom.Script:
			if attr(c, "type") == "application/ld+json" && c.FirstChild != nil {
				d.linked(c.FirstChild.Data)
			}
		}
		d.walk(c)
	}
}

// meta reads a meta element.
func (d *dates) meta(n *html.Node) {
	value := attr(n, "content")
	for _, key := range []string{"name", "property", "itemprop", "http-equiv"} {
		switch name := attr(n, key); {
		case name == "":
		case strings.EqualFold(name, "version") || strings.EqualFold(name, "docsearch:version"):
			d.version = metadata.CheckVersion(value)
		case subjectName.MatchString(name):
			if len(d.tags) < maxSubjects {
				d.tags = append(d.tags, value)
			}
		case key == "http-equiv" && strings.EqualFold(name, "date"): // of the response
		default:
			d.note(name, value)
		}
	}
}

// time reads a time element.
func (d *dates) time(n *html.Node) {
	value := attr(n, "datetime")
	if value == "" && n.FirstChild != nil {
		value = n.FirstChild.Data
	}
	if d.note(attr(n, "itemprop"), value) {
		return
	}
	for class := range strings.FieldsSeq(attr(n, "class")) {
		if d.note(class, value) {
			return
		}
	}
	t := metadata.ParseDate(value)
	if t.IsZero() || len(d.times) > 1 || len(d.times) == 1 && d.times[0].Format(time.DateOnly) == t.Format(time.DateOnly) {
		return
	}
	d.times = append(d.times, t)
}

// linked reads linked data.
func (d *dates) linked(script string) {
	script = script[:min(len(script), maxLinkedData)]
	for name, pattern := range map[string]*lazyregexp.Regexp{"datemodified": linkedChanged, "datepublished": linkedCreated} {
		if m := pattern.FindStringSubmatch(script); m != nil {
			d.note(name, m[1])
		}
	}
}

// note notes the first date of a name, and reports whether the name means a date.
func (d *dates) note(name, value string) bool {
	into := &d.changed
	switch {
	case changedName.MatchString(name):
	case createdName.MatchString(name):
		into = &d.created
	default:
		return false
	}
	if into.IsZero() {
		*into = metadata.ParseDate(value)
	}
	return true
}
