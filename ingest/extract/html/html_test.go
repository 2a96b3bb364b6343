package html

import (
	"strings"
	"testing"
)

func readPage(t *testing.T, page string) string {
	t.Helper()
	doc, err := Read(t.Context(), page)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Text
}

func TestInline(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		`<p>the casing.<sup><a href="#f1">1</a></sup> Next`:                               "the casing. [1] Next",
		`<p>the casing<a href="#f1"><sup>[12]</sup></a>, next`:                            "the casing [12], next",
		`<p>Python<a class="footnote-reference brackets" href="#id5">1</a> is`:            "Python [1] is",
		`<p>10<sup>5</sup> m<sup>2</sup>`:                                                 "105 m2",
		`<p>see <a href="#part">2</a>`:                                                    "see 2",
		`<p>Above <img src="x.png" alt="Cut through the pump casing"> below`:              "Above Cut through the pump casing below",
		`<p>Icon <img src="x.png" alt="an icon here" width="16"><img alt="logo.png"> end`: "Icon end",
	} {
		if got := readPage(t, page); got != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}

// TestPageLinks omits the links between the pages of Publican books, in any language.
func TestPageLinks(t *testing.T) {
	t.Parallel()
	page := `<p>The seal wears.</p><ul class="docnav"><li class="previous"><a href="a.html"><strong>Précédent</strong>A.9. Devuan</a></li><li class="next"><a href="b.html"><strong>Suivant</strong>Avant-propos</a></li></ul>`
	if got := readPage(t, page); got != "The seal wears." {
		t.Errorf("got %q", got)
	}
}

// TestArticle omits the text around an article, and omits nothing from other
// pages.
func TestArticle(t *testing.T) {
	t.Parallel()
	prose := strings.Repeat("<p>The seal of the pump is changed every four thousand hours, and the bearing with it, because both wear alike.</p>", 8)
	body := `<body><div class="menu"><ul><li><a href="/">Home</a><li><a href="/n">News</a></ul><p>Watch our video</p></div>
<div id="content"><h1>Seals</h1><h2>Changing them</h2>` + prose + `</div>
<div class="sidebar"><h3>Most read</h3><ul><li><a href="/1">Ten pumps you must see before you die</a></ul><p>Share this</p></div></body>`
	const published = `<meta property="og:type" content="article"><title>Seals</title>`
	got := readPage(t, "<html><head>"+published+"</head>"+body)
	if strings.Contains(got, "Most read") || strings.Contains(got, "Watch our") || strings.Count(got, "four thousand") != 8 || !strings.Contains(got, "Changing them") {
		t.Errorf("article: got %s", got)
	}
	for name, head := range map[string]string{
		"unsigned":  "<title>Seals</title>",
		"generated": published + `<meta name="generator" content="Sphinx 7">`,
	} {
		if got := readPage(t, "<html><head>"+head+"</head>"+body); !strings.Contains(got, "Most read") || !strings.Contains(got, "Watch our") {
			t.Errorf("%s: got %s", name, got)
		}
	}
	// Two texts have the same weight, so the search is not sure.
	two := "<html><head>" + published + "</head><body><div><h2>One</h2>" + prose + "</div><hr><table><tr><td>" + strings.Repeat(prose, 2) + "</td></tr></table><section>" + prose + "</section>"
	if got := readPage(t, two); strings.Count(got, "four thousand") != 32 {
		t.Errorf("two texts: got %d of 32 paragraphs", strings.Count(got, "four thousand"))
	}
}

// TestSpans repeats cells that span several rows, so that each row is complete. Empty cells follow wide ones.
func TestSpans(t *testing.T) {
	t.Parallel()
	got := readPage(t, `<table><tr><th>Part<th>Task<th>Hours</tr><tr><td rowspan=2>Seal<td>check<td>400<tr><td>change<td>4000
<tr><td colspan=2>Bearing<td>8000<tr><td>Oil<td rowspan=2>change<td>500<tr><td>Filter<td>600</table>`)
	want := "Part | Task | Hours\nSeal | check | 400\nSeal | change | 4000\nBearing |  | 8000\nOil | change | 500\nFilter | change | 600"
	if got != want {
		t.Errorf("got %s", got)
	}
}

// TestPreformatted fences code, but neither prose nor tables of contents.
func TestPreformatted(t *testing.T) {
	t.Parallel()
	const mail = "Hello,\n\nthe seal of the pump is changed every four thousand hours, because it wears.\n" +
		"The bearing is changed with it, and both are kept in the store of the plant."
	const contents = "1. Introduction\n2. Seals\n2.1 Changing them\n3. Bearings"
	for page, want := range map[string]string{
		"<pre>\nsqlite&gt; .tables\n\n  a\n</pre><p>End":                               "```\nsqlite> .tables\n\n  a\n```\n\nEnd",
		"<pre>\n\n  indented\n</pre>":                                                  "```\n  indented\n```",
		"<pre>```\nx\n```</pre>":                                                       "````\n```\nx\n```\n````",
		"<pre><code>import a</code><code>require(a)</code><button>copy</button></pre>": "```\nimport a\n\nrequire(a)\n```",
		"<pre>a <code>b</code> <code>c</code></pre>":                                   "```\na b c\n```",
		"<pre> </pre><p>End":                                                           "End",
		"<ul><li><pre>make</pre></ul>":                                                 "- make",
		"<pre>" + mail + "</pre>":                                                      mail,
		"<pre>" + contents + "</pre>":                                                  contents,
		"<table><tr><th>a<th>b<tr><td><pre>x\ny</pre><td>off | on or a|b</table>":      `a | b` + "\n" + `x y | off \| on or a|b`,
	} {
		if got := readPage(t, page); got != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}
