package diagram_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"docent/agent/diagram"
)

// shop has a way back, a global state, two arrows with the same ends, and one from a state to itself.
func shop() diagram.Graph {
	return diagram.Graph{
		Name: `shop "A&B"`,
		States: []diagram.State{
			{Name: "idle", Initial: true}, {Name: "order"}, {Name: "pay <now>"}, {Name: "help", Global: true}, {Any: true},
		},
		Arrows: []diagram.Arrow{
			{From: 0, To: 1, Label: "intent order"},
			{From: 0, To: 1, Label: "file pdf"},
			{From: 0, To: 0, Label: "no intent"},
			{From: 1, To: 2},
			{From: 2, To: 0, Label: "event paid, variable paid == true"},
			{From: 4, To: 3, Label: "intent help"},
			{From: 3, To: 4, Label: "back"},
		},
	}
}

func TestMermaid(t *testing.T) {
	t.Parallel()
	const want = `stateDiagram-v2
    state "idle" as s1
    state "order" as s2
    state "pay #lt;now#gt;" as s3
    state "help" as s4
    [*] --> s1
    state "any state" as any
    s1 --> s2 : intent order
    s1 --> s2 : file pdf
    s1 --> s1 : no intent
    s2 --> s3
    s3 --> s1 : event paid, variable paid == true
    any --> s4 : intent help
    s4 --> any : back
`
	if got := shop().Mermaid(); got != want {
		t.Errorf("%s", got)
	}
}

// TestLay checks the order of the layers, and that arrows with the same ends are one path.
func TestLay(t *testing.T) {
	t.Parallel()
	p := diagram.Lay(shop())
	s := p.States
	if s[0].Y >= s[1].Y || s[1].Y >= s[2].Y || s[4].Y >= s[3].Y {
		t.Errorf("states are not below those that lead to them: %+v", s)
	}
	if len(p.Paths) != 6 || len(p.Paths[0].Labels) != 2 || p.Start == "" {
		t.Errorf("%d paths, the first with %q, start %q", len(p.Paths), p.Paths[0].Labels, p.Start)
	}
}

// TestApart lays out many graphs. No boxes and labels overlap, and all are in the picture.
func TestApart(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var g diagram.Graph
		for i := range 1 + r.IntN(14) {
			g.States = append(g.States, diagram.State{Name: strings.Repeat("state ", r.IntN(8)) + fmt.Sprint(i), Initial: i == 0})
		}
		for range r.IntN(30) {
			g.Arrows = append(g.Arrows, diagram.Arrow{
				From: r.IntN(len(g.States)), To: r.IntN(len(g.States)), Label: strings.Repeat("word ", r.IntN(30)),
			})
		}
		p := diagram.Lay(g)
		type box struct{ x, y, w, h float64 }
		var boxes []box
		for _, s := range p.States {
			boxes = append(boxes, box{s.X, s.Y, s.Width, s.Height})
		}
		for _, a := range p.Paths {
			if len(a.Lines) > 0 && a.From != a.To {
				boxes = append(boxes, box{a.X, a.Y, 1, 1})
			}
			if !strings.HasPrefix(a.D, "M") || strings.Contains(a.D, "NaN") {
				t.Errorf("seed %d: path %q", seed, a.D)
			}
		}
		for i, a := range boxes {
			if a.x-a.w/2 < 0 || a.y-a.h/2 < 0 || a.x+a.w/2 > p.Width || a.y+a.h/2 > p.Height {
				t.Errorf("seed %d: %+v is outside of %.0f × %.0f", seed, a, p.Width, p.Height)
			}
			for _, b := range boxes[i+1:] {
				if abs(a.x-b.x) < (a.w+b.w)/2 && abs(a.y-b.y) < (a.h+b.h)/2 {
					t.Errorf("seed %d: %+v and %+v overlap", seed, a, b)
				}
			}
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

// TestSVG checks that a picture is well-formed and has all texts.
func TestSVG(t *testing.T) {
	t.Parallel()
	g := shop()
	g.States = append(g.States, diagram.State{Name: strings.Repeat("x", 60) + " 日本語"})
	svg := g.SVG()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
	}
	for _, want := range []string{
		`<title>shop &#34;A&amp;B&#34;</title>`, ">pay &lt;now&gt;<", ">any state<", ">intent order<", ">file pdf<", ">event paid, variable paid<", ">== true<",
		">" + strings.Repeat("x", 25) + "<", ">xxxxxxxxxx 日本語<",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	if empty := (diagram.Graph{}).SVG(); !strings.HasSuffix(empty, "</svg>\n") {
		t.Errorf("%s", empty)
	}
}
