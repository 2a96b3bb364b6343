// Package flavors turns the extensions of Markdown into plain Markdown: front matter, wiki links,
// callouts, shortcodes, components, admonitions, directives, and HTML. It knows those of Obsidian,
// Hugo, Jekyll, Docusaurus, MkDocs, VitePress, Pandoc, and Sphinx with MyST.
package flavors

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"docent/ingest/extract/metadata"
	"docent/internal/lazyregexp"
)

const (
	// maxFrontMatter bounds the front matter, in bytes.
	maxFrontMatter = 64 << 10
	// maxValues bounds the tags and the aliases, and maxValue their bytes.
	maxValues, maxValue = 50, 200
)

// Fields are the fields of the front matter.
type Fields struct {
	// Title is the title, or the short name of the page in menus; "" without one.
	Title string
	// Date is the time of the last change. Without one, it is the time of the publication, or zero.
	Date time.Time
	// Version is the version that the fields state; "" without one.
	Version string
	// Tags are the tags, categories, and keywords. Aliases are other names of the document.
	Tags, Aliases []string
}

// The names of the fields with a meaning, in lower case without _ and -, in the order of preference.
var (
	titleNames   = []string{"title", "pagetitle", "linktitle", "sidebarlabel", "name"}
	changedNames = []string{
		"lastmod", "lastmodified", "lastmodifiedat", "lastupdated", "lastupdate", "updated", "updatedat",
		"datemodified", "modified", "dateupdated", "revised",
	}
	createdNames = []string{
		"date", "published", "publishdate", "pubdate", "datepublished", "publishedat",
		"created", "createdat", "datecreated",
	}
	versionNames = []string{"version", "release", "productversion", "docversion"}
	tagNames     = []string{"tags", "tag", "categories", "category", "keywords"}
	aliasNames   = []string{"aliases", "alias", "alsoknownas", "synonyms"}
)

// CutFrontMatter returns the fields at the beginning of a text, in YAML, TOML, or JSON, and the text
// after them. Without fields, it returns the whole text.
func CutFrontMatter(s string) (f Fields, rest string) {
	values, rest, ok := frontMatter(s)
	if !ok {
		return Fields{}, s
	}
	all := map[string]any{}
	for name, v := range values {
		all[strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))] = v
	}
	f.Title = first(all, titleNames)
	var dates []string
	for _, names := range [][]string{changedNames, createdNames} {
		for _, name := range names {
			dates = append(dates, datesIn(all[name])...)
		}
	}
	f.Date = metadata.FirstDate(dates...)
	for _, name := range versionNames {
		if f.Version == "" {
			f.Version = metadata.CheckVersion(plainValue(all[name]))
		}
	}
	f.Tags, f.Aliases = list(all, tagNames), list(all, aliasNames)
	return f, rest
}

// frontMatter returns the values of the front matter and the text after it.
func frontMatter(s string) (values map[string]any, rest string, ok bool) {
	line, after, _ := strings.Cut(s, "\n")
	switch fence := strings.TrimRight(line, " \t\r"); {
	case fence == "---":
		inner, rest, ok := cutFence(after, "---", "...")
		if !ok {
			return nil, s, false
		}
		values, ok = yamlFields(inner)
		return values, rest, ok
	case fence == "+++":
		inner, rest, ok := cutFence(after, "+++")
		return tomlFields(inner), rest, ok
	case strings.HasPrefix(fence, "{") && !strings.HasPrefix(fence, "{{") && !strings.HasPrefix(fence, "{%"):
		d := json.NewDecoder(strings.NewReader(s[:min(len(s), maxFrontMatter)]))
		if d.Decode(&values) != nil || strings.TrimSpace(s[d.InputOffset():]) == "" {
			return nil, s, false
		}
		return values, s[d.InputOffset():], true
	case pageProperty.MatchString(fence):
		return pageProperties(s)
	}
	return noteProperties(s)
}

var (
	// pageProperty is a property in the first lines of a page of Logseq.
	pageProperty = lazyregexp.New(`^(?:- )?([a-zA-Z][\w-]{0,40}):: (\S.*)$`)
	// noteEnd is the block of properties at the end of a note of Joplin.
	noteEnd      = lazyregexp.New(`\n\nid: [0-9a-f]{32}\n(?:[a-z_]+:[^\n]*\n){3,40}type_: \d+\s*$`)
	noteProperty = lazyregexp.New(`(?m)^(updated_time|created_time): (\S+)$`)
)

// pageProperties returns the properties of a page of Logseq.
func pageProperties(s string) (values map[string]any, rest string, ok bool) {
	values = map[string]any{}
	for rest = s; ; {
		line, after, _ := strings.Cut(rest, "\n")
		m := pageProperty.FindStringSubmatch(strings.TrimRight(line, " \r"))
		if m == nil || len(values) >= maxValues {
			return values, rest, true
		}
		values[m[1]] = strings.NewReplacer("[[", "", "]]", "", "#", "").Replace(m[2])
		rest = after
	}
}

// noteProperties returns the properties of a note of Joplin. Its first line is the title.
func noteProperties(s string) (values map[string]any, rest string, ok bool) {
	tail := s[max(0, len(s)-maxFrontMatter/8):]
	at := noteEnd.FindStringIndex(tail)
	if at == nil {
		return nil, s, false
	}
	title, rest, _ := strings.Cut(s[:len(s)-len(tail)+at[0]], "\n")
	values = map[string]any{"title": strings.TrimSpace(title)}
	for _, m := range noteProperty.FindAllStringSubmatch(tail[at[0]:], 2) {
		values[strings.TrimSuffix(m[1], "_time")] = m[2]
	}
	return values, rest, true
}

