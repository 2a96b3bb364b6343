package html

import (
	"strings"

	"golang.org/x/net/html"

	"docent/ingest/extract/office/content"
)

// pointers are texts of links that say nothing about their target.
var pointers = func() map[string]bool {
	out := map[string]bool{}
	for text := range strings.SplitSeq("here|click here|this|this page|this link|this form|this site|this website|this document|link|the link|form|the form|download|"+
		"hier|hier klicken|dieser link|formular|herunterladen|ici|cliquez ici|ce lien|formulaire|aquí|haga clic aquí|este enlace|formulario|qui|clicca qui|"+
		"aqui|clique aqui|hier klikken|här|her|tutaj|zde|tady|itt|aici|здесь|тут|ここ|こちら|这里|此处|這裡|여기", "|") {
		out[text] = true
	}
	return out
}()

// link reads a link. The address of a form, another file, or a mailbox follows its text, and
// so does the address behind a text such as "here".
func (p *page) link(n *html.Node) {
	from := p.inline.Len()
	p.children(n)
	address := attr(n, "href")
	if address == "" || from > p.inline.Len() {
		return
	}
	text := p.inline.String()[from:]
	if number, ok := strings.CutPrefix(address, "tel:"); ok && len(number) < 40 && !strings.ContainsAny(text, "0123456789") {
		p.pending = false
		p.inline.WriteString(" (" + number + ")")
		return
	}
	plain := strings.ToLower(strings.Trim(strings.TrimSpace(text), ".,:!"))
	if !pointers[plain] && !strings.HasPrefix(strings.ToLower(address), "mailto:") && !content.IsFileAddress(address) {
		return
	}
	if strings.HasPrefix(address, "http") || !strings.Contains(address, ":") || strings.HasPrefix(address, "mailto:") {
		if shown := content.Linked(text, address); len(shown) > len(text) {
			p.pending = false
			p.inline.WriteString(strings.TrimPrefix(shown, text))
		}
	}
}
