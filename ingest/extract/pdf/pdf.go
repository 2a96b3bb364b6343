// Package pdf reads PDFs, draws their pages, and finds passages on them.
package pdf

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/ingest/outline"
	"docent/internal/fault"
)

// Read reads a PDF page by page. Its outline gives the headings. An error of kind
// fault.Invalid says why the PDF cannot be read.
func (r *Reader) Read(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	f, err := r.read(ctx, data)
	if err != nil {
		return nil, err
	}
	if len(f.pages) > 0 && f.broken == len(f.pages) {
		return nil, fault.New(fault.Invalid, "damaged: none of its %d pages can be read", len(f.pages))
	}
	pages := make([][]string, len(f.pages))
	size := 0
	for i, p := range f.pages {
		pages[i] = pageLines(p)
		size += len(p)
	}
	dropRunningLines(pages, f.labels)
	b := outline.NewBuilder(size)
	marks := pageMarks(f.bookmarks)
	for i, lines := range pages {
		b.Page = i
		addPage(b, lines, marks[i], len(f.bookmarks) > 0)
	}
	doc := b.Document(pdfTitle(f.title))
	if doc.Title == "" {
		doc.Title = headingTitle(doc)
	}
	if strings.TrimSpace(doc.Text) == "" {
		return nil, fault.New(fault.Invalid, "no text: its pages are pictures, and text in pictures is not recognised")
	}
	doc.PageLabels = f.labels
	if share := unreadable(doc.Text); share > 0.3 {
		return nil, fault.New(fault.Invalid, "unreadable: %.0f %% of its characters have no meaning, for its fonts do not say what they show", share*100)
	} else if share > 0.02 {
		doc.Note = "some characters could not be read"
	}
	return doc, nil
}

// unreadable is the share of replacement characters in a text.
func unreadable(text string) float64 {
	return float64(strings.Count(text, "\uFFFD")) / float64(max(utf8.RuneCountInString(text), 1))
}

// otherNames are the ends of names that other programs give their files.
var otherNames = strings.Fields(".doc .docx .dvi .tex .odt .ods .odp .rtf .xls .xlsx .ppt .pptx .indd .qxd .qxp .fm .wpd .pub .vsd .vsdx .htm .html .xhtml .php .asp .aspx .jsp .xml .txt .md .ps .eps .pdf")

// madeUp are the titles that programs give what has none.
var madeUp = []string{"untitled", "(anonymous)", "anonymous", "unspecified", "document1", "new document", "powerpoint presentation", "no title"}

var schemed = regexp.MustCompile(`^(?:[a-z][a-z0-9+.-]*://|about:|data:|blob:|mailto:|www\.)\S*$`)

// pdfTitle is the title that the file's own data give, unless a program filled
// it in.
func pdfTitle(s string) string {
	s = strings.Join(strings.Fields(outline.Clean(s)), " ")
	low := strings.ToLower(s)
	if len(s) < 3 || slices.Contains(madeUp, low) || schemed.MatchString(low) || slices.Contains(otherNames, path.Ext(low)) {
		return ""
	}
	for _, program := range []string{"microsoft word", "microsoft powerpoint", "microsoft excel"} {
		if rest, ok := strings.CutPrefix(low, program); ok && (rest == "" || strings.HasPrefix(rest, " - ")) {
			return ""
		}
	}
	return s
}

// headingTitle is the first heading if it is on the first page and counts
// nothing: those that count are of chapters.
func headingTitle(doc *outline.Document) string {
	for _, b := range doc.Blocks {
		if b.Page > 0 {
			break
		}
		if b.Kind != outline.Heading || b.End == b.Start {
			continue
		}
		s := strings.Join(strings.Fields(doc.Text[b.Start:b.End]), " ")
		if r, _ := utf8.DecodeRuneInString(s); len(s) < 3 || unicode.IsDigit(r) {
			break
		}
		return s
	}
	return ""
}

