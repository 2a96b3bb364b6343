package encoder

import "math"

const (
	// batchTokens bounds the tokens of a batch. It is at least maxTokens.
	batchTokens = 256
	// block is the number of rows that pass through the feed-forward part together.
	// Their values between its two matrices fit in the cache. It is a multiple of
	// rowStep.
	block = 8 * rowStep
	// bufferRows is the number of rows of a worker's buffers.
	bufferRows = batchTokens + rowStep
)

// masked is the attention score of a position behind the end of the text.
const masked = -1e30

// worker computes vectors, one batch at a time. It holds about 4 MB of buffers.
type worker struct {
	m *model
	k *kernel
	// x is the state of the batch's tokens, one row each, text after text without
	// padding.
	x []float32
	// qkv has, for each head of the queries, keys, and values, a row of headWidth
	// for each token.
	qkv []float32
	// context is the output of the attention heads.
	context []float32
	// scores and keys are those of one head and one text: [tokens][tokens], and
	// the keys transposed in panels.
	scores, keys []float32
	// between and sum are the feed-forward part's values of a block.
	between, sum []float32
	q            quantized
}

func newWorker(m *model, k *kernel) *worker {
	const blockRows = block + rowStep
	return &worker{
		m: m, k: k,
		x:       make([]float32, bufferRows*hidden),
		qkv:     make([]float32, 3*heads*bufferRows*headWidth),
		context: make([]float32, bufferRows*hidden),
		scores:  make([]float32, (maxTokens+rowStep)*maxTokens),
		keys:    make([]float32, maxTokens*headWidth),
		between: make([]float32, blockRows*wide),
		sum:     make([]float32, blockRows*hidden),
		// A kernel may store a value in two bytes.
		q: quantized{values: make([]byte, 2*blockRows*wide), scales: make([]rowScale, blockRows)},
	}
}

// encode returns the vectors of texts, given as their token ids. Each text has 1
// to maxTokens tokens, and all together have at most batchTokens.
func (w *worker) encode(texts [][]int32) [][]float32 {
	rows := 0
	for _, ids := range texts {
		w.lookUp(w.x[rows*hidden:], ids)
		rows += len(ids)
	}
	for i := range w.m.layers {
		w.layer(&w.m.layers[i], texts, rows)
	}
	out := make([][]float32, len(texts))
	at := 0
	for i, ids := range texts {
		out[i] = mean(w.x[at*hidden:], len(ids))
		at += len(ids)
	}
	return out
}

// lookUp sets the rows of x to the states of ids before the first layer.
func (w *worker) lookUp(x []float32, ids []int32) {
	for i, id := range ids {
		w.m.word(x[i*hidden:][:hidden], id)
	}
	w.k.addNorm(x, w.m.places, w.m.start, len(ids))
}

// layer passes the first rows of x through a layer.
func (w *worker) layer(l *layer, texts [][]int32, rows int) {
	for at := 0; at < rows; at += block {
		n := min(block, rows-at)
		w.k.quantize(w.q, w.x[at*hidden:], l.qkv.inputs, n)
		w.k.multiply(w.qkv[at*headWidth:], headWidth, bufferRows*headWidth, &l.qkv, w.q, n)
	}
	at := 0
	for _, ids := range texts {
		for head := range heads {
			w.attend(head, at, len(ids))
		}
		at += len(ids)
	}
	for at := 0; at < rows; at += block {
		n := min(block, rows-at)
		x := w.x[at*hidden:]
		w.linear(w.sum, &l.attended, w.context[at*hidden:], n)
		w.k.addNorm(x, w.sum, l.afterAttention, n)
		w.linear(w.between, &l.up, x, n)
		w.k.gelu(w.between[:n*wide])
		w.linear(w.sum, &l.down, w.between, n)
		w.k.addNorm(x, w.sum, l.afterUp, n)
	}
}

// linear sets out to W x + b, row by row.
func (w *worker) linear(out []float32, l *linear, x []float32, rows int) {
	w.k.quantize(w.q, x, l.inputs, rows)
	w.k.multiply(out, l.out, panel, l, w.q, rows)
}

// attend computes one head of the text of n tokens that begins at row at. The
// kernels may write into rows behind the text. Those belong to a later text or
// to none.
func (w *worker) attend(head, at, n int) {
	part := func(i int) []float32 { return w.qkv[((i*heads+head)*bufferRows+at)*headWidth:] }
	query, key, value := part(0), part(1), part(2)
	width := (n + panel - 1) / panel * panel
	for t := range n {
		row := (*[headWidth]float32)(key[t*headWidth:])
		column := w.keys[t/panel*headWidth*panel+t%panel:]
		_ = column[(headWidth-1)*panel]
		for i := range headWidth {
			column[i*panel] = row[i]
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
	w.k.product(w.context[at*hidden+head*headWidth:], hidden, w.scores, width, value, (n+3)/4*4, n)
}

// mean returns the mean of the first n rows of x, scaled to length 1.
func mean(x []float32, n int) []float32 {
	v := make([]float32, hidden)
	for r := range n {
		for i, value := range x[r*hidden:][:hidden] {
			v[i] += value
		}
	}
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
