package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"docent/ingest/intake"
	"docent/internal/fault"
)

// nestedMail returns a message with n nested multiparts or messages.
func nestedMail(n int, message bool) string {
	var b strings.Builder
	b.WriteString("From: a\nMIME-Version: 1.0\n")
	for i := range n {
		if message {
			b.WriteString("Content-Type: message/rfc822\n\n")
		} else {
			fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
		}
	}
	b.WriteString("Content-Type: text/plain\n\ntext\n")
	return b.String()
}

// TestNestedMail reads messages with deeper nesting than the reader follows. The
// result is a reason, or a note if there is text above that depth.
func TestNestedMail(t *testing.T) {
	t.Parallel()
	e := newExtractor(t)
	for _, message := range []bool{false, true} {
		deep := nestedMail(300, message)
		_, _, err := e.Extract(t.Context(), intake.Source{Name: "a.eml", Data: []byte(deep)})
		if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(fault.Message(err), "nested too deeply") {
			t.Errorf("messages %t: got %v", message, err)
		}
		mixed := "From: b\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=z\n\n--z\n\nThe pump is shut.\n--z\nContent-Type: message/rfc822\n\n" + deep + "\n--z--\n"
		doc, _, err := e.Extract(t.Context(), intake.Source{Name: "a.eml", Data: []byte(mixed)})
		if err != nil || !strings.Contains(doc.Text, "The pump is shut.") || doc.Note != "only its outer 24 levels were read: parts below are nested too deeply" {
			t.Errorf("messages %t: %+v, %v", message, doc, err)
		}
		doc, _, err = e.Extract(t.Context(), intake.Source{Name: "a.eml", Data: []byte(nestedMail(20, message))})
		if err != nil || doc.Note != "" || !strings.Contains(doc.Text, "text") {
			t.Errorf("messages %t, 20 levels: %+v, %v", message, doc, err)
		}
	}
}

// TestHostileParts reads hostile containers. Reading takes linear time;
// otherwise it would exceed the test's time limit.
func TestHostileParts(t *testing.T) {
	t.Parallel()
	const n = 1 << 17
	const head = "From: a\nSubject: b\nMIME-Version: 1.0\n"
	many := make(files, 10001)
	for i := range many {
		many[i].name, many[i].data = "a.txt", "x"
	}
	e := newExtractor(t)
	for _, tt := range []struct{ name, data string }{
		{"nested.eml", nestedMail(10000, false)},
		{"forwarded.eml", nestedMail(10000, true)},
		{"headers.eml", head + strings.Repeat("X-A: b\n", 1<<20) + "\ntext"},
		{"continued.eml", head + "To: a" + strings.Repeat(",\n b", n) + "\n\ntext"},
		{"boundary.eml", head + "Content-Type: multipart/mixed; boundary=\"" + strings.Repeat("-", 60000) + "\"\n\n" + strings.Repeat("-", 1<<20) + "\n"},
		{"dashes.eml", head + "Content-Type: multipart/mixed; boundary=-\n\n" + strings.Repeat("---\n", n) + "text"},
		{"parameters.eml", head + "Content-Type: text/plain" + strings.Repeat("; name*1*=a", n) + "\n\ntext"},
		{"words.eml", head + "To: " + strings.Repeat("=?utf-8?q?=", 5000) + "\n\ntext"},
		{"opened.eml", head + "To: " + strings.Repeat("=?", 30000) + "\n\ntext"},
		{"uu.eml", head + "\n" + strings.Repeat("begin 644 a\n", n) + "text"},
		{"quoted.eml", head + "Content-Transfer-Encoding: quoted-printable\n\n" + strings.Repeat("=\n=", n)},
		{"utf7.eml", head + "Content-Type: text/plain; charset=utf-7\n\n" + strings.Repeat("+", n) + "text"},
		{"related.mht", head + strings.Replace(nestedMail(10000, false), "mixed", "related", 1)},
		{"m.mbox", strings.Repeat("From a Mon Jan  5 10:00:00 2026\nFrom: a\n\n", 20000)},
		{"many.zip", zipOf(t, many)},
		{"elements.epub", bookOf(t, files{{"O/text/ch2.xhtml", "<html><body>" + strings.Repeat("<a/>", n) + "text"}})},
		{"contents.epub", bookOf(t, files{{"O/nav.xhtml", "<nav type='toc'>" + strings.Repeat("<ol><li>", n)}})},
		{"cells.ipynb", `{"nbformat":4,"cells":[` + strings.Repeat(`{"cell_type":"markdown","source":"# a"},`, n) + `{}]}`},
		{"nested.ipynb", `{"nbformat":4,"cells":` + strings.Repeat("[", n) + "}"},
	} {
		src := intake.Source{Name: tt.name, Data: []byte(tt.data)}
		doc, _, err := e.Extract(t.Context(), src)
		switch {
		case err == nil:
			verify(t, doc)
		case fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "panic"):
			t.Errorf("%s: %v", tt.name, err)
		}
		count := 0
		_, parts := e.Parts(t.Context(), src)
		for _, err := range parts {
			if err != nil && (fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "panic")) {
				t.Errorf("%s: %v", tt.name, err)
			}
			count++
		}
		if count > 10001 {
			t.Errorf("%s: %d parts", tt.name, count)
		}
	}
}

