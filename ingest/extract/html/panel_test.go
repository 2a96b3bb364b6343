package html

import (
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
)

// TestPanels reads panels that are closed, and neither menus nor dialogs.
func TestPanels(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ page, want string }{
		"accordion": {`<h3><button aria-expanded="false" aria-controls="p1">How often?</button></h3><div id="p1" role="region" hidden><p>Every 250 km.</p></div>`, "h3 How often?\np Every 250 km.\n"},
		"tabs": {
			`<div role="tablist"><button role="tab" id="t1" aria-controls="a">Free</button><button role="tab" id="t2" aria-controls="b">Pro</button></div>` +
				`<div role="tabpanel" id="a" aria-labelledby="t1"><p>40 calls.</div><div role="tabpanel" id="b" aria-labelledby="t2" hidden aria-hidden="true"><p>9,000 calls.</div><p>After.`,
			"h16 Free\np 40 calls.\nh16 Pro\np 9,000 calls.\np After.\n",
		},
		"bootstrap": {`<p><a data-bs-toggle="collapse" href="#c" role="button">More</a></p><div class="collapse" id="c" hidden>The key is red.</div>`, "p More\nh16 More\np The key is red.\n"},
		"class":     {`<div class="faq-answer" hidden>Use oil.</div>`, "p Use oil.\n"},
		"simple":    {`<button class="accordion">Which oil?</button><div class="panel"><p>Number 40.</p></div>`, "h16 Which oil?\np Number 40.\n"},
		"link bar":  {`<p><span>Available Languages: </span><a href="a.de">de</a> | <a href="a.en">en</a></p><p>See <a href="b">the seal</a>, <a href="c">the pump</a>.</p><p><a href="b">Seals</a>, <a href="c">Pumps</a></p><p>Plans: <a href="d">north</a></p>`, "p See the seal, the pump.\np Seals, Pumps\np Plans: north\n"},
		"details":   {`<details><summary>Which oil?</summary><p>Number 40.</p></details><p>After.`, "h16 Which oil?\np Number 40.\np After.\n"},
		"menu":      {`<button aria-haspopup="true" aria-controls="m">Menu</button><ul id="m" role="menu" hidden><li>Home</ul><p>Text.`, "p Text.\n"},
		"site menu": {`<button aria-controls="site-nav">Menu</button><div id="site-nav" hidden><p>All pages</div><p>Text.`, "p Text.\n"},
		"dialog":    {`<button aria-controls="d">Delete</button><div id="d" role="dialog" hidden><p>Sure?</div><dialog>Sure?</dialog><div class="modal collapse" hidden>Sure?</div><p>Text.`, "p Text.\n"},
		"variants":  {`<p>Choose <span><span hidden="true" id="mac"><b>Preferences</b></span><span hidden></span> <span hidden id="default">Tools – Options</span></span> – Paths, <span><span hidden>not one of several</span></span> then press <span>Enter<span hidden>secret</span></span>.`, "p Choose Preferences / Tools – Options – Paths, then press Enter.\n"},
		"hidden":    {`<p hidden>Draft.</p><div aria-hidden="true">Icon</div><p>Text.`, "p Text.\n"},
	} {
		doc, err := Read(t.Context(), "<body>"+tt.page)
		if err != nil {
			t.Fatal(err)
		}
		if got := extracttest.Show(doc); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, tt.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		`<ol type="a"><li>one<li>two</ol>`:                                                                                                                         "a. one\nb. two",
		`<ol type="I" start="4"><li>one<li>two</ol>`:                                                                                                               "IV. one\nV. two",
		`<ol><li value="7">one<li>two<li value="3">three</ol>`:                                                                                                     "7. one\n8. two\n3. three",
		`<ol reversed><li>one<li>two<li>three</ol>`:                                                                                                                "3. one\n2. two\n1. three",
		`<ol reversed start="10"><li>one<li>two</ol>`:                                                                                                              "10. one\n9. two",
		`<ol style="list-style-type: lower-roman"><li>one<li>two</ol>`:                                                                                             "i. one\nii. two",
		`<ol><li>one<ol type="A"><li>in<li>next</ol><li>two</ol>`:                                                                                                  "1. one\nA. in\nB. next\n2. two",
		`<ul><li><input type="checkbox" checked> oil<li><input type=checkbox> seal</ul>`:                                                                           "- ☑ oil\n- ☐ seal",
		`<style>ol.x, .y { list-style-type: lower-alpha }</style><ol class="x"><li>one<li>two</ol>`:                                                                "a. one\nb. two",
		`<style>/* .b{} */ .c3 { text-decoration: line-through; }</style><p>Costs <span class="c1 c3">$90</span> $79.`:                                             "Costs $79.",
		`<p>E <math><mi>m</mi><mo>=</mo><msup><mi>c</mi><mn>2</mn></msup></math> holds.`:                                                                           "E m = c^2 holds.",
		`<p>x <math alttext="{\displaystyle a_{1}}"><mi>a</mi></math> y`:                                                                                           "x a_{1} y",
		`<p>x <math><semantics><mfrac><mi>a</mi><mi>b</mi></mfrac><annotation encoding="application/x-tex">\frac ab</annotation></semantics></math>`:               `x \frac ab`,
		`<p>Call <a href="tel:+4940">us</a> or <a href="tel:+4940">+49 40</a>.`:                                                                                    "Call us (+4940) or +49 40.",
		`<form><input type=radio checked><label>Yes</label> <input type=radio><label>No</label></form>`:                                                            "☑ Yes ☐ No",
		`<ul><li role="checkbox" aria-checked="true">Paint</ul><p><span role="checkbox" aria-checked="false"></span> Oil`:                                          "- ☑ Paint\n\n☐ Oil",
		`<!DOCTYPE NETSCAPE-Bookmark-file-1><TITLE>B</TITLE><DL><p><DT><H3>Yard</H3><DL><p><DT><A HREF="https://example.org/c">Crane</A><DD>How to lift</DL></DL>`: "Yard\n- Crane (https://example.org/c)\nHow to lift",
		`<p>The tent costs <s>$90</s> <del>$85</del> $79.`:                                                                                                         "The tent costs $79.",
		`<p>a <span style="text-decoration:line-through">b</span> c<h2>x <s>y</s>`:                                                                                 "a c\n\nx",
		`<p><s>Most of this page is struck out.</s> Rest.`:                                                                                                         "~~Most of this page is struck out.~~ Rest.",
		`<p>Get it <a href="https://example.org/a">here</a>.`:                                                                                                      "Get it here (https://example.org/a).",
		`<p>The <a href="files/a7.pdf">travel form</a> and <a href="/b">more</a>.`:                                                                                 "The travel form (files/a7.pdf) and more.",
		`<p>Write to <a href="mailto:vera@example.org?subject=x">Vera</a> or <a href="mailto:bo@example.org">bo@example.org</a>`:                                   "Write to Vera (vera@example.org) or bo@example.org",
		`<table><tr><th>Part<th>Sizes<tr><td>Seal<td><table><tr><td>S<td>1</table><tr><td>Belt<td>none</table>`:                                                    "Part | Sizes\nSeal | S \\| 1\nBelt | none",
		`<table><tr><td><h2>Left</h2>text<td><table><tr><th>a<th>b<tr><td>1<td>2</table></table>`:                                                                  "Left\n\ntext\n\na | b\n1 | 2",
	} {
		if got := strings.TrimSpace(readPage(t, page)); got != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}
