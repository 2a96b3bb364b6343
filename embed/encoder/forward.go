package encoder

import "math"

// block is the number of rows that pass through the feed-forward part together.
// Their values between its two matrices fit in the cache. It is a multiple of
// rowStep.
const block = 8 * rowStep

// masked is the attention score of a position behind the end of the text.
const masked = -1e30

// SecondText is added to the ids of tokens that belong to the second of two texts.
const SecondText = 1 << 30

// batchTokens bounds the tokens of a batch.
func (m *model) batchTokens() int { return max(maxTokens, m.MaxTokens) }

// headPanels returns the number of panels of a head.
func (m *model) headPanels() int { return m.Width / m.Heads / panel }

// worker computes vectors, one batch at a time. It holds about 4 MB of buffers for
// the built-in model.
type worker struct {
	m *model
	k *kernel
	// rows is the number of rows of x, qkv, and context.
	rows int
	// x is the state of the batch's tokens, one row each, text after text without
	// padding.
	x []float32
	// qkv has, for each panel of the queries, keys, and values, a row for each
	// token.
	qkv []float32
	// context is the output of the attention heads.
	context []float32
	// queries has the queries of a head that is wider than a panel, row by row.
	queries []float32
	// scores and keys are those of one head and one text: [tokens][tokens], and
	// the keys transposed in panels.
	scores, keys []float32
	// between and sum are the feed-forward part's values of a block.
	between, sum []float32
	q            quantized
}

func newWorker(m *model, k *kernel) *worker {
	const blockRows = block + rowStep
	rows, tokens := m.batchTokens()+rowStep, (m.MaxTokens+panel-1)/panel*panel
	headWidth := m.Width / m.Heads
	w := &worker{
		m: m, k: k, rows: rows,
		x:       make([]float32, rows*m.Width),
		qkv:     make([]float32, 3*rows*m.Width),
		context: make([]float32, rows*m.Width),
		scores:  make([]float32, (tokens+rowStep)*tokens),
		keys:    make([]float32, tokens*headWidth),
		between: make([]float32, blockRows*m.Inner),
		sum:     make([]float32, blockRows*m.Width),
		// A kernel may store a value in two bytes.
		q: quantized{values: make([]byte, 2*blockRows*max(m.Inner, m.Width)), scales: make([]rowScale, blockRows)},
	}
	if headWidth > panel {
		w.queries = make([]float32, (tokens+rowStep)*headWidth)
	}
	return w
}

// encode returns what pool makes of the states of texts, given as their token ids.
// Each text has 1 to MaxTokens tokens, and all together have at most batchTokens.
func (w *worker) encode(texts [][]int32, pool func(x []float32, width, n int) []float32) [][]float32 {
	rows := 0
	for _, ids := range texts {
		w.lookUp(w.x[rows*w.m.Width:], ids)
		rows += len(ids)
	}
	for i := range w.m.layers {
		w.layer(&w.m.layers[i], texts, rows)
	}
	out := make([][]float32, len(texts))
	at := 0
	for i, ids := range texts {
		out[i] = pool(w.x[at*w.m.Width:], w.m.Width, len(ids))
		at += len(ids)
	}
	return out
}

// lookUp sets the rows of x to the states of ids before the first layer.
func (w *worker) lookUp(x []float32, ids []int32) {
	for i, id := range ids {
		row := x[i*w.m.Width:][:w.m.Width]
		w.m.word(row, id&^SecondText)
		if id&SecondText != 0 && w.m.second != nil {
			for j, v := range w.m.second {
				row[j] += v
			}
		}
	}
	w.addNorm(x, w.m.places, w.m.start, len(ids))
}

// addNorm is that of the kernel for models that it fits.
func (w *worker) addNorm(x, y []float32, n norm, rows int) {
	if w.m.Width == hidden && w.m.Epsilon == epsilon {
		w.k.addNorm(x, y, n, rows)
	} else {
		addNorm(x, y, n, rows, w.m.Epsilon)
	}
}

