package diagram

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Sizes in a picture, in pixels.
const (
	margin     = 16.0
	layerGap   = 16.0 // between layers
	gap        = 22.0 // between neighbors in a layer
	bend       = 14.0 // the width of an arrow that passes a layer
	padding    = 14.0 // between the text of a state and its border
	lineHeight = 17.0
	stateChar  = 7.4 // the width of a character
	labelChar  = 6.4
	loop       = 34.0 // the width of an arrow from a state to itself
	start      = 34.0 // the width of the arrow to the initial state
)

// Texts are broken into lines.
const (
	maxLine  = 26 // characters
	maxLines = 6
)

// Picture has the places of states and arrows, in pixels from the upper left corner.
type Picture struct {
	// Width and Height are the size of the picture.
	Width, Height float64
	// States are the boxes of the states, in the order of Graph.States.
	States []Box
	// Paths are the arrows. Arrows with the same ends are one path.
	Paths []Path
	// Start is the arrow to the initial state; see Path.D.
	Start string
}

// Box is the place of a state.
type Box struct {
	// State is the state.
	State
	// X and Y are the center.
	X, Y float64
	// Width and Height are the size.
	Width, Height float64
	// Lines are the lines of the name.
	Lines []string
}

// Path is an arrow.
type Path struct {
	// From and To are positions in Graph.States.
	From, To int
	// Labels are the labels of the transitions that have one.
	Labels []string
	// Lines are the lines of the labels. The last one ends with an ellipsis if there are too many.
	Lines []string
	// X and Y are the center of the lines.
	X, Y float64
	// D is the line in the language of the attribute d of a path in SVG.
	D string
}

// cell is something with a place in a layer: a state, the label of a path, or a bend of a path.
type cell struct {
	layer         int
	left, right   float64 // its extent from its center
	height        float64
	x, y          float64
	above, below  []*cell // neighbors in the next layers
	order, wanted float64
}

// path is an arrow while it gets its place.
type path struct {
	Path
	up    bool    // it leads to an earlier layer
	cells []*cell // between the states, from the upper one to the lower one
	label *cell
}

// layout is an unfinished picture.
type layout struct {
	graph  Graph
	states []*cell
	paths  []*path
	loops  []*path
	layers [][]*cell
}

// Lay finds places for the states and arrows of a graph.
func Lay(g Graph) Picture {
	l := &layout{graph: g}
	l.addStates()
	l.addPaths()
	l.rank()
	l.thread()
	l.sort()
	l.place()
	return l.picture()
}

// addStates adds a cell for each state.
func (l *layout) addStates() {
	for _, s := range l.graph.States {
		lines := nameLines(s)
		half := padding + stateChar*longest(lines)/2
		c := &cell{left: half, right: half, height: boxHeight(lines)}
		if s.Initial {
			c.left += start
		}
		l.states = append(l.states, c)
	}
}

func nameLines(s State) []string {
	if s.Any {
		return []string{anyState}
	}
	return broken([]string{s.Name})
}

// boxHeight returns the height of a box with a name.
func boxHeight(lines []string) float64 { return padding + lineHeight*float64(len(lines)) + 4 }

// addPaths joins arrows with the same ends.
func (l *layout) addPaths() {
	known := map[[2]int]*path{}
	for _, a := range l.graph.Arrows {
		p := known[[2]int{a.From, a.To}]
		if p == nil {
			p = &path{Path: Path{From: a.From, To: a.To, Labels: []string{}}}
			known[[2]int{a.From, a.To}] = p
			if a.From == a.To {
				l.loops = append(l.loops, p)
			} else {
				l.paths = append(l.paths, p)
			}
		}
		if a.Label != "" {
			p.Labels = append(p.Labels, a.Label)
		}
	}
	for _, p := range slices.Concat(l.paths, l.loops) {
		p.Lines = broken(p.Labels)
	}
	for _, p := range l.loops {
		s := l.states[p.From]
		s.right += loop + labelChar*longest(p.Lines)
		s.height = max(s.height, lineHeight*float64(len(p.Lines)))
	}
}

// rank gives each state a layer, below those that lead to it. Arrows back to a state that led there do not count. There
// is a layer for labels between two layers with states.
func (l *layout) rank() {
	out := make([][]*path, len(l.states))
	for _, p := range l.paths {
		out[p.From] = append(out[p.From], p)
	}
	const visiting, visited = 1, 2
	seen := make([]int, len(l.states))
	var finished []int // a state comes after those that it leads to
	var visit func(at int)
	visit = func(at int) {
		seen[at] = visiting
		for _, p := range out[at] {
			switch seen[p.To] {
			case 0:
				visit(p.To)
			case visiting:
				p.up = true
			}
		}
		seen[at] = visited
		finished = append(finished, at)
	}
	for i, s := range l.graph.States {
		if (s.Initial || s.Any) && seen[i] == 0 {
			visit(i)
		}
	}
	for i := range l.states {
		if seen[i] == 0 {
			visit(i)
		}
	}
	led := make([]bool, len(l.states))
	for _, at := range slices.Backward(finished) {
		for _, p := range out[at] {
			if !p.up {
				l.states[p.To].layer = max(l.states[p.To].layer, l.states[at].layer+2)
				led[p.To] = true
			}
		}
	}
	for at, s := range l.states { // a state that no other leads to stands just above the next one
		if led[at] || l.graph.States[at].Initial {
			continue
		}
		next := math.MaxInt
		for _, p := range out[at] {
			if !p.up {
				next = min(next, l.states[p.To].layer)
			}
		}
		if next != math.MaxInt {
			s.layer = next - 2
		}
	}
}

