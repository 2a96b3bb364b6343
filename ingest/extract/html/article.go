package html

import (
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mainContent is the article in a saved web page.
type mainContent struct {
	head *html.Node // the head element of the page
	body *html.Node // the article
}

const (
	// maxArticleNodes is the largest page, in elements, that is searched for an
	// article. Larger pages are read completely.
	maxArticleNodes = 20_000
	// maxArticleWork bounds the cost of the search. It is the sum, over all
	// text, of the number of elements around it, because the search visits a
	// text once for each of them.
	maxArticleWork = 16 << 20
	// enoughSigns is the number of signs of a published page that an article
	// needs.
	enoughSigns = 3
	// minArticle is the shortest article, in letters.
	minArticle = 200
	// nodeWork is the cost of an element without its text.
	nodeWork = 8
	// minShare is the minimum share of the page's prose that an article has.
	minShare = 0.5
)

// article returns the main content of a saved web article. It returns nil for
// other pages, such as documentation, and if it is not sure. Such pages are
// read completely.
func article(root *html.Node) *mainContent {
	s := survey(root)
	if s.head == nil || s.manual || s.signs < enoughSigns || s.nodes > maxArticleNodes || s.work > maxArticleWork {
		return nil
	}
	parser := readability.NewParser()
	parser.KeepClasses = true
	found, err := parser.ParseDocument(root, nil)
	if err != nil || found.Node == nil {
		return nil
	}
	got := survey(found.Node)
	if got.prose < minArticle || float64(got.prose) < minShare*float64(s.prose) ||
		got.code*2 < s.code || s.terms > 20 && got.terms*2 < s.terms {
		return nil
	}
	return &mainContent{head: s.head, body: found.Node}
}

// facts are counts that distinguish articles from other pages.
type facts struct {
	head   *html.Node
	nodes  int  // elements
	work   int  // sum of the bytes of text times their depth
	prose  int  // letters in sentences outside links
	code   int  // bytes of preformatted text
	terms  int  // defined terms
	signs  int  // signs of a published page
	manual bool // a documentation generator made the page
}

// survey counts the facts of a tree in one pass.
func survey(root *html.Node) *facts {
	f := &facts{}
	depth, linked, pre := 0, 0, 0
	step := func(n *html.Node, by int) {
		depth += by
		switch n.DataAtom {
		case atom.A, atom.Script, atom.Style, atom.Noscript, atom.Nav, atom.Button, atom.Select, atom.Textarea:
			linked += by
		case atom.Pre:
			pre += by
		default:
			if isAside(n) {
				linked += by
			}
		}
	}
	for n := root; n != nil; {
		f.add(n, depth, linked > 0, pre > 0)
		if n.FirstChild != nil {
			step(n, 1)
			n = n.FirstChild
			continue
		}
		for n != root && n.NextSibling == nil {
			n = n.Parent
			step(n, -1)
		}
		if n == root {
			break
		}
		n = n.NextSibling
	}
	return f
}

// add counts a node.
func (f *facts) add(n *html.Node, depth int, linked, pre bool) {
	switch n.Type {
	case html.TextNode:
		f.work += len(n.Data) * depth
		switch {
		case pre:
			f.code += len(strings.TrimSpace(n.Data))
		case !linked:
			f.prose += sentences(n.Data)
		}
	case html.ElementNode:
		f.nodes++
		f.work += nodeWork * depth
		switch n.DataAtom {
		case atom.Head:
			f.head = n
		case atom.Dt:
			f.terms++
		case atom.Meta:
			f.meta(n)
		case atom.Link:
			f.link(n)
		case atom.Script:
			switch src := attr(n, "src"); {
			case attr(n, "type") == "application/ld+json":
				f.signs += enoughSigns
			case strings.HasPrefix(src, "http"), strings.HasPrefix(src, "//"):
				f.signs++
			}
		case atom.Article:
			f.signs++
		}
		if hasClass(n, manualClasses) {
			f.manual = true
		}
	}
}

// asides are words that occur in the classes and ids of elements beside an
// article.
var asides = []string{
	"comment", "disqus", "related", "recommend", "sidebar", "footer", "promo", "sponsor", "share", "social", "newsletter", "subscri",
	"popup", "modal", "cookie", "consent", "widget", "menu", "navigation", "teaser", "trending", "login", "advert", "hidden", "popular",
}

// isAside reports whether the classes or the id of an element contain one of
// asides.
func isAside(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Footer, atom.Aside:
		return true
	case atom.Div, atom.Section, atom.Ul, atom.Ol, atom.Table, atom.Td:
	default:
		return false
	}
	for _, a := range n.Attr {
		if a.Key != "class" && a.Key != "id" || len(a.Val) > 1000 {
			continue
		}
		name := strings.ToLower(a.Val)
		for _, word := range asides {
			if strings.Contains(name, word) {
				return true
			}
		}
	}
	return false
}

// sentences returns the number of bytes of a text, or 0 if the text is only a
// label.
func sentences(text string) int {
	text = strings.TrimSpace(text)
	if len(text) < 40 {
		return 0
	}
	return len(text)
}

// generators are the names of documentation generators in meta elements.
var generators = []string{
	"docbook", "sphinx", "docutils", "doxygen", "mkdocs", "docusaurus", "asciidoc", "pandoc", "latex", "texinfo", "makeinfo", "javadoc",
	"rustdoc", "jsdoc", "typedoc", "gitbook", "antora", "mdbook", "vuepress", "vitepress", "docutils", "hevea", "tex4ht", "groff", "man2html",
	"libreoffice", "microsoft word",
}

// manualClasses are classes that mark pages of documentation.
var manualClasses = map[string]bool{
	"navheader": true, "navfooter": true, "sphinxsidebar": true, "toctree-wrapper": true, "headerlink": true, "wy-nav-side": true,
	"rst-footer-buttons": true, "md-nav": true, "refentry": true, "refsect1": true, "sect1": true, "rst-content": true,
	"sphinxsidebarwrapper": true, "docs-content": true,
	"md-content": true, "theme-doc-markdown": true, "markdown-section": true, "book-body": true, "javadoc": true,
}

// meta counts a meta element.
func (f *facts) meta(n *html.Node) {
	name := strings.ToLower(attr(n, "name") + attr(n, "property"))
	switch {
	case name == "generator":
		content := strings.ToLower(attr(n, "content"))
		for _, g := range generators {
			f.manual = f.manual || strings.Contains(content, g)
		}
	case strings.HasPrefix(name, "og:"), strings.HasPrefix(name, "article:"), strings.HasPrefix(name, "twitter:"), name == "news_keywords":
		f.signs += enoughSigns
	}
}

// link counts a link element.
func (f *facts) link(n *html.Node) {
	for rel := range strings.FieldsSeq(strings.ToLower(attr(n, "rel"))) {
		switch rel {
		case "amphtml", "apple-touch-icon":
			f.signs += enoughSigns
		case "canonical":
			f.signs++
		}
	}
}
