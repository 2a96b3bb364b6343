package flavors

import (
	"strings"

	"docent/internal/lazyregexp"
)

// maxNames bounds the names whose ends are remembered.
const maxNames = 1000

var (
	shortcodeName = lazyregexp.New(`^\{\{[<%]\s*(/?)\s*([\w/.-]+)`)
	escaped       = lazyregexp.New(`^(\{\{[<%])/\*\s*(.*?)\s*\*/([%>]\}\})`)
	positional    = lazyregexp.New(`^\s*(?:"((?:[^"\\]|\\.)*)"|` + "`([^`]*)`" + `|([^\s"=]+))(?:\s|$)`)
)

// The names of shortcodes, components, and tags of templates by their meaning, in lower case without - and _.
var (
	// linkNames have the address of a page.
	linkNames = set(`ref relref link url absurl relurl siteurl baseurl path postlink permalink`)
	// namedByFirst have their title as the first parameter.
	namedByFirst = set(`tab tabitem details expand heading collapse accordion accordionitem toggle spoiler dropdown section card step`)
	// silentNames have parameters that are no text.
	silentNames = set(`youtube vimeo gist tweet x instagram include readfile embed codenew codeblock param toc tableofcontents comment raw endraw
		assign capture if else elsif endif unless endunless for endfor case when endcase set import from extends block endblock macro endmacro
		example script style icon fontawesome swagger openapi codesample codefile literalinclude`)
	// textNames are the parameters that readers see, in the order of their meaning.
	textNames = []string{"title", "label", "heading", "header", "summary", "caption", "text", "alt", "term"}
	// moreNames are the parameters with text behind a title.
	moreNames = []string{"description", "desc", "subtitle", "content"}
	// callNames are the names of boxes whose type is a parameter.
	callNames = set(`admonition callout alert notice hint note tip warning info danger caution important aside box message`)
)

// shortcode replaces a shortcode of Hugo.
func (c *scanner) shortcode(i int) int {
	s := head(c.s, i)
	if m := escaped.FindStringSubmatch(s); m != nil { // the text shows a shortcode
		c.b.WriteString("`" + m[1] + " " + strings.ReplaceAll(m[2], "`", "'") + " " + m[3] + "`")
		return i + len(m[0])
	}
	m := shortcodeName.FindStringSubmatch(s)
	end := ">}}"
	if strings.HasPrefix(s, "{{%") {
		end = "%}}"
	}
	next := c.find(i, end, maxInline)
	if m == nil || next < 0 || i+len(m[0]) > next-len(end) {
		return i
	}
	params, whole := strings.CutSuffix(strings.TrimRight(c.s[i+len(m[0]):next-len(end)], " "), "/")
	paired := !whole && (c.has("/"+m[2]+" ") || c.has("/ "+m[2]+" ") || c.has("/"+m[2]+end))
	c.tag(m[2], params, m[1] == "/", paired)
	return next
}

// has reports whether the text has an end of a shortcode or of a tag.
func (c *scanner) has(end string) bool {
	is, known := c.closed[end]
	if !known {
		is = strings.Contains(c.text, end)
		if len(c.closed) < maxNames {
			c.closed[end] = is
		}
	}
	return is
}

// tag replaces the beginning or the end of a component, a shortcode, or a tag of a template by the text
// in its parameters. The text of a paired tag goes before its content.
func (c *scanner) tag(name, params string, end, paired bool) {
	key := strings.NewReplacer("-", "", "_", "", ".", "", "/", "").Replace(strings.ToLower(name))
	alone := c.atLineStart()
	if end {
		if alone {
			c.b.WriteString("\n")
		}
		return
	}
	if silentNames[key] {
		return
	}
	if linkNames[key] {
		if c.inLink() {
			c.b.WriteString(firstParam(params))
		} else if v := attribute(params, "text"); v != "" {
			c.b.WriteString(v)
		} else {
			c.b.WriteString(firstParam(params))
		}
		return
	}
	text := shownText(key, params)
	if text == "" {
		return
	}
	if !alone {
		c.b.WriteString(text)
		return
	}
	text, more, _ := strings.Cut(text, ": ")
	if more != "" {
		more = " " + more
	}
	label := "**" + text + "**"
	if !strings.ContainsAny(text[len(text)-1:], ".:?!") && strings.Count(text, " ") < 12 {
		label = "**" + text + ":**"
	}
	label += more
	if key == "figure" || key == "img" || key == "image" || key == "glossarytooltip" {
		label = text + more
	}
	if !paired {
		c.b.WriteString("\n\n" + label + "\n\n")
		return
	}
	c.b.WriteString("\n\n" + label + joined + "\n")
}

// shownText returns the text in the parameters of a component that readers see.
func shownText(key, params string) string {
	var values []string
	named := map[string]string{}
	for _, m := range pair.FindAllStringSubmatch(params, 40) {
		if v := value(m); v != "" && !strings.HasPrefix(v, "{") {
			named[strings.ToLower(m[1])] = v
		}
	}
	pick := func(names []string) {
		for _, name := range names {
			if v := strings.TrimSpace(named[name]); v != "" && !strings.HasPrefix(v, "http") {
				values = append(values, v)
				return
			}
		}
	}
	if pick(textNames); len(values) == 0 && namedByFirst[key] {
		pick([]string{"name"})
	}
	if caption := strings.TrimSpace(named["caption"]); key == "figure" && len(values) == 1 && caption != "" && caption != values[0] {
		values = append(values, caption)
	}
	if pick(moreNames); len(values) > 0 {
		return strings.Join(values, ": ")
	}
	if namedByFirst[key] {
		return firstParam(params)
	}
	if callNames[key] {
		for _, name := range []string{"type", "style", "color", "kind", "variant", "status"} {
			if label := boxLabel(named[name]); label != "" {
				return label
			}
		}
		if p := firstParam(params); p != "" && len(named) == 0 {
			if label := boxLabel(p); label != "" {
				return label
			}
		}
		return boxLabelAny(key)
	}
	return ""
}

// boxLabelAny returns the label of a box whose name is its type.
func boxLabelAny(key string) string {
	switch key {
	case "admonition", "callout", "alert", "notice", "hint", "aside", "box", "message":
		return ""
	}
	return boxLabel(key)
}

// firstParam returns the first parameter without a name.
func firstParam(params string) string {
	m := positional.FindStringSubmatch(params)
	if m == nil {
		return ""
	}
	return m[1] + m[2] + m[3]
}

// atLineStart reports whether the current line of the result is empty so far.
func (c *scanner) atLineStart() bool {
	b := c.b.Bytes()
	for k := len(b) - 1; k >= 0; k-- {
		switch b[k] {
		case '\n':
			return true
		case ' ':
		default:
			return false
		}
	}
	return true
}

// inLink reports whether the result ends where the address of a link begins.
func (c *scanner) inLink() bool {
	b := c.b.Bytes()
	return len(b) > 1 && b[len(b)-1] == '(' && b[len(b)-2] == ']' || len(b) > 2 && string(b[len(b)-3:]) == "](<"
}
