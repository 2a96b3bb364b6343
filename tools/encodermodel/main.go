// Command encodermodel quantizes the weights of all-MiniLM-L6-v2 and writes the
// model file that package embed/encoder embeds.
//
//	go run ./tools/encodermodel minilm-l6-bf16.bin embed/encoder/model docs/*.md
//
// The last arguments are texts, whose activations choose the scales.
//
// The input holds the matrices as bfloat16: the bytes DENC, a uint32, as many
// bytes of JSON with the list of tensors, and their data. The folder has the
// vocabulary. Its README.md describes the output.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"

	"docent/embed"
)

// The sizes of the model.
const (
	vocabulary = 30522
	hidden     = 384
	heads      = 12
	layers     = 6
	wide       = 1536
	positions  = 256
)

// calibrationTokens bounds the tokens that are used of each text.
const calibrationTokens = 400

func main() {
	log.SetFlags(0)
	if len(os.Args) < 4 {
		log.Fatal("usage: encodermodel WEIGHTS FOLDER TEXT...")
	}
	if err := convert(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		log.Fatal(err)
	}
}

func convert(from, folder string, texts []string) error {
	file, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	w, err := parse(file)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	t := w.transformer()
	if w.err != nil {
		return fmt.Errorf("%s: %w", from, w.err)
	}
	packed, err := os.ReadFile(filepath.Join(folder, "vocab.txt.gz"))
	if err != nil {
		return err
	}
	pieces, err := embed.NewWordPiece(string(packed))
	if err != nil {
		return err
	}
	for _, name := range texts {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		calibrate(t, pieces.Append(nil, string(text)))
	}
	return os.WriteFile(filepath.Join(folder, "minilm-l6-int8.bin"), write(t), 0o644)
}

// calibrate runs samples of a text's tokens, of different lengths.
func calibrate(t *transformer, ids []uint16) {
	const first, last = 101, 102 // [CLS] and [SEP]
	n := 1
	for ids = ids[:min(len(ids), calibrationTokens)]; len(ids) > 0; n = n%120 + 13 {
		part := ids[:min(n, len(ids))]
		ids = ids[len(part):]
		t.run(slices.Concat([]uint16{first}, part, []uint16{last}))
	}
}

// tensor is an entry of the input's list.
type tensor struct {
	Name   string `json:"name"`
	Shape  []int  `json:"shape"`
	Type   string `json:"dtype"`
	Offset int    `json:"offset"`
	Bytes  int    `json:"bytes"`
}

// weights reads tensors by name. The first failure stays in err.
type weights struct {
	tensors map[string]tensor
	data    []byte
	err     error
}

func parse(file []byte) (*weights, error) {
	if len(file) < 8 || string(file[:4]) != "DENC" {
		return nil, fmt.Errorf("no DENC header")
	}
	n := int(binary.LittleEndian.Uint32(file[4:]))
	if n > len(file)-8 {
		return nil, fmt.Errorf("the list of tensors is cut off")
	}
	var list struct {
		Tensors []tensor `json:"tensors"`
	}
	if err := json.Unmarshal(file[8:8+n], &list); err != nil {
		return nil, fmt.Errorf("list of tensors: %w", err)
	}
	w := &weights{tensors: map[string]tensor{}, data: file[8+n:]}
	for _, t := range list.Tensors {
		w.tensors[t.Name] = t
	}
	return w, nil
}

// get returns the first n numbers of a tensor.
func (w *weights) get(name string, n int) []float32 {
	out := make([]float32, n)
	t, ok := w.tensors[name]
	size := map[string]int{"bf16": 2, "f32": 4}[t.Type]
	if !ok || size == 0 || t.Bytes < n*size || t.Offset < 0 || t.Offset+t.Bytes > len(w.data) {
		w.err = fmt.Errorf("tensor %s: missing or too short", name)
		return out
	}
	raw := w.data[t.Offset:]
	for i := range out {
		if size == 2 {
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw[2*i:])) << 16)
		} else {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	}
	return out
}

// transformer returns the model in float32.
func (w *weights) transformer() *transformer {
	t := &transformer{
		words:  w.get("embeddings.word_embeddings.weight", vocabulary*hidden),
		places: w.get("embeddings.position_embeddings.weight", positions*hidden),
		start:  w.norm("embeddings.LayerNorm"),
	}
	for i, x := range w.get("embeddings.token_type_embeddings.weight", hidden) {
		for p := range positions {
			t.places[p*hidden+i] += x
		}
	}
	for i := range layers {
		name := fmt.Sprintf("encoder.layer.%d.", i)
		var rows, bias []float32
		for _, part := range []string{"query", "key", "value"} {
			m := w.get(name+"attention.self."+part+".weight", hidden*hidden)
			b := w.get(name+"attention.self."+part+".bias", hidden)
			if part == "query" { // the scores are divided by the root of a head's width
				scale(m, float32(1/math.Sqrt(hidden/heads)))
				scale(b, float32(1/math.Sqrt(hidden/heads)))
			}
			rows, bias = append(rows, m...), append(bias, b...)
		}
		t.layers = append(t.layers, layer{
			qkv:            newMatrix(rows, bias),
			attended:       w.matrix(name+"attention.output.dense", hidden, hidden),
			afterAttention: w.norm(name + "attention.output.LayerNorm"),
			up:             w.matrix(name+"intermediate.dense", hidden, wide),
			down:           w.matrix(name+"output.dense", wide, hidden),
			afterUp:        w.norm(name + "output.LayerNorm"),
		})
	}
	return t
}

func (w *weights) matrix(name string, inputs, outputs int) *matrix {
	return newMatrix(w.get(name+".weight", inputs*outputs), w.get(name+".bias", outputs))
}

func (w *weights) norm(name string) norm {
	return norm{w.get(name+".weight", hidden), w.get(name+".bias", hidden)}
}

// scale multiplies v in place.
func scale(v []float32, by float32) {
	for i := range v {
		v[i] *= by
	}
}
