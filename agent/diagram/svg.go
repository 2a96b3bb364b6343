package diagram

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// style has the colors of a picture, on light and on dark pages.
const style = `
text{font:13px system-ui,sans-serif;fill:#1c1b1a;text-anchor:middle;dominant-baseline:central}
.path{fill:none;stroke:#8a857c;stroke-width:1.4}
.head{fill:#8a857c}
.label{font-size:12px;fill:#56524b;stroke:#fff;stroke-width:4px;paint-order:stroke;stroke-linejoin:round}
.state{fill:#f6f4ef;stroke:#8a857c}
.global{stroke-dasharray:5 3}
.any{fill:none;stroke:none}
@media(prefers-color-scheme:dark){
text{fill:#eceae6}
.label{fill:#b9b4ab;stroke:#191817}
.state{fill:#2a2826}
}
`

// SVG returns a picture of the graph.
func (g Graph) SVG() string {
	p := Lay(g)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img">`,
		p.Width, p.Height, p.Width, p.Height)
	fmt.Fprintf(&b, "\n<title>%s</title>\n<style>%s</style>\n", text(g.Name), style)
	b.WriteString(`<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">` +
		`<path class="head" d="M0 0L8 4L0 8z"/></marker></defs>` + "\n")
	for _, a := range p.Paths {
		fmt.Fprintf(&b, `<path class="path" d="%s" marker-end="url(#head)"/>`+"\n", a.D)
	}
	if p.Start != "" {
		fmt.Fprintf(&b, `<path class="path" d="%s" marker-end="url(#head)"/>`+"\n", p.Start)
	}
	for _, s := range p.States {
		class := "state"
		switch {
		case s.Any:
			class = "any"
		case s.Global:
			class = "state global"
		}
		fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="9"/>`+"\n",
			class, s.X-s.Width/2, s.Y-s.Height/2, s.Width, s.Height)
		writeLines(&b, "", s.Lines, s.X, s.Y)
	}
	for _, a := range p.Paths {
		writeLines(&b, "label", a.Lines, a.X, a.Y)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// writeLines writes lines around a center.
func writeLines(b *strings.Builder, class string, lines []string, x, y float64) {
	if class != "" {
		class = fmt.Sprintf(` class="%s"`, class)
	}
	for i, line := range lines {
		at := y + lineHeight*(float64(i)-float64(len(lines)-1)/2)
		fmt.Fprintf(b, `<text%s x="%.1f" y="%.1f">%s</text>`+"\n", class, x, at, text(line))
	}
}

// text returns a text for SVG.
func text(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) //nolint:errcheck // a Builder never fails
	return b.String()
}