// pageLines are the lines of a page's text. A word that a hyphen at the end of
// a line divides (the library marks it by U+0002) is put together on the first.
func pageLines(text string) []string {
	text = outline.Clean(text)
	var b strings.Builder
	for {
		i := strings.IndexByte(text, 2)
		if i < 0 {
			break
		}
		b.WriteString(text[:i])
		text = strings.TrimLeft(text[i+1:], "\n")
		end := strings.IndexAny(text, " \n\x02")
		if end < 0 {
			end = len(text)
		}
		if end < len(text) && text[end] == 2 {
			b.WriteString(text[:end])
			text = text[end:]
			continue
		}
		b.WriteString(text[:end])
		b.WriteByte('\n')
		text = strings.TrimLeft(text[end:], " \n")
	}
	b.WriteString(text)
	var lines []string
	for line := range strings.Lines(b.String()) {
		line = strings.Map(func(r rune) rune {
			if r == '\u00a0' || r == '\t' {
				return ' '
			}
			if r < ' ' || r == '\ufeff' || r == '\ufffe' || r == '\uffff' {
				return -1
			}
			return r
		}, line)
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// minRunningPages is how many pages a file needs before lines that repeat are
// believed to be headers and footers.
const minRunningPages = 4

// dropRunningLines empties the lines at the top and bottom that most pages have
// in common, but for a number that follows the page's own. A page of nothing
// else keeps them.
func dropRunningLines(pages [][]string, labels []string) {
	if len(pages) < minRunningPages {
		return
	}
	label := func(i int) string {
		if i < len(labels) {
			return fold(labels[i])
		}
		return ""
	}
	count := map[string]int{}
	for i, page := range pages {
		seen := map[string]bool{}
		for _, at := range edges(page) {
			for _, key := range runningKeys(page[at], i, label(i)) {
				if !seen[key] {
					seen[key] = true
					count[key]++
				}
			}
		}
	}
	running := func(key string) bool { return count[key]*2 > len(pages) }
	for i, page := range pages {
		var drop []int
		for _, at := range edges(page) {
			if slices.ContainsFunc(runningKeys(page[at], i, label(i)), running) {
				drop = append(drop, at)
			}
		}
		if len(drop) == countUsed(page) {
			continue
		}
		for _, at := range drop {
			page[at] = ""
		}
	}
}

// countUsed is how many of a page's lines say something.
func countUsed(page []string) int {
	n := 0
	for _, line := range page {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// fold is a line in small letters with single spaces.
func fold(line string) string { return strings.ToLower(strings.Join(strings.Fields(line), " ")) }

// maxRunningLine is the longest line that is looked at for a page number.
const maxRunningLine = 200

// runningKeys are what a line of a page may have in common with those of others:
// itself, and itself with one of its words as "the page" – its label, or a
// number by its distance from the page's. Other numbers stay as they are, so
// that lines which differ in them are different lines.
func runningKeys(line string, page int, label string) []string {
	line = fold(line)
	keys := []string{line}
	if len(line) > maxRunningLine {
		return keys
	}
	words := strings.Fields(line)
	for i, word := range words {
		as := func(mark string) {
			words[i] = mark
			keys = append(keys, strings.Join(words, " "))
			words[i] = word
		}
		if label != "" && strings.Trim(word, "-–—|.,()[]") == label {
			as("\x00label")
		}
		for _, at := range numberPattern.FindAllStringIndex(word, -1) {
			if strings.ContainsFunc(word, unicode.IsLetter) {
				break // a name such as K-100
			}
			if n, err := strconv.Atoi(word[at[0]:at[1]]); err == nil {
				as(word[:at[0]] + "\x00" + strconv.Itoa(n-page) + word[at[1]:])
			}
		}
	}
	return keys
}

// numberPattern is a number that may be a page's.
var numberPattern = regexp.MustCompile(`[0-9]{1,5}`)

// edges are the indexes of the first two and last two lines that say something.
func edges(page []string) []int {
	var used []int
	for i, line := range page {
		if strings.TrimSpace(line) != "" {
			used = append(used, i)
		}
	}
	if len(used) <= 4 {
		return used
	}
	return append(used[:2:2], used[len(used)-2:]...)
}

// addPage adds a page's lines as paragraphs and headings.
func addPage(b *outline.Builder, lines []string, marks map[string]int, outlined bool) {
	var cur []string
	longest := 0
	for _, l := range lines {
		longest = max(longest, utf8.RuneCountInString(l))
	}
	flush := func() {
		if len(cur) > 0 {
			b.Add(outline.Paragraph, 0, "\n\n", strings.Join(cur, "\n"))
		}
		cur = nil
	}
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if line == "" {
			flush()
			continue
		}
		level, n := headingAt(lines[i:], marks)
		if n == 0 && !outlined {
			level, n = numberedHeading(lines, i)
		}
		if n > 0 {
			flush()
			b.Add(outline.Heading, level, "\n\n", strings.Join(lines[i:i+n], "\n"))
			i += n - 1
			continue
		}
		cur = append(cur, lines[i])
		if endsParagraph(line, longest) {
			flush()
		}
	}
	flush()
}

// endsParagraph reports whether a line ends a paragraph: it ends a sentence and
// leaves much of the width free.
func endsParagraph(line string, longest int) bool {
	last, _ := utf8.DecodeLastRuneInString(line)
	return strings.ContainsRune(".:!?。！？", last) && utf8.RuneCountInString(line)*10 < longest*8
}

// pageMarks are the levels of the outline's entries for one page, by their
// squeezed titles.
func pageMarks(marks []bookmark) map[int]map[string]int {
	by := map[int]map[string]int{}
	for _, m := range marks {
		title := squeeze(m.title)
		if title == "" {
			continue
		}
		if by[m.page] == nil {
			by[m.page] = map[string]int{}
		}
		if _, ok := by[m.page][title]; !ok {
			by[m.page][title] = m.level
		}
	}
	return by
}

// maxNumbering is the longest number in front of a heading's words, squeezed.
const maxNumbering = 16

// headingAt reports the level of the outline's entry whose title the first lines
// of a page's rest are, and how many lines that are; 0 if there is none.
func headingAt(lines []string, marks map[string]int) (level, n int) {
	if len(marks) == 0 {
		return 0, 0
	}
	have := ""
	for k := 0; k < len(lines) && k < 3; k++ {
		have += squeeze(lines[k])
		for i := 0; i < len(have) && i <= maxNumbering; i++ {
			if level, ok := marks[have[i:]]; ok && (i == 0 || isNumbering(have[:i])) {
				return level, k + 1
			}
		}
	}
	return 0, 0
}

// numberedPattern is a line that may be a numbered heading.
var numberedPattern = regexp.MustCompile(`^(?:Chapter |Appendix )?((?:\d{1,3}|[A-Z])(?:\.\d{1,3})+)\.? +\p{Lu}`)

// numberedHeading reports the level of a line such as "2.3. Creating a Table"
// in a file without an outline. In a table of contents such lines follow one
// another, so the next one must be something else.
func numberedHeading(lines []string, i int) (level, n int) {
	is := func(line string) []string {
		line = strings.TrimSpace(line)
		if line == "" || len(line) > 90 || strings.ContainsRune(".,;:0123456789", rune(line[len(line)-1])) {
			return nil
		}
		return numberedPattern.FindStringSubmatch(line)
	}
	m := is(lines[i])
	if m == nil {
		return 0, 0
	}
	for _, j := range []int{i - 1, i + 1} {
		if j >= 0 && j < len(lines) && strings.TrimSpace(lines[j]) != "" && numberedPattern.MatchString(strings.TrimSpace(lines[j])) {
			return 0, 0
		}
	}
	return strings.Count(m[1], ".") + 1, 1
}

// squeeze is a text's letters and digits in small letters.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// isNumbering reports whether what stands before a heading's words is its
// number.
func isNumbering(s string) bool {
	s = strings.TrimPrefix(s, "chapter")
	s = strings.TrimPrefix(s, "appendix")
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters <= 1
}
