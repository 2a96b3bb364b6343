package singer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"docent/ingest/extract/metadata"
	"docent/ingest/source/thread"
	"docent/internal/fault"
)

// mapping has a template for each part of a document. {a.b} in a template is the field b
// of the field a, and {a|b} is the first of them that is not empty. A template takes all
// elements of a list.
type mapping struct {
	// title, text, author, and address are those of the document, or of an entry.
	title, text, author, address string
	// date is the time of the last change.
	date string
	// group joins records with the same value to one document.
	group string
	// tags are the tags, separated by commas.
	tags string
	// deleted tells records that are gone: with a value that is not empty, false, or 0.
	deleted string
}

// usual are the fields of records with usual names.
var usual = mapping{
	title:   "{title|name|subject|summary|headline|display_name|displayName|full_name|label}",
	text:    "{body|text|content|description|message|note|comment|details|answer}",
	author:  "{author.name|author.login|author|user.name|user.login|creator.name|creator|user_name|username}",
	address: "{html_url|web_url|url|link|permalink|href}",
	date:    "{updated_at|updatedAt|updated|modified|modified_at|last_modified|published_at|published|created_at|createdAt|created|date}",
	tags:    "{labels.name|labels|tags.name|tags|categories|keywords}",
	deleted: "{_sdc_deleted_at|deleted_at|deleted|is_deleted|isDeleted}",
}

// presets are the mappings of known taps, by program and stream. "" is the mapping of all
// other streams. They change the usual one.
var presets = map[string]map[string]mapping{
	"tap-github": {
		"issues":                {group: "{url}", address: "{html_url}"},
		"pull_requests":         {group: "{issue_url|url}", address: "{html_url}"},
		"issue_comments":        {group: "{issue_url}", address: "{html_url}", title: " "},
		"comments":              {group: "{issue_url}", address: "{html_url}", title: " "},
		"review_comments":       {group: "{pull_request_url}", address: "{html_url}", title: " "},
		"discussion_comments":   {group: "discussion {discussion_id}", title: " "},
		"discussions":           {group: "discussion {id}"},
		"releases":              {title: "{name|tag_name}"},
		"repositories":          {title: "{full_name|name}"},
		"pull_request_comments": {group: "{pull_request_url}", title: " "},
	},
	"tap-gitlab": {
		"issues":         {group: "issue {project_id} {iid}"},
		"merge_requests": {group: "merge request {project_id} {iid}"},
		"projects":       {title: "{name_with_namespace|name}"},
	},
	"tap-jira": {
		"issues": {
			group: "{id}", title: "{key} {fields.summary}", text: "{fields.description}", author: "{fields.reporter.displayName}",
			address: "{self}", date: "{fields.updated}", tags: "{fields.labels}",
		},
		"issue_comments": {group: "{issueId}", title: " ", author: "{author.displayName}", address: " ", date: "{updated}"},
	},
	"tap-zendesk": {
		"tickets":         {group: "{id}", title: "{subject}", text: " "},
		"ticket_comments": {group: "{ticket_id}", title: " ", text: "{plain_body|html_body|body}", address: " ", date: "{created_at}"},
	},
	"tap-slack": {
		"messages": {
			group: "{channel_id} {thread_ts|ts}", title: "{channel_name|channel_id}", text: "{text}", author: "{user_profile.real_name|user}",
			date: "{ts}", address: "{permalink}",
		},
	},
	"tap-stackexchange": {
		"questions":        {group: "{question_id}", text: "{body_markdown|body}", date: "{last_activity_date}", author: "{owner.display_name}"},
		"question_answers": {group: "{question_id}", title: " ", text: "{body_markdown|body}", author: "{owner.display_name}", address: " "},
	},
}

// rules choose the mapping of a stream.
type rules struct {
	preset map[string]mapping
	given  mapping
	// readers are the fields with the groups that may read a record; nil if the source has all records.
	readers []string
}

