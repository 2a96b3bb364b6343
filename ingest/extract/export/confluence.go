package export

import (
	"encoding/xml"
	"strings"

	"golang.org/x/net/html"
)

// object is an object of a space of Confluence.
type object struct {
	class, id string
	values    map[string]string // texts of properties
	links     map[string]string // ids of the objects that properties name
}

// confluence reads a space. It leaves out drafts, deleted pages, and earlier versions.
func confluence(d *xml.Decoder, add func(page) bool) error {
	var pages []object
	bodies, comments := map[string]string{}, map[string][]string{}
	for {
		token, err := d.Token()
		if err != nil && len(pages) == 0 {
			return err //nolint:wrapcheck // io.EOF, or wrapped by the caller
		}
		if err != nil {
			emit(pages, bodies, comments, add)
			return err //nolint:wrapcheck // see above
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "object" {
			continue
		}
		o, err := readObject(d, start)
		if err != nil {
			return err
		}
		switch o.class {
		case "Page", "BlogPost":
			status := o.values["contentStatus"]
			if (status == "" || status == "current") && o.links["originalVersion"] == "" && len(pages) < maxPages {
				pages = append(pages, o)
			}
		case "Comment":
			if on := o.links["containerContent"]; on != "" {
				comments[on] = append(comments[on], o.id)
			}
		case "BodyContent":
			if on := o.links["content"]; on != "" {
				bodies[on] = o.values["body"]
			}
		}
	}
}

// emit adds the pages with their comments.
func emit(pages []object, bodies map[string]string, comments map[string][]string, add func(page) bool) {
	for _, o := range pages {
		p := page{title: strings.TrimSpace(o.values["title"]), body: storage(bodies[o.id]), changed: timeOf(o.values["lastModificationDate"])}
		for _, id := range comments[o.id] {
			if text := bodies[id]; text != "" {
				p.comments = append(p.comments, storage(text))
			}
		}
		if strings.TrimSpace(p.body) != "" && !add(p) {
			return
		}
	}
}

// readObject reads an object up to its end.
func readObject(d *xml.Decoder, start xml.StartElement) (object, error) {
	o := object{values: map[string]string{}, links: map[string]string{}}
	for _, a := range start.Attr {
		if a.Name.Local == "class" {
			o.class = a.Value
		}
	}
	var property string
	var text strings.Builder
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return o, err //nolint:wrapcheck // io.EOF, or wrapped by the caller
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			text.Reset()
			if depth == 1 {
				property = ""
				for _, a := range t.Attr {
					if a.Name.Local == "name" {
						property = a.Value
					}
				}
				if t.Name.Local == "collection" {
					property = ""
				}
			}
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			depth--
			switch {
			case depth < 0:
				return o, nil
			case depth == 0 && t.Name.Local == "id":
				o.id = text.String()
			case depth == 0 && t.Name.Local == "property" && o.links[property] == "":
				o.values[property] = text.String()
			case depth == 1 && t.Name.Local == "id" && property != "":
				o.links[property] = text.String()
			}
			text.Reset()
		}
	}
}

// storage returns a text in the format of Confluence as HTML: macros by their meaning, links with their text.
func storage(body string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(strings.ReplaceAll(body, "]] >", "]]>")))
	z.SetMaxBuf(16 << 20)
	z.AllowCDATA(true)
	macro, parameter, linked, inLink, silent := []string{""}, "", "", false, 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken { // the end, or a token that is too long
			return b.String()
		}
		t := z.Token()
		attr := func(name string) string {
			for _, a := range t.Attr {
				if a.Key == name {
					return a.Val
				}
			}
			return ""
		}
		opens := kind == html.StartTagToken || kind == html.SelfClosingTagToken
		switch {
		case kind == html.TextToken:
			switch {
			case parameter == "title":
				b.WriteString("<p><strong>" + html.EscapeString(t.Data) + "</strong></p>")
			case parameter == "" && silent == 0:
				if inLink && strings.TrimSpace(t.Data) != "" {
					linked = ""
				}
				b.WriteString(html.EscapeString(t.Data))
			}
		case !strings.Contains(t.Data, ":"):
			if t.Data == "time" && opens {
				b.WriteString(html.EscapeString(attr("datetime")))
			}
			if silent == 0 {
				b.WriteString(t.String())
			}
		case t.Data == "ac:structured-macro" || t.Data == "ac:macro":
			if kind == html.StartTagToken && len(macro) < maxDepth {
				macro = append(macro, attr("ac:name"))
			} else if kind == html.EndTagToken && len(macro) > 1 {
				macro = macro[:len(macro)-1]
			}
		case t.Data == "ac:parameter":
			parameter = ""
			if kind == html.StartTagToken {
				parameter = "other"
				if attr("ac:name") == "title" {
					parameter = "title"
				}
			}
		case t.Data == "ac:plain-text-body":
			tag := "pre"
			if name := macro[len(macro)-1]; name == "html" || name == "style" {
				tag = "template"
			}
			b.WriteString(map[bool]string{true: "<", false: "</"}[opens] + tag + ">")
		case t.Data == "ac:link":
			if inLink = kind == html.StartTagToken; !inLink && linked != "" {
				b.WriteString(html.EscapeString(linked))
			}
			if !inLink {
				linked = ""
			}
		case strings.HasPrefix(t.Data, "ri:") && opens && inLink:
			linked = attr("ri:content-title") + attr("ri:filename")
		case t.Data == "ac:task-id" || t.Data == "ac:placeholder" || t.Data == "ac:task-uuid":
			if kind == html.StartTagToken {
				silent++
			} else if kind == html.EndTagToken && silent > 0 {
				silent--
			}
		case t.Data == "ac:task-list":
			b.WriteString(map[bool]string{true: "<ul>", false: "</ul>"}[opens])
		case t.Data == "ac:task":
			b.WriteString(map[bool]string{true: "<li>", false: "</li>"}[opens])
		case t.Data == "ac:task-status" && kind == html.StartTagToken:
			if z.Next() == html.TextToken {
				b.WriteString(map[bool]string{true: "☑ ", false: "☐ "}[strings.TrimSpace(z.Token().Data) == "complete"])
			}
		case t.Data == "ac:rich-text-body" || t.Data == "ac:layout-cell":
			b.WriteString(map[bool]string{true: "<div>", false: "</div>"}[opens])
		}
	}
}