// ends returns the upper and the lower state of a path.
func (l *layout) ends(p *path) (upper, lower *cell) {
	if p.up {
		return l.states[p.To], l.states[p.From]
	}
	return l.states[p.From], l.states[p.To]
}

// thread leads each path through the layers between its states, and collects the layers.
func (l *layout) thread() {
	cells := slices.Clone(l.states)
	for _, p := range l.paths {
		upper, lower := l.ends(p)
		middle := upper.layer + (lower.layer-upper.layer)/2
		middle -= 1 - middle%2 // labels have odd layers
		last := upper
		for layer := upper.layer + 1; layer < lower.layer; layer++ {
			c := &cell{layer: layer, left: bend / 2, right: bend / 2}
			if layer == middle && len(p.Lines) > 0 {
				c.left = labelChar*longest(p.Lines)/2 + 4
				c.right, c.height = c.left, lineHeight*float64(len(p.Lines))
				p.label = c
			}
			p.cells, cells = append(p.cells, c), append(cells, c)
			join(last, c)
			last = c
		}
		join(last, lower)
	}
	for _, c := range cells {
		for len(l.layers) <= c.layer {
			l.layers = append(l.layers, nil)
		}
		l.layers[c.layer] = append(l.layers[c.layer], c)
	}
}

func join(upper, lower *cell) {
	upper.below, lower.above = append(upper.below, lower), append(lower.above, upper)
}

// picture returns the finished picture.
func (l *layout) picture() Picture {
	out := Picture{States: []Box{}, Paths: []Path{}}
	for i, c := range l.states {
		s := l.graph.States[i]
		lines := nameLines(s)
		width := 2*padding + stateChar*longest(lines)
		out.States = append(out.States, Box{
			State: s, X: c.x, Y: c.y, Width: width, Height: boxHeight(lines), Lines: lines,
		})
		if s.Initial {
			edge := c.x - width/2
			out.Start = fmt.Sprintf("M%.1f %.1fL%.1f %.1f", edge-start+8, c.y, edge, c.y)
		}
	}
	for _, p := range l.paths {
		upper, lower := l.ends(p)
		p.D = l.line(p, upper, lower)
		if p.label != nil {
			p.X, p.Y = p.label.x, p.label.y
		}
		out.Paths = append(out.Paths, p.Path)
	}
	for _, p := range l.loops {
		box := out.States[p.From]
		x, y := box.X+box.Width/2, box.Y
		p.D = fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x, y-7, x+loop-8, y-20, x+loop-8, y+20, x, y+7)
		p.X, p.Y = x+loop-8+labelChar*longest(p.Lines)/2, y
		out.Paths = append(out.Paths, p.Path)
	}
	for _, layer := range l.layers {
		for _, c := range layer {
			out.Width = max(out.Width, c.x+c.right+margin)
			out.Height = max(out.Height, c.y+c.height/2+margin)
		}
	}
	return out
}

// line draws a path through its cells.
func (l *layout) line(p *path, upper, lower *cell) string {
	type point struct{ x, y float64 }
	at := func(s *cell, beside, edge float64) point { // on the border of a state
		i := slices.Index(l.states, s)
		lines := nameLines(l.graph.States[i])
		half := padding + stateChar*longest(lines)/2 - 10
		return point{min(max(beside, s.x-half), s.x+half), s.y + edge*boxHeight(lines)/2}
	}
	points := []point{at(upper, p.cells[0].x, 1)}
	for _, c := range p.cells {
		points = append(points, point{c.x, c.y - c.height/2}, point{c.x, c.y + c.height/2})
	}
	points = append(points, at(lower, p.cells[len(p.cells)-1].x, -1))
	if p.up {
		slices.Reverse(points)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "M%.1f %.1f", points[0].x, points[0].y)
	for i, q := range points[1:] {
		o := points[i]
		if o == q {
			continue
		}
		middle := (o.y + q.y) / 2
		fmt.Fprintf(&b, "C%.1f %.1f %.1f %.1f %.1f %.1f", o.x, middle, q.x, middle, q.x, q.y)
	}
	return b.String()
}
