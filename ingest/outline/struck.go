package outline

import (
	"slices"
	"strings"

	"docent/internal/lazyregexp"
)

// StruckMark is the mark that readers put before and after struck-out text.
const StruckMark = "~~"

// struckText matches struck-out text, and code, which may contain the mark.
var struckText = lazyregexp.New("`[^`\n]*`|~~([^~\\s](?:[^~]*[^~\\s])?)~~")

// Struck returns a text with marks that say that it is struck out. Space at its ends stays outside.
func Struck(s string) string {
	text := strings.TrimSpace(s)
	if text == "" || strings.Contains(text, StruckMark) {
		return s
	}
	before, after, _ := strings.Cut(s, text)
	return before + StruckMark + text + StruckMark + after
}

// blank matches a block without text: nothing, or the marker of an item.
var blank = lazyregexp.New(`^\s*(?:(?:[-*+•]|\d+[.)])\s*)?(?:\[[ xX]\]\s*|[☐☑]\s*)?$`)

// WithoutStruck returns a document without its struck-out text, because the document states only the
// rest. If most of the text is struck out, that is its point, and the text stays with its marks.
func (d *Document) WithoutStruck() *Document {
	if !strings.Contains(d.Text, StruckMark) {
		return d
	}
	out := *d
	out.Blocks = make([]Block, 0, len(d.Blocks))
	var text strings.Builder
	text.Grow(len(d.Text))
	before, struck := 0, 0
	for _, b := range d.Blocks {
		separator := d.Text[before:b.Start]
		before = b.End
		part := d.Text[b.Start:b.End]
		if b.Kind != Code {
			kept := unstruck(part)
			struck += len(part) - len(kept)
			if kept != part && blank.MatchString(kept) {
				continue
			}
			part = kept
		}
		if part != "" && text.Len() > 0 {
			text.WriteString(separator)
		}
		b.Start = text.Len()
		text.WriteString(part)
		b.End = text.Len()
		b.Name = unstruck(b.Name)
		out.Blocks = append(out.Blocks, b)
	}
	if struck == 0 || struck*2 > len(d.Text) {
		return d
	}
	out.Title = unstruck(out.Title)
	out.Text = text.String()
	out.Blocks = slices.Clip(out.Blocks)
	return &out
}

// unstruck returns a text without its struck-out parts, and without the space behind each.
func unstruck(s string) string {
	if !strings.Contains(s, StruckMark) {
		return s
	}
	var b strings.Builder
	last := 0
	for _, m := range struckText.FindAllStringSubmatchIndex(s, -1) {
		if m[2] < 0 { // code
			continue
		}
		b.WriteString(s[last:m[0]])
		last = m[1]
		if last < len(s) && s[last] == ' ' && (m[0] == 0 || s[m[0]-1] == ' ' || s[m[0]-1] == '\n') {
			last++
		}
	}
	b.WriteString(s[last:])
	return strings.TrimRight(b.String(), " ")
}
