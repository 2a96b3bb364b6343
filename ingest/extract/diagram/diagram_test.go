package diagram_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/base64"
	"maps"
	"net/url"
	"testing"

	"docent/ingest/extract/diagram"
	"docent/ingest/extract/extracttest"
)

// flow is a page of draw.io: two shapes, one of them in a group, a connection with a
// label, and an object with properties.
const flow = `<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>
<mxCell id="g" vertex="1" parent="1"><mxGeometry x="10" y="300"/></mxCell>
<mxCell id="b" value="Check the stock" vertex="1" parent="g"><mxGeometry x="5" y="5"/></mxCell>
<mxCell id="a" value="&lt;div&gt;&lt;b&gt;Order&lt;/b&gt; received&lt;/div&gt;&lt;div&gt;by 5 &amp;amp; 6&lt;/div&gt;" vertex="1" parent="1"><mxGeometry x="0" y="20"/></mxCell>
<mxCell id="e" edge="1" parent="1" source="a" target="b"><mxGeometry relative="1"/></mxCell>
<mxCell id="l" value="daily" vertex="1" connectable="0" parent="e"><mxGeometry x="-0.2" relative="1"/></mxCell>
<object label="Ship it" id="o" owner="Ann"><mxCell vertex="1" parent="1"><mxGeometry x="0" y="400"/></mxCell></object>
<mxCell id="f" edge="1" parent="1" source="b" target="o"/>
</root></mxGraphModel>`

const shown = `p Order received\nby 5 & 6
p Check the stock
p Ship it
li Order received by 5 & 6 → Check the stock: daily
li Check the stock → Ship it
`

// packed returns a page as draw.io packs it.
func packed(t *testing.T, page string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(url.PathEscape(page))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestDrawIO(t *testing.T) {
	t.Parallel()
	alone := extracttest.Check(t, diagram.DrawIO, []byte(flow), "", paged(shown, "@0"))
	if len(alone.PageLabels) != 1 {
		t.Errorf("pages %q", alone.PageLabels)
	}
	for name, page := range map[string]string{"plain": flow, "packed": packed(t, flow)} {
		file := `<?xml version="1.0"?><mxfile host="x"><diagram id="p" name="Orders">` + page + `</diagram></mxfile>`
		doc := extracttest.Check(t, diagram.DrawIO, []byte(file), "", paged(shown, "@0"))
		if len(doc.PageLabels) != 1 || doc.PageLabels[0] != "Orders" {
			t.Errorf("%s: pages %q", name, doc.PageLabels)
		}
	}
	two := `<mxfile><diagram name="One">` + packed(t, flow) + `</diagram><diagram name="Two">` + flow + `</diagram></mxfile>`
	extracttest.Check(t, diagram.DrawIO, []byte(two), "", "h1@0 One\n"+paged(shown, "@0")+"h1@1 Two\n"+paged(shown, "@1"))
}

// paged adds the page to each line of shown.
func paged(shown, page string) string {
	var b bytes.Buffer
	for line := range bytes.Lines([]byte(shown)) {
		kind, text, _ := bytes.Cut(line, []byte(" "))
		b.Write(kind)
		b.WriteString(page + " ")
		b.Write(text)
	}
	return b.String()
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		`<mxfile><diagram name="One">%%%</diagram></mxfile>`, `<mxfile><diagram>QUJD</diagram></mxfile>`,
	} {
		_, err := diagram.DrawIO(t.Context(), "a", []byte(file))
		extracttest.Refused(t, err, "damaged: the drawing")
	}
	_, err := diagram.Visio(t.Context(), "a", extracttest.Pack(t, map[string]string{"visio/document.xml": ""}))
	extracttest.Refused(t, err, "damaged: the drawing")
}

