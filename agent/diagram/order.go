package diagram

import (
	"cmp"
	"slices"
)

// sweeps is the number of times that neighbors are sorted, and moved.
const sweeps = 12

// sort sorts the cells of each layer by the places of their neighbors, so that few arrows cross. It keeps the best order.
func (l *layout) sort() {
	number := func() {
		for _, layer := range l.layers {
			for i, c := range layer {
				c.order = float64(i)
			}
		}
	}
	number()
	best, fewest := l.orders(), l.crossings()
	for i := 0; i < sweeps && fewest > 0; i++ {
		for at := range l.layers {
			layer := l.layers[at]
			if i%2 == 1 {
				layer = l.layers[len(l.layers)-1-at]
			}
			for _, c := range layer {
				near := c.above
				if i%2 == 1 {
					near = c.below
				}
				c.wanted = mean(near, c.order, func(n *cell) float64 { return n.order })
			}
			slices.SortStableFunc(layer, func(a, b *cell) int { return cmp.Compare(a.wanted, b.wanted) })
			for k, c := range layer {
				c.order = float64(k)
			}
		}
		if n := l.crossings(); n < fewest {
			best, fewest = l.orders(), n
		}
	}
	l.layers = best
	number()
}

// orders returns a copy of the layers.
func (l *layout) orders() [][]*cell {
	out := make([][]*cell, len(l.layers))
	for i, layer := range l.layers {
		out[i] = slices.Clone(layer)
	}
	return out
}

// crossings counts the crossings of arrows.
func (l *layout) crossings() int {
	n := 0
	for _, layer := range l.layers {
		var ends [][2]float64
		for _, c := range layer {
			for _, b := range c.below {
				ends = append(ends, [2]float64{c.order, b.order})
			}
		}
		for i, a := range ends {
			for _, b := range ends[i+1:] {
				if (a[0]-b[0])*(a[1]-b[1]) < 0 {
					n++
				}
			}
		}
	}
	return n
}

// mean returns the mean of a value of some cells, or other without cells.
func mean(cells []*cell, other float64, value func(*cell) float64) float64 {
	if len(cells) == 0 {
		return other
	}
	sum := 0.0
	for _, c := range cells {
		sum += value(c)
	}
	return sum / float64(len(cells))
}

// place gives the cells their places. A cell wants to be between its neighbors.
func (l *layout) place() {
	y := margin
	for _, layer := range l.layers {
		height, x := 0.0, 0.0
		for _, c := range layer {
			height = max(height, c.height)
			c.x = x + c.left
			x = c.x + c.right + gap
		}
		for _, c := range layer {
			c.y = y + height/2
		}
		y += height + layerGap
	}
	x := func(c *cell) float64 { return c.x }
	for i := range sweeps {
		for at := range l.layers {
			layer := l.layers[at]
			if i%2 == 1 {
				layer = l.layers[len(l.layers)-1-at]
			}
			for _, c := range layer {
				near := c.above
				if i%2 == 1 || len(near) == 0 {
					near = c.below
				}
				c.wanted = mean(near, c.x, x)
			}
			separate(layer)
		}
	}
	leftmost := 0.0
	for _, layer := range l.layers {
		for _, c := range layer {
			leftmost = min(leftmost, c.x-c.left)
		}
	}
	for _, layer := range l.layers {
		for _, c := range layer {
			c.x += margin - leftmost
		}
	}
}

// separate moves the cells of a layer as near as possible to their wanted places, without overlap. Neighbors that would
// overlap form a block with a common place.
func separate(layer []*cell) {
	type block struct {
		cells  []*cell
		sum, x float64 // of the wanted places, less the offsets; the place of the first cell
		width  float64 // from the center of the first cell to that of the last
	}
	var blocks []block
	for _, c := range layer {
		b := block{cells: []*cell{c}, sum: c.wanted, x: c.wanted}
		for len(blocks) > 0 {
			before := blocks[len(blocks)-1]
			apart := before.cells[len(before.cells)-1].right + gap + b.cells[0].left
			if before.x+before.width+apart <= b.x {
				break
			}
			offset := before.width + apart
			b.sum = before.sum + b.sum - offset*float64(len(b.cells))
			b.width += offset
			b.cells = append(slices.Clip(before.cells), b.cells...)
			b.x = b.sum / float64(len(b.cells))
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	for _, b := range blocks {
		x := b.x
		for i, c := range b.cells {
			if i > 0 {
				x += b.cells[i-1].right + gap + c.left
			}
			c.x = x
		}
	}
}