// TestPartsStop stops after the first part.
func TestPartsStop(t *testing.T) {
	t.Parallel()
	inner := zipOf(t, files{{"a.txt", "a"}, {"b.txt", "b"}})
	e := newExtractor(t)
	for name, data := range map[string]string{
		"a.zip": zipOf(t, files{{"in.zip", inner}, {"c.txt", "c"}}), "a.tgz": gzipOf(t, tarOf(t, files{{"a", "a"}, {"b", "b"}})), "a.eml": letterWith(inner),
	} {
		count := 0
		_, parts := e.Parts(t.Context(), intake.Source{Name: name, Data: []byte(data)})
		for range parts {
			count++
			break
		}
		if count != 1 {
			t.Errorf("%s: %d parts", name, count)
		}
	}
}

// containers are the names that FuzzParts gives its input.
var containers = []string{"a.eml", "a.mht", "a.msg", "a.mbox", "a.zip", "a.tar", "a.gz", "a.ipynb", "a.epub", "a.bz2", "a.xz", "a"}

// FuzzParts reads any data as any container.
func FuzzParts(f *testing.F) {
	f.Add(uint8(0), []byte(letter))
	f.Add(uint8(0), []byte(nestedMail(3, true)))
	f.Add(uint8(2), []byte(outlookMessage()))
	for _, m := range mails {
		f.Add(uint8(0), []byte(m.data))
		f.Add(uint8(1), []byte(m.data))
		f.Add(uint8(3), []byte("From a Mon Jan  5 10:00:00 2026\n"+m.data))
	}
	f.Add(uint8(4), []byte(zipOf(f, files{{"a.txt", "a"}, {"\x81.eml", letter}})))
	f.Add(uint8(5), []byte(tarOf(f, files{{"a.txt", "a"}})))
	f.Add(uint8(6), []byte(gzipOf(f, tarOf(f, files{{"a.txt", "a"}}))))
	f.Add(uint8(7), []byte(`{"cells":[{"cell_type":"markdown","source":["# a"]},{"cell_type":"code","source":"b","outputs":[{"text":"c"}]}],"nbformat":4}`))
	f.Add(uint8(8), []byte(bookOf(f, nil)))
	e := newExtractor(f)
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		if len(data) > 256<<10 || strings.Contains(string(data), "%PDF-") {
			return
		}
		src := intake.Source{Name: containers[int(kind)%len(containers)], Data: data}
		doc, _, err := e.Extract(t.Context(), src)
		if err == nil {
			verify(t, doc)
		} else if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "panic") {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		_, parts := e.Parts(t.Context(), src)
		for p, err := range parts {
			if err != nil {
				if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "panic") {
					t.Fatal(err)
				}
				continue
			}
			if p.Name == "" || seen[p.Name] || strings.Contains("/"+p.Name+"/", "/../") || strings.ContainsAny(p.Name, "\\\x00\n") || strings.HasPrefix(p.Name, "/") {
				t.Fatalf("the name %q", p.Name)
			}
			seen[p.Name] = true
		}
	})
}

// FuzzBook reads a book whose files the fuzzer writes.
func FuzzBook(f *testing.F) {
	f.Add("<package><manifest><item id='a' href='a.xhtml'/></manifest><spine><itemref idref='a'/></spine></package>", "<nav type='toc'><ol><li><a href='a.xhtml'>A</a>", "<p>text<br/><a/>")
	e := newExtractor(f)
	f.Fuzz(func(t *testing.T, opf, nav, chapter string) {
		if len(opf)+len(nav)+len(chapter) > 64<<10 {
			return
		}
		book := bookOf(t, files{{"O/b.opf", opf}, {"O/nav.xhtml", nav}, {"O/text/ch2.xhtml", chapter}, {"O/a.xhtml", chapter}})
		doc, _, err := e.Extract(t.Context(), intake.Source{Name: "a.epub", Data: []byte(book)})
		if err == nil {
			verify(t, doc)
		} else if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "panic") {
			t.Fatal(err)
		}
	})
}