// layer passes the first rows of x through a layer.
func (w *worker) layer(l *layer, texts [][]int32, rows int) {
	width := w.m.Width
	for at := 0; at < rows; at += block {
		w.linear(w.qkv[at*panel:], panel, w.rows*panel, &l.qkv, w.x[at*width:], min(block, rows-at))
	}
	at := 0
	for _, ids := range texts {
		for head := range w.m.Heads {
			w.attend(head, at, len(ids))
		}
		at += len(ids)
	}
	for at := 0; at < rows; at += block {
		n := min(block, rows-at)
		x := w.x[at*width:]
		w.linear(w.sum, width, panel, &l.attended, w.context[at*width:], n)
		w.addNorm(x, w.sum, l.afterAttention, n)
		w.linear(w.between, w.m.Inner, panel, &l.up, x, n)
		w.k.gelu(w.between[:n*w.m.Inner])
		w.linear(w.sum, width, panel, &l.down, w.between, n)
		w.addNorm(x, w.sum, l.afterUp, n)
	}
}

// linear sets out to W x + b. Output n of row r goes to
// out[n/panel*stride + r*width + n%panel].
func (w *worker) linear(out []float32, width, stride int, l *linear, x []float32, rows int) {
	if l.exact == nil {
		w.k.quantize(w.q, x, l.inputs, rows)
		w.k.multiply(out, width, stride, l, w.q, rows)
		return
	}
	for p := range l.out / panel {
		to, biases := out[p*stride:], l.columns[(3*p+2)*panel:][:panel]
		w.k.product(to, width, x, l.in, l.exact[p*panel*l.in:], l.in, rows)
		for r := range rows {
			row := to[r*width:][:panel]
			for i, b := range biases {
				row[i] += b
			}
		}
	}
}

// attend computes one head of the text of n tokens that begins at row at. The
// kernels may write into rows behind the text. Those belong to a later text or
// to none.
func (w *worker) attend(head, at, n int) {
	panels, hidden := w.m.headPanels(), w.m.Width
	headWidth := panels * panel
	part := func(i, p int) []float32 { return w.qkv[(((i*w.m.Heads+head)*panels+p)*w.rows+at)*panel:] }
	query := part(0, 0)
	if panels > 1 {
		query = w.queries
		for p := range panels {
			from := part(0, p)
			for t := range n {
				copy(query[t*headWidth+p*panel:][:panel], from[t*panel:])
			}
		}
	}
	width := (n + panel - 1) / panel * panel
	for p := range panels {
		key := part(1, p)
		for t := range n {
			row := (*[panel]float32)(key[t*panel:])
			column := w.keys[(t/panel*headWidth+p*panel)*panel+t%panel:]
			_ = column[(panel-1)*panel]
			for i := range panel {
				column[i*panel] = row[i]
			}
		}
	}
	for p := 0; p < width; p += panel {
		w.k.product(w.scores[p:], width, query, headWidth, w.keys[p*headWidth:], headWidth, n)
	}
	for t := range n {
		row := w.scores[t*width:][:width]
		for i := n; i < width; i++ {
			row[i] = masked
		}
	}
	w.k.softmax(w.scores, width, n)
	for p := range panels {
		w.k.product(w.context[at*hidden+head*headWidth+p*panel:], hidden, w.scores, width, part(2, p), (n+3)/4*4, n)
	}
}

// mean returns the mean of the first n rows of x, scaled to length 1.
func mean(x []float32, width, n int) []float32 {
	v := make([]float32, width)
	for r := range n {
		for i, value := range x[r*width:][:width] {
			v[i] += value
		}
	}
	return scaled(v)
}

// first returns the first row of x.
func first(x []float32, width, _ int) []float32 {
	return append([]float32(nil), x[:width]...)
}

// firstScaled returns the first row of x, scaled to length 1.
func firstScaled(x []float32, width, n int) []float32 { return scaled(first(x, width, n)) }

// scaled scales v to length 1.
func scaled(v []float32) []float32 {
	var square float64
	for _, value := range v {
		square += float64(value) * float64(value)
	}
	if square > 0 {
		by := float32(1 / math.Sqrt(square))
		for i := range v {
			v[i] *= by
		}
	}
	return v
}
