package text

import (
	"slices"
	"strings"
	"testing"
)

func TestParseMarker(t *testing.T) {
	t.Parallel()
	for s, want := range map[string][]int{
		"[1]": {1}, "[1, 2]": {1, 2}, "[1,2;3] x": {1, 2, 3}, "【4】": {4}, "【4†source】": {4}, "[ 12 ]": {12}, "[^3]": {3}, "[2-4]": {2, 3, 4}, "[2–3]": {2, 3},
		"[passages 1 and 2]": {1, 2}, "[1 and 3]": {1, 3}, "[#1]": {1}, `\cite{1,2}`: {1, 2}, "[Passage #2]": {2}, "(see passage 1)": {1}, "(passages 1 and 2)": {1, 2}, "(Source: 2)": {2},
		"[1†L3-L5]": {1}, "[1:3]": nil, "〔1〕": {1}, "[Quelle 1]": {1}, "(siehe Quelle 1)": {1}, "[Fuente 1]": {1}, "[cite: 1, 2]": {1, 2}, "[citation:1]": {1}, "[citation 2]": {2},
		"[p. 5]": nil, "(see page 5)": nil, "(1)": nil, "(see 1)": nil,
		"[passage 2]": {2}, "[Source 1, source 2]": {1, 2},
		"[a]": nil, "[]": nil, "[1": nil, "[1,]x": {1}, "[1] ": {1}, "1]": nil, "[99999]": nil, "[3-1]": nil, "[1-1000]": nil, "[x1]": nil, "【】": nil, "[-1]": nil,
	} {
		m, ok := parseMarker(s)
		if ok != (want != nil) || !slices.Equal(m.Docs, want) {
			t.Errorf("%q: %v %v, want %v", s, m.Docs, ok, want)
		}
	}
}

func TestResolveMarkers(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Ten [1].":                             "Ten [1].",
		"Ten [1, 2].":                          "Ten [1][2].",
		"Ten 【2】.":                             "Ten [2].",
		"Ten [9].":                             "Ten.",
		"Ten [1][9] and [99] more.":            "Ten [1] more.",
		"Ten [0].":                             "Ten.",
		"Ten [2, 2, 7].":                       "Ten [2].",
		"Ten [1](http://evil.example/?q=x).":   "Ten [1].",
		"Ten [9] [8]\nmore":                    "Ten\nmore",
		"`a[1]` and `b[9]` [9]":                "`a[1]` and `b[9]`",
		"```\nx[9]\n```\nSo [9].":              "```\nx[9]\n```\nSo.",
		"```\nnot closed [9]":                  "```\nnot closed [9]",
		"A ` alone [9].":                       "A ` alone.",
		"[see](http://x) [link]":               "[see](http://x) [link]",
		"Start [1].\n\n- item [3, 1]\n- [5] b": "Start [1].\n\n- item [3][1]\n- b",
		"[[9]99]":                              "",
		"Ten [1] and [9] and [2].":             "Ten [1] and [2].",
		"Ten [1] and [9].":                     "Ten [1].",
		"Ten [1], [9], [2].":                   "Ten [1], [2].",
		"Ten [8] and [9].":                     "Ten.",
		"Ten [8], [9] and [2].":                "Ten [2].",
		"Ten ([9]) more ([1] and [8]).":        "Ten more ([1]).",
		"So.\n[9] Ten [1], and [9] more.":      "So.\nTen [1], and more.",
		"Ten [9] and eleven [1] and more.":     "Ten and eleven [1] and more.",
		"They run.<sup>1</sup> More<sup>[2]</sup>, <sup>9</sup>.": "They run.[1] More[2].",
		"The days carry<sup>1</sup><sup>2</sup> over.":            "The days carry[1][2] over.",
		"10 m<sup>2</sup> and 5 km<sup>3</sup>, 10<sup>3</sup>":   "10 m<sup>2</sup> and 5 km<sup>3</sup>, 10<sup>3</sup>",
		"Ten <1>. Eleven <2, 3>, and <9>.":                        "Ten [1]. Eleven [2][3].",
		"Ten ^[1]^ and ^[2, 3]^; x^2^ stays.":                     "Ten [1] and [2][3]; x^2^ stays.",
		"They run <cite>1</cite>. <cite>[2]</cite>":               "They run [1]. [2]",
		`They run \[1\], \[9\].`:                                  "They run [1].",
		"`<1>` <b>1</b> <sup>a</sup> ^[a]^ <1":                    "`<1>` <b>1</b> <sup>a</sup> ^[a]^ <1",
	} {
		if got := ResolveMarkers(in, 3); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := ResolveMarkers("Ten [1]. Yes [2].", 0); got != "Ten. Yes." {
		t.Errorf("without passages: %q", got)
	}
}

func TestDropImages(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a ![pic](http://evil/?d=secret) b": "a pic b",
		"![](http://evil)":                  "",
		"![p][ref]":                         "p",
		"`![a](b)`":                         "`![a](b)`",
		"[text](http://x)":                  "[text](http://x)",
	} {
		if got := DropImages(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func FuzzResolveMarkers(f *testing.F) {
	for _, s := range []string{"Ten [1].", "[1][2, 9]【3†x】", "`[9]` [9]", "```\n[9]", "[[1]](x)", "[1](http://x\n)", "\xff[1]", "[0x1]", "~~~\n[1]\n~~~\n[7]", "````[1]```[2]````"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, text string, docs int) {
		docs = min(max(docs, 0), maxMarkerDocs)
		out := ResolveMarkers(text, docs)
		if len(out) > 5*len(text) {
			t.Fatalf("%q grew to %q", text, out)
		}
		for m := range MarkersIn(out) {
			for _, n := range m.Docs {
				if (n < 1 || n > docs) && len(text) < 64 {
					t.Fatalf("%q holds the invented %d", out, n)
				}
			}
		}
		for _, n := range Marked(text, docs) {
			if n < 1 || n > docs {
				t.Fatalf("marked %d of %d", n, docs)
			}
		}
		_ = DropImages(strings.Clone(text))
	})
}
