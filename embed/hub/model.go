package hub

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"docent/embed/encoder"
)

// Model is an open model. It is safe for concurrent use.
type Model struct {
	*description
	encoder *encoder.Encoder
	// pooled and scored are the layers of a cross-encoder behind the last one.
	pooled, scored head
}

// Config has the settings of a model.
type Config struct {
	encoder.Config
	// Exact keeps the weights in float32, as [encoder.Weights.Exact]. It is for tests.
	// Default: false.
	Exact bool
}

// open opens the model in a folder. name identifies its vectors.
func open(folder, name string, cfg Config) (*Model, error) {
	d, err := describe(folder, name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(folder, weightsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New("there is no model.safetensors: docent reads no other format of weights")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	t, err := readTensors(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", weightsFile, err)
	}
	m := &Model{description: d}
	if err := m.read(t, name, cfg); err != nil {
		return nil, fmt.Errorf("%s: %w", weightsFile, err)
	}
	return m, nil
}

// read reads the weights.
func (m *Model) read(t *tensors, name string, cfg Config) error {
	prefix, ok := "", false
	for _, p := range []string{"", "bert.", "roberta."} {
		if t.rows(p+wordTable) > 0 {
			prefix, ok = p, true
		}
	}
	if !ok {
		return fmt.Errorf("the weights have no tensor %s", wordTable)
	}
	r := reader{tensors: t, prefix: prefix, description: m.description}
	w, err := r.weights(cfg.Exact)
	if err != nil {
		return err
	}
	w.Name = name
	if m.encoder, err = encoder.NewFrom(w, cfg.Config); err != nil {
		return err
	}
	if m.kind == Encoder {
		return nil
	}
	dense, out := prefix+"pooler.dense.", "classifier."
	if m.roberta {
		dense, out = "classifier.dense.", "classifier.out_proj."
	}
	if m.pooled, err = r.head(dense, m.shape.Width); err != nil {
		return err
	}
	m.scored, err = r.head(out, m.classes)
	return err
}

const wordTable = "embeddings.word_embeddings.weight"

// reader reads the parts of a model.
type reader struct {
	*tensors
	*description
	prefix string
}

func (r *reader) weights(exact bool) (encoder.Weights, error) {
	s := r.shape
	places, err := r.part(r.prefix+"embeddings.position_embeddings.weight", r.skipped, s.MaxTokens, r.positioned, s.Width)
	if err != nil {
		return encoder.Weights{}, err
	}
	types, err := r.floats(r.prefix+"embeddings.token_type_embeddings.weight", r.types, s.Width)
	if err != nil {
		return encoder.Weights{}, err
	}
	for i := range places {
		places[i] += types[i%s.Width]
	}
	w := encoder.Weights{
		Shape: s, Places: places, Layers: r.layers, Layer: r.layer, PoolFirst: r.poolFirst, Exact: exact,
		Tokens: func(text string) []int32 { return r.tokenizer.text(text, s.MaxTokens) },
	}
	if r.types > 1 {
		w.Second = make([]float32, s.Width)
		for i := range w.Second {
			w.Second[i] = types[s.Width+i] - types[i]
		}
	}
	if w.Start, err = r.norm("embeddings.LayerNorm."); err != nil {
		return w, err
	}
	w.Word, err = r.wordRows(exact)
	return w, err
}

// wordRows reads the table of words. It returns the function that sets row to the row
// of a token.
func (r *reader) wordRows(exact bool) (func(row []float32, id int32), error) {
	const step = 1024
	width := r.shape.Width
	if _, err := r.part(r.prefix+wordTable, 0, 0, r.words, width); err != nil {
		return nil, err // before memory is reserved
	}
	var all []float32
	values, scales := make([]int8, 0, r.words*width), make([]float32, r.words)
	for from := 0; from < r.words; from += step {
		part, err := r.part(r.prefix+wordTable, from, min(step, r.words-from), r.words, width)
		if err != nil {
			return nil, err
		}
		if exact {
			all = append(all, part...)
			continue
		}
		for i := 0; i < len(part); i += width {
			row := part[i:][:width]
			var most float32
			for _, v := range row {
				most = max(most, v, -v)
			}
			scale := max(most/127, 1e-20)
			scales[from+i/width] = scale
			for _, v := range row {
				values = append(values, int8(math.RoundToEven(float64(v/scale))))
			}
		}
	}
	if exact {
		return func(row []float32, id int32) { copy(row, all[int(id)*width:][:width]) }, nil
	}
	return func(row []float32, id int32) {
		scale := scales[id]
		for i, v := range values[int(id)*width:][:width] {
			row[i] = float32(v) * scale
		}
	}, nil
}

func (r *reader) norm(name string) (n encoder.Norm, err error) {
	if n.Gain, err = r.floats(r.prefix+name+"weight", r.shape.Width); err != nil {
		return n, err
	}
	n.Bias, err = r.floats(r.prefix+name+"bias", r.shape.Width)
	return n, err
}

// layer reads a layer.
func (r *reader) layer(i int) (encoder.Layer, error) {
	var l encoder.Layer
	at, width, inner := "encoder.layer."+strconv.Itoa(i)+".", r.shape.Width, r.shape.Inner
	for _, part := range []struct {
		to      *encoder.Matrix
		name    string
		in, out int
	}{
		{&l.Query, "attention.self.query.", width, width},
		{&l.Key, "attention.self.key.", width, width},
		{&l.Value, "attention.self.value.", width, width},
		{&l.Attended, "attention.output.dense.", width, width},
		{&l.Up, "intermediate.dense.", width, inner},
		{&l.Down, "output.dense.", inner, width},
	} {
		h, err := r.matrix(r.prefix+at+part.name, part.in, part.out)
		if err != nil {
			return l, err
		}
		*part.to = h
	}
	var err error
	if l.AfterAttention, err = r.norm(at + "attention.output.LayerNorm."); err != nil {
		return l, err
	}
	l.AfterUp, err = r.norm(at + "output.LayerNorm.")
	return l, err
}

func (r *reader) matrix(name string, in, out int) (m encoder.Matrix, err error) {
	if m.Weights, err = r.floats(name+"weight", out, in); err != nil {
		return m, err
	}
	m.Bias, err = r.floats(name+"bias", out)
	return m, err
}

// head is a matrix behind the last layer.
type head struct{ encoder.Matrix }

func (r *reader) head(name string, out int) (head, error) {
	m, err := r.matrix(name, r.shape.Width, out)
	return head{m}, err
}

// apply returns W x + b.
func (h head) apply(x []float32) []float32 {
	out := make([]float32, len(h.Bias))
	for i := range out {
		sum := h.Bias[i]
		for j, w := range h.Weights[i*len(x):][:len(x)] {
			sum += w * x[j]
		}
		out[i] = sum
	}
	return out
}

// vectors returns the vectors of texts with a prefix. A blank text has the zero vector.
func (m *Model) vectors(ctx context.Context, prefix string, texts []string) ([][]float32, error) {
	prefixed := make([]string, len(texts))
	for i, text := range texts {
		prefixed[i] = prefix + text
	}
	out, err := m.encoder.EmbedDocuments(ctx, prefixed)
	if err != nil {
		return nil, err
	}
	for i, v := range out {
		if strings.TrimSpace(texts[i]) == "" {
			clear(v)
		}
		if len(v) > 0 && math.IsNaN(float64(v[0])) {
			return nil, errors.New("the model computes values that are no numbers")
		}
	}
	return out, nil
}

// scores returns the scores of passages for a question.
func (m *Model) scores(ctx context.Context, question string, passages []string) ([]float64, error) {
	questions := make([]string, len(passages))
	for i := range questions {
		questions[i] = question
	}
	logits, err := m.logits(ctx, questions, passages)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(logits))
	for i, l := range logits {
		out[i] = l[0]
	}
	return out, nil
}

// logits returns the results of a cross-encoder for pairs of texts, one for each class.
func (m *Model) logits(ctx context.Context, first, second []string) ([][]float64, error) {
	pairs := make([][]int32, len(first))
	for i := range pairs {
		pairs[i] = m.tokenizer.pair(first[i], second[i], m.shape.MaxTokens)
	}
	states, err := m.encoder.FirstStates(ctx, pairs)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(states))
	for i, x := range states {
		pooled := m.pooled.apply(x)
		for j, v := range pooled {
			pooled[j] = float32(math.Tanh(float64(v)))
		}
		for _, v := range m.scored.apply(pooled) {
			if out[i] = append(out[i], float64(v)); math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return nil, errors.New("the model computes values that are no numbers")
			}
		}
	}
	return out, nil
}

// judge returns the probabilities that a passage entails or contradicts a statement.
func (m *Model) judge(ctx context.Context, passages, statements []string) (entailed, contradicted []float64, err error) {
	logits, err := m.logits(ctx, passages, statements)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range logits {
		p := softmax(l)
		entailed, contradicted = append(entailed, p[m.entailed]), append(contradicted, p[m.contradicted])
	}
	return entailed, contradicted, nil
}

// softmax turns logits into probabilities.
func softmax(logits []float64) []float64 {
	out, sum := make([]float64, len(logits)), 0.
	most := slices.Max(logits)
	for i, v := range logits {
		out[i] = math.Exp(v - most)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}