// TestFiles reads files of real programs: of N2G, and of Visio.
func TestFiles(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, diagram.DrawIO, extracttest.File(t, "testdata/n2g.drawio"), "", `h1@0 Network
p@0 Core router
p@0 Access switch
li@0 Core router → Access switch: 10G uplink ge-0/1
h1@1 Second
p@1 Printer
`)
	extracttest.Check(t, diagram.Visio, extracttest.File(t, "testdata/shapes.vsdx"), "", `p@0 LINE
p@0 RECTANGLE
p@0 CIRCLE
p@0 CONNECTED_SHAPE
li@0 RECTANGLE → CONNECTED_SHAPE: CURVED_CONNECTOR
li@0 RECTANGLE → CONNECTED_SHAPE: STRAIGHT_CONNECTOR
`)
}

// drawing is a drawing of Visio: a page with a group and a connection, and a background.
func drawing(t testing.TB) []byte {
	t.Helper()
	return extracttest.Pack(t, map[string]string{
		"docProps/core.xml": `<cp:coreProperties xmlns:dc="d" xmlns:cp="c"><dc:title>Plant</dc:title></cp:coreProperties>`,
		"visio/pages/pages.xml": `<Pages xmlns:r="rel"><Page ID="0" Name="Pumps"><Rel r:id="rId1"/></Page>
			<Page ID="1" Name="Frame" Background="1"><Rel r:id="rId2"/></Page></Pages>`,
		"visio/pages/_rels/pages.xml.rels": `<Relationships><Relationship Id="rId1" Type="x/page" Target="page1.xml"/>
			<Relationship Id="rId2" Type="x/page" Target="page2.xml"/></Relationships>`,
		"visio/pages/page2.xml": `<PageContents><Shapes><Shape ID="1"><Text>Confidential</Text></Shape></Shapes></PageContents>`,
		"visio/pages/page1.xml": `<PageContents><Shapes>
			<Shape ID="1"><Cell N="PinX" V="1"/><Cell N="PinY" V="2"/><Section N="Geometry"><Cell N="PinY" V="99"/></Section><Text>Main <cp IX="0"/>pump
</Text></Shape>
			<Shape ID="2"><Cell N="PinX" V="1"/><Cell N="PinY" V="9"/><Text>Tank</Text>
				<Shapes><Shape ID="3"><Cell N="PinX" V="0"/><Cell N="PinY" V="0"/><Text>40 litres</Text></Shape></Shapes></Shape>
			<Shape ID="4"><Cell N="PinX" V="5"/><Cell N="PinY" V="5"/><Text>feeds</Text></Shape>
			<Shape ID="5"/></Shapes>
			<Connects><Connect FromSheet="4" FromCell="EndX" ToSheet="1"/><Connect FromSheet="4" FromCell="BeginX" ToSheet="2"/></Connects></PageContents>`,
	})
}

func TestVisio(t *testing.T) {
	t.Parallel()
	doc := extracttest.Check(t, diagram.Visio, drawing(t), "Plant", `p@0 Tank
p@0 40 litres
p@0 Main pump
li@0 Tank → Main pump: feeds
`)
	if len(doc.PageLabels) != 1 || doc.PageLabels[0] != "Pumps" {
		t.Errorf("pages %q", doc.PageLabels)
	}
}

func FuzzDrawIO(f *testing.F) {
	f.Add([]byte(`<mxfile><diagram name="One">` + flow + `</diagram></mxfile>`))
	f.Fuzz(func(t *testing.T, data []byte) { extracttest.FuzzRead(t, diagram.DrawIO, data) })
}

func FuzzVisio(f *testing.F) {
	parts := extracttest.Unpack(f, drawing(f))
	f.Add(parts["visio/pages/page1.xml"])
	f.Fuzz(func(t *testing.T, page string) {
		changed := maps.Clone(parts)
		changed["visio/pages/page1.xml"] = page
		extracttest.FuzzRead(t, diagram.Visio, extracttest.PackWith(t, zip.Store, changed))
	})
}
