package ooxml_test

import (
	"encoding/xml"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office/ooxml"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
)

// equation returns the text of an equation.
func equation(t *testing.T, data string) string {
	t.Helper()
	var f ooxml.Formula
	var text string
	err := zipxml.Tokens(t.Context(), []byte(data), func(token xml.Token) error {
		switch token := token.(type) {
		case xml.StartElement:
			f.Start(token)
		case xml.CharData:
			f.Text(token)
		case xml.EndElement:
			if s, ok := f.End(token.Name); ok {
				text += s
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestFormula(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>`:    "(a+b)/2",
		`<m:oMath><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>`:    "c²",
		`<m:oMath><m:rad><m:deg><m:r><m:t>3</m:t></m:r></m:deg><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad></m:oMath>`:      "³√x",
		`<m:oMath><m:d><m:e><m:r><m:t>a</m:t></m:r></m:e><m:e><m:r><m:t>b</m:t></m:r></m:e></m:d></m:oMath>`:              "(a|b)",
		`<m:oMath><m:m><m:mr><m:e><m:r><m:t>1</m:t></m:r></m:e><m:e><m:r><m:t>0</m:t></m:r></m:e></m:mr></m:m></m:oMath>`: "[1, 0]",
		`<w:p><w:t>text</w:t></w:p>`: "",
	} {
		if got := equation(t, data); got != want {
			t.Errorf("%s is %q, want %q", data, got, want)
		}
	}
}

func TestPackage(t *testing.T) {
	t.Parallel()
	a, err := zipxml.Open(extracttest.Pack(t, map[string]string{
		"_rels/.rels":   `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="/text/main.xml"/><Relationship Id="b" Type="x/core-properties" Target="about.xml"/></Relationships>`,
		"text/main.xml": "",
		"about.xml":     "<a><dc:title>Pump manual</dc:title></a>",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if main, err := ooxml.MainPart(t.Context(), a, "usual.xml"); main != "text/main.xml" || err != nil {
		t.Errorf("main part %s: %v", main, err)
	}
	if title := ooxml.Title(t.Context(), a); title != "Pump manual" {
		t.Errorf("title %q", title)
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	a, err := zipxml.Open(extracttest.Pack(t, map[string]string{
		"chart.xml":   `<c:chartSpace><c:title><a:t>Wear</a:t></c:title><c:ser><c:tx><c:v>Seals</c:v></c:tx><c:cat><c:pt idx="0"><c:v>2024</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>0.30000000000000004</c:v></c:pt></c:val></c:ser></c:chartSpace>`,
		"diagram.xml": `<dgm:dataModel><dgm:pt><a:p><a:t>First</a:t></a:p></dgm:pt><dgm:pt><a:p><a:t>Second</a:t></a:p></dgm:pt></dgm:dataModel>`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	b := outline.NewBuilder(100)
	w := ooxml.NewReferences(a, b).Slide(t.Context(), []zipxml.Relation{
		{ID: "c", Type: "chart", Target: "chart.xml"}, {ID: "d", Type: "diagramData", Target: "diagram.xml"}, {ID: "i", Type: "image", Target: "chart.xml"},
	})
	for _, id := range []string{"c", "d", "c", "i", "missing"} {
		if err := w.Refer(id); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := extracttest.Show(b.Document("")), "p Wear\nth | Seals\ntr 2024 | 0.3\nli - First\nli - Second\n"; got != want {
		t.Errorf("blocks:\n%s\nwant:\n%s", got, want)
	}
}

func TestReadDrawing(t *testing.T) {
	t.Parallel()
	d, err := ooxml.ReadDrawing(t.Context(), []byte(`<p:sld show="0"><p:sp><p:ph type="title"/><a:off x="1" y="2"/><a:p><a:r><a:t>Pump</a:t></a:r></a:p></p:sp><p:pic><p:cNvPr descr="A pump" hidden="1"/></p:pic></p:sld>`))
	if err != nil || !d.Hidden || len(d.Shapes) != 2 {
		t.Fatalf("%+v: %v", d, err)
	}
	if s := d.Shapes[0]; s.Role != "title" || !s.Placed || s.X != 1 || s.Y != 2 || len(s.Lines) != 1 || s.Lines[0].Text != "Pump" {
		t.Errorf("title %+v", s)
	}
	if s := d.Shapes[1]; s.Alt != "A pump" || !s.Hidden {
		t.Errorf("picture %+v", s)
	}
}