// newRules checks the templates of a configuration.
func newRules(cfg Config) (rules, error) {
	name := filepath.Base(cfg.Command)
	for name != "" && presets[name] == nil {
		_, name, _ = strings.Cut(name, "-") // meltanolabs-tap-github, for example
	}
	given := mapping{cfg.Title, cfg.Text, cfg.Author, cfg.Address, cfg.Date, cfg.Group, cfg.Tags, cfg.Deleted}
	for option, template := range map[string]string{
		"title": given.title, "text": given.text, "author": given.author, "address": given.address,
		"date": given.date, "group": given.group, "tags": given.tags, "deleted": given.deleted,
	} {
		if strings.Count(template, "{") != strings.Count(template, "}") {
			return rules{}, fault.New(fault.Invalid, "tap_template_invalid",
				"%s: a brace is missing in the template %.64q; write fields as {name}", option, template)
		}
	}
	r := rules{preset: presets[name], given: given}
	if (cfg.Readers == "") != (cfg.Reader == "") {
		return rules{}, fault.New(fault.Invalid, "tap_readers_incomplete",
			"readers: name the field with the groups in readers, and the group in reader; one of them is missing")
	}
	if cfg.Readers != "" {
		inner, opened := strings.CutPrefix(strings.TrimSpace(cfg.Readers), "{")
		inner, closed := strings.CutSuffix(inner, "}")
		if !opened || !closed || strings.ContainsAny(inner, "{}") {
			return rules{}, fault.New(fault.Invalid, "tap_readers_invalid",
				"readers: write one field as {name}, not %.64q; its value is a group or a list of groups", cfg.Readers)
		}
		r.readers = strings.Split(inner, "|")
	}
	return r, nil
}

// readersOf returns the groups that a record names. A text is one group, also with commas in it.
func (r rules) readersOf(fields map[string]any) []string {
	for _, path := range r.readers {
		var out []string
		switch v := field(fields, strings.Split(strings.TrimSpace(path), ".")).(type) {
		case []any:
			for _, e := range v {
				if name := plain(e); name != "" {
					out = append(out, name)
				}
			}
		default:
			if name := plain(v); name != "" {
				out = append(out, name)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// of returns the mapping of a stream: the given templates, then those of the preset, then
// the usual ones. A template of a space is empty.
func (r rules) of(stream string) mapping {
	preset := r.preset[stream]
	pick := func(texts ...string) string {
		for _, text := range texts {
			if text != "" {
				return text
			}
		}
		return ""
	}
	return mapping{
		title:   pick(r.given.title, preset.title, usual.title),
		text:    pick(r.given.text, preset.text, usual.text),
		author:  pick(r.given.author, preset.author, usual.author),
		address: pick(r.given.address, preset.address, usual.address),
		date:    pick(r.given.date, preset.date, usual.date),
		group:   pick(r.given.group, preset.group),
		tags:    pick(r.given.tags, preset.tags, usual.tags),
		deleted: pick(r.given.deleted, preset.deleted, usual.deleted),
	}
}

func (m mapping) isDeleted(fields map[string]any) bool {
	switch strings.ToLower(fill(m.deleted, fields)) {
	case "", "false", "0", "no", "null":
		return false
	}
	return true
}

// mapped is a record as a part of a document.
type mapped struct {
	title, text, author, address, group string
	date                                time.Time
	tags, readers                       []string
}

// mapped maps a stored record.
func (r rules) mapped(l stored) (mapped, error) {
	var fields map[string]any
	if err := decode(l.Record, &fields); err != nil {
		return mapped{}, fmt.Errorf("read a record: %w", err)
	}
	m := r.of(l.Stream)
	out := mapped{
		title: fill(m.title, fields), text: fill(m.text, fields), author: fill(m.author, fields), group: fill(m.group, fields),
		date: when(fill(m.date, fields)),
	}
	if address := fill(m.address, fields); strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") {
		out.address = address
	}
	for tag := range strings.SplitSeq(fill(m.tags, fields), ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			out.tags = append(out.tags, tag)
		}
	}
	out.readers = r.readersOf(fields)
	if out.text == "" && out.group == "" {
		out.text = table(fields)
	}
	return out, nil
}

// when reads a date, or a number of seconds or milliseconds since 1970.
func when(text string) time.Time {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		switch {
		case n > 1e8 && n < 1e11:
			return time.Unix(int64(n), 0).UTC()
		case n >= 1e11 && n < 1e14:
			return time.UnixMilli(int64(n)).UTC()
		}
		return time.Time{}
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return metadata.CheckDate(t.UTC())
	}
	return metadata.ParseDate(text)
}

// table returns the plain fields of a record as a table.
func table(fields map[string]any) string {
	var b strings.Builder
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value := plain(fields[name])
		if value == "" || strings.HasPrefix(name, "_sdc_") {
			continue
		}
		cell := strings.NewReplacer("|", "\\|", "\n", " ", "\r", "")
		if b.Len() == 0 {
			b.WriteString("| Field | Value |\n| --- | --- |\n")
		}
		fmt.Fprintf(&b, "| %s | %s |\n", cell.Replace(name), cell.Replace(value))
	}
	return b.String()
}

