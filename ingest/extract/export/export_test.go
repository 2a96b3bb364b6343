package export_test

import (
	"strings"
	"testing"

	"docent/ingest/extract/export"
	"docent/ingest/extract/html"
)

const space = `<?xml version="1.0"?>
<hibernate-generic datetime="2026-10-12">
<object class="Page" package="com.atlassian.confluence.pages"><id name="id">1</id><property name="parent" class="Page"><id name="id">9</id></property><property name="title"><![CDATA[Crane rules]]></property><property name="lastModificationDate">2026-05-04 10:00:00.000</property><property name="contentStatus"><![CDATA[current]]></property></object>
<object class="Page"><id name="id">2</id><property name="originalVersion" class="Page"><id name="id">1</id></property><property name="title"><![CDATA[Crane rules]]></property><property name="contentStatus"><![CDATA[current]]></property></object>
<object class="Page"><id name="id">3</id><property name="title"><![CDATA[Draft]]></property><property name="contentStatus"><![CDATA[draft]]></property></object>
<object class="Comment"><id name="id">4</id><property name="containerContent" class="Page"><id name="id">1</id></property></object>
<object class="BodyContent"><id name="id">5</id><property name="body"><![CDATA[<p>Crane 4 lifts 3&nbsp;t, see <ac:link><ri:page ri:content-title="Quay"/></ac:link>.</p><ac:structured-macro ac:name="info"><ac:parameter ac:name="icon">false</ac:parameter><ac:parameter ac:name="title">Mind</ac:parameter><ac:rich-text-body><p>Wear a helmet.</p></ac:rich-text-body></ac:structured-macro><ac:structured-macro ac:name="code"><ac:parameter ac:name="language">bash</ac:parameter><ac:plain-text-body><![CDATA[crane <start>]]]]><![CDATA[></ac:plain-text-body></ac:structured-macro><ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status><ac:task-body>Oil it</ac:task-body></ac:task></ac:task-list>]]></property><property name="content" class="Page"><id name="id">1</id></property></object>
<object class="BodyContent"><id name="id">6</id><property name="body"><![CDATA[<p>Crane 4 lifts 2 t.</p>]]></property><property name="content" class="Page"><id name="id">2</id></property></object>
<object class="BodyContent"><id name="id">7</id><property name="body"><![CDATA[<p>Not yet.</p>]]></property><property name="content" class="Page"><id name="id">3</id></property></object>
<object class="BodyContent"><id name="id">8</id><property name="body"><![CDATA[<p>For crane 5, too?</p>]]></property><property name="content" class="Comment"><id name="id">4</id></property></object>
</hibernate-generic>`

func TestPages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ data, want string }{
		"Confluence": {space, "Crane rules.html 2026-05-04\nCrane rules\n\nCrane 4 lifts 3 t, see Quay.\n\nMind\n\nWear a helmet.\n\n```\ncrane <start>\n```\n- ☑ Oil it\n\nComments\n\nFor crane 5, too?"},
		"Evernote": {
			`<?xml version="1.0"?><en-export application="Evernote"><note><title>Crane</title><created>20260301T100000Z</created><tag>yard</tag><content><![CDATA[<en-note><div>Oil it.</div><div><en-todo checked="true"/>Done</div></en-note>]]></content><resource><data>AAAA</data></resource></note><note><title>a/b</title><content><![CDATA[<en-note>Coil it.</en-note>]]></content></note></en-export>`,
			"Crane.html 2026-03-01\nCrane\n\nOil it.\n\n☑ Done\na_b.html 0001-01-01\na/b\n\nCoil it.",
		},
		"WordPress": {
			`<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"><channel><item><title>Rules</title><content:encoded><![CDATA[One.` + "\n\n" + `Two.]]></content:encoded><wp:post_type>page</wp:post_type><wp:status>publish</wp:status></item><item><title>Old</title><content:encoded>x</content:encoded><wp:status>draft</wp:status></item></channel></rss>`,
			"Rules.html 0001-01-01\nRules\n\nOne.\n\nTwo.",
		},
		"comments and shortcodes of WordPress": {
			`<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"><channel><item><title>Seals</title><content:encoded><![CDATA[<p>See [1] and [gallery ids="1,2"].</p>` +
				`[caption id="a" width="10"]<img src="a.jpg"/>The crane of 1920[/caption][box]Oil it.[/box]]]></content:encoded><wp:post_date>2020-07-25 10:00:00</wp:post_date>` +
				`<wp:comment><wp:comment_author>Bo</wp:comment_author><wp:comment_content>Use 20x30.</wp:comment_content><wp:comment_approved>1</wp:comment_approved></wp:comment>` +
				`<wp:comment><wp:comment_author>Cy</wp:comment_author><wp:comment_content>Pills</wp:comment_content><wp:comment_approved>spam</wp:comment_approved></wp:comment></item></channel></rss>`,
			"Seals.html 2020-07-25\nSeals\n\nSee [1] and .\n\nThe crane of 1920\n\nOil it.\n\nComments\n\nBo: Use 20x30.",
		},
	} {
		if !export.Is([]byte(tt.data)) {
			t.Errorf("%s is no export", name)
		}
		var got []string
		for p, err := range export.Pages(t.Context(), []byte(tt.data)) {
			if err != nil {
				t.Fatal(err)
			}
			doc, err := html.Read(t.Context(), string(p.Data))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, p.Name+" "+p.Modified.Format("2006-01-02")+"\n"+doc.Text)
		}
		if all := strings.Join(got, "\n"); all != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, all, tt.want)
		}
	}
	for _, other := range []string{"<rss><channel/></rss>", "<hibernate-generic/>", "en-export", ""} {
		if export.Is([]byte(other)) {
			t.Errorf("%q is an export", other)
		}
	}
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	n := 0
	var last error
	for _, err := range export.Pages(t.Context(), []byte(space[:len(space)-200])) {
		if last = err; err == nil {
			n++
		}
	}
	if n != 1 || last == nil {
		t.Errorf("%d pages of a damaged export, and the error %v", n, last)
	}
}

func FuzzPages(f *testing.F) {
	f.Add([]byte(space))
	f.Add([]byte(`<en-export><note><title>a</title><content><![CDATA[<en-note>b</en-note>]]></content></note></en-export>`))
	f.Add([]byte(`<rss a="http://wordpress.org/export/1.2/"><item><title>a</title></item></rss>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for p, err := range export.Pages(t.Context(), data) {
			if err != nil {
				break
			}
			if p.Name == "" || len(p.Data) == 0 {
				t.Errorf("a page without name or content: %+v", p)
			}
		}
	})
}