// cutFence cuts a text at the first line that is one of the fences.
func cutFence(s string, fences ...string) (inner, rest string, ok bool) {
	at := 0
	for line := range strings.Lines(s[:min(len(s), maxFrontMatter)]) {
		if slices.Contains(fences, strings.TrimRight(line, " \t\r\n")) {
			return s[:at], s[at+len(line):], true
		}
		at += len(line)
	}
	return "", s, false
}

var (
	// fieldLine is a line of YAML with a field, and innerLine another line inside the fields.
	fieldLine = lazyregexp.New(`^["']?([\pL_][\pL\d_ .-]*?)["']?\s*:(?:\s+(.*))?$`)
	innerLine = lazyregexp.New(`^(?:\s+|\s*-(?:\s|$)|#|[\]}]|$)`)
	// tomlLine is a line of TOML with a field.
	tomlLine = lazyregexp.New(`^\s*["']?([\w.-]+)["']?\s*=\s*(.*)$`)
	quoted   = lazyregexp.New(`"((?:[^"\\]|\\.)*)"|'([^']*)'`)
)

// yamlFields reads fields in YAML. If the YAML is damaged, it reads the lines that look like a field. It
// reports false for text that is no YAML.
func yamlFields(s string) (map[string]any, bool) {
	var nodes map[string]yaml.Node
	values := map[string]any{}
	if yaml.Unmarshal([]byte(s), &nodes) == nil && (nodes != nil || strings.TrimSpace(s) == "") {
		for name, n := range nodes {
			values[name] = nodeValue(&n)
		}
		return values, true
	}
	last := ""
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n \t")
		if m := fieldLine.FindStringSubmatch(line); m != nil {
			last = m[1]
			values[last] = strings.Trim(m[2], `"'`)
			continue
		}
		if !innerLine.MatchString(line) {
			return nil, false
		}
		if item, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok && last != "" {
			items, _ := values[last].([]any)
			values[last] = append(items, strings.Trim(item, `"'`))
		}
	}
	return values, len(values) > 0
}

// nodeValue returns a text as it is written, a list of texts, or the texts of fields.
func nodeValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return nil
		}
		return n.Value
	case yaml.SequenceNode:
		var items []any
		for _, item := range n.Content {
			items = append(items, item.Value)
		}
		return items
	case yaml.MappingNode:
		fields := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			fields[n.Content[i].Value] = n.Content[i+1].Value
		}
		return fields
	}
	return nil
}

// tomlFields reads the fields of TOML that are texts, dates, or lists of texts.
func tomlFields(s string) map[string]any {
	values := map[string]any{}
	lines := strings.Split(s, "\n")
	for i := 0; i < len(lines); i++ {
		m := tomlLine.FindStringSubmatch(strings.TrimRight(lines[i], "\r"))
		if m == nil {
			continue
		}
		name, value := m[1], strings.TrimSpace(m[2])
		if strings.HasPrefix(value, "[") {
			for !strings.Contains(value, "]") && i+1 < len(lines) {
				i++
				value += lines[i]
			}
			var items []any
			for _, q := range quoted.FindAllStringSubmatch(value, maxValues) {
				items = append(items, unescape(q))
			}
			values[name] = items
			continue
		}
		if q := quoted.FindStringSubmatch(value); q != nil {
			value = unescape(q)
		} else {
			value, _, _ = strings.Cut(value, "#")
		}
		if _, have := values[name]; !have {
			values[name] = strings.TrimSpace(value)
		}
	}
	return values
}

// unescape returns the content of a quoted text.
func unescape(q []string) string {
	if q[1] == "" {
		return q[2]
	}
	var s string
	if json.Unmarshal([]byte(`"`+q[1]+`"`), &s) != nil {
		return q[1]
	}
	return s
}

// plainValue returns a value as a line of text; "" for lists and fields.
func plainValue(v any) string {
	switch v := v.(type) {
	case string:
		return strings.Join(strings.Fields(v), " ")
	case int, int64, float64, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// first returns the first text of the named values.
func first(all map[string]any, names []string) string {
	for _, name := range names {
		if s := plainValue(all[name]); s != "" && len(s) <= 500 {
			return s
		}
	}
	return ""
}

// datesIn returns the texts of a value that may be a date. A value may have parts, such as updated and
// created.
func datesIn(v any) []string {
	if inner, ok := v.(map[string]any); ok {
		var out []string
		for _, name := range []string{"updated", "modified", "date", "created"} {
			out = append(out, plainValue(inner[name]))
		}
		return out
	}
	return []string{plainValue(v)}
}

// list returns the texts of the named values. A text is cut at commas.
func list(all map[string]any, names []string) []string {
	var out []string
	add := func(s string) {
		s = strings.TrimPrefix(strings.Join(strings.Fields(s), " "), "#")
		if s != "" && len(s) <= maxValue && len(out) < maxValues && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, name := range names {
		switch v := all[name].(type) {
		case []any:
			for _, item := range v {
				add(plainValue(item))
			}
		case nil:
		default:
			for s := range strings.SplitSeq(plainValue(v), ",") {
				add(s)
			}
		}
	}
	return out
}