// fill returns a template with the fields of a record.
func fill(template string, fields map[string]any) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(template, "{")
		b.WriteString(before)
		if !ok {
			return strings.TrimSpace(b.String())
		}
		var paths string
		paths, template, _ = strings.Cut(rest, "}")
		for path := range strings.SplitSeq(paths, "|") {
			if value := plain(field(fields, strings.Split(strings.TrimSpace(path), "."))); value != "" {
				b.WriteString(value)
				break
			}
		}
	}
}

// field returns the value at a path. For a list, it returns the values of the elements.
func field(value any, path []string) any {
	if len(path) == 0 {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		return field(v[path[0]], path[1:])
	case []any:
		var out []any
		for _, e := range v {
			if found := field(e, path); found != nil {
				out = append(out, found)
			}
		}
		return out
	}
	return nil
}

// maxNesting bounds the levels of rich text.
const maxNesting = 100

// plain returns a value as text. Lists are joined with commas. Objects are read as rich
// text, such as that of Jira and Notion.
func plain(value any) string {
	switch v := value.(type) {
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case []any:
		var parts []string
		for _, e := range v {
			if text := plain(e); text != "" {
				parts = append(parts, text)
			}
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		var b strings.Builder
		rich(&b, v, 0)
		return strings.TrimSpace(b.String())
	}
	return ""
}

// rich writes the text of rich text, with a line for each block.
func rich(b *strings.Builder, value any, depth int) {
	if depth > maxNesting {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			rich(b, e, depth+1)
		}
	case map[string]any:
		for _, name := range []string{"plain_text", "text", "content", "children"} {
			switch inner := v[name].(type) {
			case string:
				b.WriteString(inner)
				return
			case nil:
			default:
				rich(b, inner, depth+1)
			}
		}
		switch v["type"] {
		case "paragraph", "heading", "listItem", "codeBlock", "tableRow", "hardBreak":
			b.WriteString("\n\n")
		}
	}
}

// document is a document of one or more records.
type document struct {
	address string
	titled  bool // the address is that of a record with a title
	records []place
	sum     [sha256.Size]byte
	// allowed and denied report that a record names readers with, or without the reader of the source.
	allowed, denied bool
}

// permits reports whether the reader of the source may read all records of the document. A record without
// readers has those of the others. A document without any readers is nobody's.
func (d *document) permits() bool { return d.allowed && !d.denied }

// add adds a record.
func (d *document) add(m mapped, at place) {
	if m.address != "" && (d.address == "" || m.title != "" && !d.titled) {
		d.address, d.titled = m.address, m.title != ""
	}
	d.records = append(d.records, at)
	d.sum = sha256.Sum256(fmt.Appendf(d.sum[:], "%q %q %q %q %q %d %q", m.title, m.text, m.author, m.address, m.group, m.date.Unix(), m.tags))
}

func (d *document) hash() string { return hex.EncodeToString(d.sum[:16]) }

// text returns the document of records. name is the title without another one.
func text(name string, all []mapped) string {
	var doc thread.Document
	for _, m := range all {
		if doc.Title == "" {
			doc.Title = m.title
		}
		if m.date.After(doc.Date) {
			doc.Date = m.date
		}
		doc.Tags = append(doc.Tags, m.tags...)
		doc.Entries = append(doc.Entries, thread.Entry{Title: m.title, Author: m.author, At: m.date, Text: m.text})
	}
	if doc.Title == "" {
		doc.Title = name
	}
	return doc.Markdown()
}
