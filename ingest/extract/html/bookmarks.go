package html

import (
	"context"
	"strings"

	"golang.org/x/net/html"

	"docent/ingest/outline"
)

// isBookmarks reports whether a page is the bookmarks of a browser, which all browsers export in this form.
func isBookmarks(text string) bool {
	head := strings.TrimLeft(text[:min(len(text), 200)], "\ufeff \r\n\t")
	return strings.HasPrefix(strings.ToUpper(head), "<!DOCTYPE NETSCAPE-BOOKMARK-FILE")
}

// readBookmarks reads the bookmarks of a browser: folders as headings, and each link with its address and its
// description.
func readBookmarks(ctx context.Context, text string) (*outline.Document, error) {
	b := outline.NewBuilder(len(text) / 4)
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(maxHTMLToken)
	title, field, address, depth := "", "", "", 0
	var words strings.Builder
	end := func() {
		said := strings.Join(strings.Fields(words.String()), " ")
		words.Reset()
		switch {
		case said == "" && address == "":
		case field == "title":
			title = said
		case field == "h3":
			b.Add(outline.Heading, min(max(depth, 1), 6), "\n\n", said)
		case field == "a":
			if said == "" {
				said = address
			}
			b.Add(outline.Item, 0, "\n", "- "+said+" ("+address+")")
		case field == "dd":
			b.Add(outline.Paragraph, 0, "\n", said)
		}
		field, address = "", ""
	}
	for ctx.Err() == nil {
		switch z.Next() {
		case html.ErrorToken: // the end, or a token that is too long
			end()
			return b.Document(title), nil
		case html.TextToken:
			if field != "" {
				words.Write(z.Text())
			}
		case html.StartTagToken:
			t := z.Token()
			end()
			switch t.Data {
			case "dl":
				depth++
			case "title", "h3", "dd", "a":
				field = t.Data
			}
			for _, a := range t.Attr {
				if a.Key == "href" && field == "a" && !strings.HasPrefix(strings.ToLower(a.Val), "javascript:") && len(a.Val) < 2000 {
					address = a.Val
				}
			}
			if field == "a" && address == "" {
				field = ""
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			end()
			if string(name) == "dl" {
				depth--
			}
		}
	}
	return nil, ctx.Err()
}
