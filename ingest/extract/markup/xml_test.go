package markup_test

import (
	"strings"
	"testing"

	"docent/ingest/extract/markup"
)

func TestXML(t *testing.T) {
	t.Parallel()
	golden(t, markup.XML, "pump.dbk.xml", "pump.jats.xml", "pump.dita.xml")
}

// TestOtherXML reads XML in unknown vocabularies. Prose is read as text, and data
// is read unchanged.
func TestOtherXML(t *testing.T) {
	t.Parallel()
	prose := "<manual><entry-x>The feed pump moves forty liters in a minute.</entry-x><entry-x>Open the <b>valve</b> before you start the pump.</entry-x></manual>"
	doc, err := markup.XML(t.Context(), "a.xml", []byte(prose))
	if err != nil {
		t.Fatal(err)
	}
	if want := "The feed pump moves forty liters in a minute.\n\nOpen the valve before you start the pump."; doc.Text != want {
		t.Errorf("prose: %q", doc.Text)
	}
	data := `<config><pump id="7"><flow>40</flow><valve>V2</valve></pump></config>`
	doc, err = markup.XML(t.Context(), "a.xml", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(doc.Text, `<pump id="7">`) {
		t.Errorf("data: %q", doc.Text)
	}
}

func FuzzXML(f *testing.F) {
	f.Add([]byte("<article><title>a</title><table><row><entry>b</entry></row></table>"))
	fuzz(f, markup.XML, "<book><variablelist><varlistentry><term>a<listitem>b", "<a><b>c d e f g h</b></a>", "<topic><footnote><footnote><li>")
}
