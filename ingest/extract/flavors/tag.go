package flavors

import (
	"bytes"
	"html"
	"strings"

	"docent/internal/lazyregexp"
)

var (
	// opening is the beginning of a tag.
	opening  = lazyregexp.New(`^<(/?)([A-Za-z][\w.:-]*)`)
	autoLink = lazyregexp.New(`^<(?:[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]+)>`)
	anyTag   = lazyregexp.New(`<[^>]*>`)
	template = lazyregexp.New(`^<%[^%]*(?:%[^>][^%]*)*%>`)
)

// blockTags are elements of HTML that are paragraphs of their own, and inlineTags others.
var (
	blockTags = set(`p div section article aside header footer main nav figure figcaption center ul ol dl table thead tbody tfoot tr form
		fieldset address blockquote hr details summary body html head picture source colgroup col caption iframe video audio noscript`)
	inlineTags = set(`a abbr acronym b bdi bdo big br cite code del dfn em font i img input ins kbd label li mark q rp rt ruby s samp small span strike
		strong sub sup td th time tt u var wbr dt dd h1 h2 h3 h4 h5 h6 pre button svg path object embed param track map area o:p slot link meta`)
)

// angle replaces HTML, components, and comments.
func (c *scanner) angle(i int) int {
	s := head(c.s, i)
	if strings.HasPrefix(s, "<!--") {
		if next := c.find(i, "-->", maxEnclosed); next > 0 {
			return next
		}
		return i
	}
	if m := template.FindString(s); m != "" {
		return i + len(m)
	}
	if m := autoLink.FindString(s); m != "" {
		c.b.WriteString(m)
		return i + len(m)
	}
	if strings.HasPrefix(s, "<>") || strings.HasPrefix(s, "</>") {
		if c.mdx {
			return i + strings.IndexByte(s, '>') + 1
		}
		return i
	}
	m := opening.FindStringSubmatch(s)
	if m == nil || c.find(i, ">", maxInline) < 0 {
		return i
	}
	end := tagEnd(s, len(m[0]))
	if end < 0 {
		return i
	}
	name, lower, attrs := m[2], strings.ToLower(m[2]), s[len(m[0]):end-1]
	component := name != lower || strings.ContainsAny(name, ".")
	if !blockTags[lower] && !inlineTags[lower] && lower != "script" && lower != "style" && !c.isElement(name, attrs) {
		return i
	}
	next := i + end
	if m[1] == "" && !component {
		if after := c.enclosed(i, next, lower, attrs); after > 0 {
			return after
		}
	}
	if component {
		params, whole := strings.CutSuffix(attrs, "/")
		c.tag(name, params, m[1] == "/", !whole)
		return next
	}
	c.element(lower, attrs, m[1] == "/", next)
	return next
}

// isElement reports whether an unknown name between angle brackets is an element: it has attributes or
// an end. Others are placeholders, such as <file>.
func (c *scanner) isElement(name, attrs string) bool {
	if strings.HasSuffix(attrs, "/") || strings.Contains(attrs, "=") {
		return true
	}
	return c.has("</"+name+">") || c.mdx && strings.ToLower(name) != name
}

// tagEnd returns the position behind a tag whose name ends at i, or -1.
func tagEnd(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '"', '\'':
			if depth > 0 || i > 0 && s[i-1] == '=' {
				k := strings.IndexByte(s[i+1:], s[i])
				if k < 0 {
					return -1
				}
				i += k + 1
			}
		case '{':
			depth++
		case '}':
			depth--
		case '<':
			if depth == 0 {
				return -1
			}
		case '>':
			if depth <= 0 {
				return i + 1
			}
		}
	}
	return -1
}

