package extract

import (
	"context"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/ingest/outline"
	"docent/internal/fault"
)

// readPDF reads a PDF page by page. Its outline gives the headings.
func readPDF(ctx context.Context, e *Extractor, src Source) (*outline.Document, error) {
	f, err := e.pdf.read(ctx, src.Data)
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
	dropRunningLines(pages)
	b := outline.NewBuilder(size)
	for i, lines := range pages {
		b.Page = i
		addPage(b, lines, f.bookmarks, i)
	}
	doc := b.Document(pdfTitle(f.title))
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

// pdfTitle is the title that the file's own data give, unless a program filled
// it in.
func pdfTitle(s string) string {
	s = strings.Join(strings.Fields(outline.Clean(s)), " ")
	low := strings.ToLower(s)
	if low == "untitled" || low == "(anonymous)" || low == "unspecified" || strings.HasPrefix(low, "microsoft word") || len(s) < 3 ||
		strings.HasSuffix(low, ".doc") || strings.HasSuffix(low, ".docx") || strings.HasSuffix(low, ".dvi") || strings.HasSuffix(low, ".tex") {
		return ""
	}
	return s
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

// dropRunningLines empties the lines at the top and bottom that most pages have
// in common but for their numbers.
func dropRunningLines(pages [][]string) {
	if len(pages) < 4 {
		return
	}
	count := map[string]int{}
	each := func(fn func(page []string, i int, key string)) {
		for _, page := range pages {
			for _, i := range edges(page) {
				fn(page, i, runningKey(page[i]))
			}
		}
	}
	each(func(_ []string, _ int, key string) { count[key]++ })
	each(func(page []string, i int, key string) {
		if count[key]*2 > len(pages) {
			page[i] = ""
		}
	})
}

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

// runningKey is a line with its digits made alike.
func runningKey(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return r
	}, strings.Join(strings.Fields(strings.TrimLeft(line, "0123456789 ")), " "))
}

// addPage adds a page's lines as paragraphs and headings.
func addPage(b *outline.Builder, lines []string, marks []bookmark, page int) {
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
		level, n := headingAt(lines[i:], marks, page)
		if n == 0 && len(marks) == 0 {
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

// headingAt reports the level of the outline's entry whose title the first lines
// of a page's rest are, and how many lines that are; 0 if there is none.
func headingAt(lines []string, marks []bookmark, page int) (level, n int) {
	for _, m := range marks {
		if m.page != page {
			continue
		}
		want := squeeze(m.title)
		if want == "" {
			continue
		}
		have := ""
		for k := 0; k < len(lines) && k < 3; k++ {
			have += squeeze(lines[k])
			if have == want || strings.HasSuffix(have, want) && len(have) <= len(want)+16 && isNumbering(have[:len(have)-len(want)]) {
				return m.level, k + 1
			}
			if len(have) > len(want)+16 {
				break
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