// enclosed replaces elements together with their content. It returns the position behind them, or -1.
func (c *scanner) enclosed(i, next int, name, attrs string) int {
	switch name {
	case "a":
		text, end := c.paragraph(next, "</a>")
		if end < 0 {
			return -1
		}
		text = strings.TrimSpace(inline(text, c.document))
		if href := attribute(attrs, "href"); href != "" && text != "" {
			text = "[" + text + "](" + href + ")"
		}
		c.b.WriteString(text)
		return end
	case "b", "strong", "em", "i":
		mark := "**"
		if name == "em" || name == "i" {
			mark = "*"
		}
		text, end := c.paragraph(next, "</"+name+">")
		if end < 0 {
			return -1
		}
		if text = strings.TrimSpace(inline(text, c.document)); text != "" {
			c.b.WriteString(mark + text + mark)
		}
		return end
	case "script", "style", "svg", "iframe", "video", "audio", "object":
		if end := c.find(next, "</"+name+">", maxEnclosed); end > 0 {
			return end
		}
	case "pre":
		end := c.find(next, "</pre>", maxEnclosed)
		if end < 0 {
			return -1
		}
		text := html.UnescapeString(anyTag.ReplaceAllString(c.s[next:end-len("</pre>")], ""))
		fence := "```"
		for strings.Contains(text, fence) {
			fence += "`"
		}
		c.b.WriteString("\n\n" + fence + "\n" + strings.Trim(text, "\n") + "\n" + fence + "\n\n")
		return end
	case "table":
		end := c.tableEnd(i)
		if end < 0 {
			return -1
		}
		rows := table(c.s[i:end], c.document)
		if rows == "" {
			return -1
		}
		c.b.WriteString("\n\n" + rows + "\n\n")
		return end
	}
	return -1
}

// tableEnd returns the end of the table at i, with the tables inside it, or -1.
func (c *scanner) tableEnd(i int) int {
	end := i
	for range maxNested {
		if end = c.find(end, "</table>", maxEnclosed); end < 0 {
			return -1
		}
		if part := c.s[i:end]; strings.Count(part, "<table") == strings.Count(part, "</table>") {
			return end
		}
	}
	return -1
}

// element replaces a tag of HTML.
func (c *scanner) element(name, attrs string, end bool, next int) {
	row := c.inRow()
	gap := func(text string) {
		if row {
			c.b.WriteByte(' ')
			return
		}
		c.b.WriteString(text)
	}
	switch name {
	case "code", "tt", "samp":
		c.b.WriteByte('`')
	case "br":
		if row {
			c.b.WriteByte(' ')
		} else if next >= len(c.s) || c.s[next] != '\n' {
			c.b.WriteByte('\n')
		}
	case "img":
		if alt := attribute(attrs, "alt"); alt != "" {
			c.b.WriteString(alt)
		}
	case "li":
		if !end {
			gap("\n- ")
		}
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if !end && bytes.HasSuffix(c.b.Bytes(), []byte("\n- ")) {
			c.b.Truncate(c.b.Len() - 2)
		}
		if end {
			gap("\n\n")
		} else {
			gap("\n\n" + strings.Repeat("#", int(name[1]-'0')) + " ")
		}
	case "summary", "figcaption", "dt", "caption", "legend":
		if end {
			c.trim()
			gap("**\n\n")
		} else {
			gap("\n\n**")
		}
	case "td", "th":
		c.b.WriteByte(' ')
	case "sup":
	case "hr":
		gap("\n\n")
	default:
		if blockTags[name] || name == "dd" {
			gap("\n\n")
		}
	}
}

// inRow reports whether the current line of the result is a row of a table.
func (c *scanner) inRow() bool {
	b := c.b.Bytes()
	for k := len(b) - 1; k >= 0 && len(b)-k < maxInline; k-- {
		if b[k] == '\n' {
			return k+1 < len(b) && b[k+1] == '|'
		}
	}
	return len(b) > 0 && len(b) < maxInline && b[0] == '|'
}

// attribute returns an attribute of a tag; "" without one.
func attribute(attrs, name string) string {
	for _, m := range pair.FindAllStringSubmatch(attrs, 40) {
		if strings.EqualFold(m[1], name) {
			if v := value(m); !strings.HasPrefix(v, "{") {
				return html.UnescapeString(strings.TrimSpace(v))
			}
		}
	}
	return ""
}
