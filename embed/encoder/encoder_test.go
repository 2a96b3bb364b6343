package encoder

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"docent/embed"
	"docent/embed/embedtest"
	"docent/internal/cores"
)

// reference is a text with its token ids and its vector in float32.
type reference struct {
	Text   string
	IDs    []int32
	Vector []float32
}

// references returns the cases of testdata but two. A text without tokens has no
// vector here, and the encoder reads "[CLS]" in a text as plain characters.
func references(tb testing.TB) []reference {
	tb.Helper()
	f, err := os.Open("testdata/vectors.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []reference
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r reference
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			tb.Fatal(err)
		}
		if len(r.IDs) > 2 && !strings.Contains(r.Text, "[CLS]") {
			out = append(out, r)
		}
	}
	if len(out) != 47 {
		tb.Fatalf("%d reference cases, want 47", len(out))
	}
	return out
}

func open(tb testing.TB, k *kernel, pool *cores.Pool) *Encoder {
	tb.Helper()
	e, err := newEncoder(k, pool)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// best returns the kernel that New chooses with AllowPlain.
func best() *kernel {
	if k, ok := bestKernel(); ok {
		return k
	}
	return plain
}

// TestVectors compares vectors with those in float32. The plain kernel takes
// short texts only, because it is slow. The text "." is the only one below .997:
// a single mark gets most of its state from a few large activations, so that the
// rounding of the weights shows.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, k := range append(runnable(), plain) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			e := open(t, k, nil)
			least, sum, n := float32(1), float32(0), 0
			for _, r := range references(t) {
				if k == plain && len(r.IDs) > 9 {
					continue
				}
				v, err := e.EmbedQuery(t.Context(), r.Text)
				if err != nil {
					t.Fatal(err)
				}
				want := float32(.997)
				if r.Text == "." {
					want = .995
				}
				got := embed.Dot(v, r.Vector)
				if got < want {
					t.Errorf("%.40q: cosine %g to the reference, want %g", r.Text, got, want)
				}
				least, sum, n = min(least, got), sum+got, n+1
			}
			t.Logf("cosine to the reference: %.5f on average, at least %.5f", sum/float32(n), least)
		})
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	e := open(t, plain, nil)
	for _, r := range references(t) {
		if got := e.model.tokens(r.Text); !slices.Equal(got, r.IDs) {
			t.Errorf("%.40q: tokens %v, want %v", r.Text, got, r.IDs)
		}
	}
	if got := e.model.tokens(" \n"); !slices.Equal(got, []int32{101, 102}) {
		t.Errorf("blank text: tokens %v", got)
	}
}

// TestLongText cuts 50 MB of base64 with and without line breaks.
func TestLongText(t *testing.T) {
	t.Parallel()
	e := open(t, best(), nil)
	r := rand.New(rand.NewPCG(1, 2))
	raw := make([]byte, 40<<20)
	for i := range raw {
		raw[i] = byte(r.Uint32())
	}
	text := base64.StdEncoding.EncodeToString(raw)
	if n := len(e.model.tokens(text)); n > maxTokens {
		t.Errorf("one line: %d tokens", n)
	}
	var lines strings.Builder
	for line := range slices.Chunk([]byte(text), 76) {
		lines.Write(line)
		lines.WriteByte('\n')
	}
	if n := len(e.model.tokens(lines.String())); n != maxTokens {
		t.Errorf("lines: %d tokens, want %d", n, maxTokens)
	}
}

// FuzzTokens cuts any bytes into 2 to 256 tokens of the vocabulary.
func FuzzTokens(f *testing.F) {
	for _, seed := range []string{"", "How do I list documents?", "\xff\x00a", "漢字 kana", strings.Repeat("é", 40000)} {
		f.Add(seed)
	}
	e := open(f, plain, nil)
	f.Fuzz(func(t *testing.T, text string) {
		ids := e.model.tokens(text)
		if len(ids) < 2 || len(ids) > maxTokens || ids[0] != 101 || ids[len(ids)-1] != 102 {
			t.Errorf("%q: tokens %v", text, ids)
		}
		if slices.Max(ids) >= vocabularySize {
			t.Errorf("%q: token %d", text, slices.Max(ids))
		}
	})
}

func TestConformance(t *testing.T) {
	t.Parallel()
	embedtest.Run(t, func(t *testing.T) embed.Embedder { return open(t, best(), nil) })
}

// TestMixedLengths computes texts in batches of other texts, and each alone.
func TestMixedLengths(t *testing.T) {
	t.Parallel()
	e := open(t, best(), cores.New(1))
	var texts []string
	for i := range 40 {
		texts = append(texts, strings.Repeat("the pump has a seal ", i%9*i/4))
	}
	vectors, err := e.EmbedDocuments(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		alone, err := e.EmbedQuery(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(alone, vectors[i]) {
			t.Errorf("text %d has another vector alone", i)
		}
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	var ids [][]int32
	for i := range 50 {
		ids = append(ids, make([]int32, 2+i*37%255))
	}
	var all []int
	last := maxTokens
	for _, batch := range batchesOf(ids, maxTokens) {
		tokens := 0
		for _, text := range batch {
			tokens += len(ids[text])
			if len(ids[text]) > last {
				t.Errorf("text %d is longer than the one before", text)
			}
			last = len(ids[text])
		}
		if tokens > maxTokens {
			t.Errorf("a batch has %d tokens", tokens)
		}
		all = append(all, batch...)
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != len(ids) {
		t.Errorf("the batches have %v", all)
	}
}

// TestCancel ends a call that waits for a core between two batches.
func TestCancel(t *testing.T) {
	t.Parallel()
	pool := cores.New(1)
	if err := pool.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := open(t, best(), pool)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := e.EmbedDocuments(ctx, []string{"a pump", "a seal"})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	pool.Release()
}

func TestPanicIsAnError(t *testing.T) {
	t.Parallel()
	broken := *plain
	broken.gelu = func([]float32) { panic("broken") }
	pool := cores.New(1)
	e := open(t, &broken, pool)
	var p *embed.PanicError
	if _, err := e.EmbedDocuments(t.Context(), []string{"a pump"}); !errors.As(err, &p) {
		t.Errorf("got %v", err)
	}
	if err := pool.Acquire(t.Context()); err != nil { // the core is back
		t.Error(err)
	}
}

func TestAvailable(t *testing.T) {
	t.Parallel()
	name, ok := Available()
	e, err := New(Config{})
	if ok != (err == nil) || !ok && !errors.Is(err, ErrUnavailable) {
		t.Fatalf("available: %t, New: %v", ok, err)
	}
	if ok && e.Kernel() != name {
		t.Errorf("kernel %q, want %q", e.Kernel(), name)
	}
	if _, err := New(Config{AllowPlain: true}); err != nil {
		t.Error(err)
	}
}

func TestInvalidModel(t *testing.T) {
	t.Parallel()
	pieces, err := embed.NewWordPiece(vocabularyFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{
		"empty": "", "other": strings.Repeat("x", 100), "cut": modelFile[:len(modelFile)-1], "long": modelFile + "x",
		"version": "DMLM\x02" + modelFile[5:100],
	} {
		if _, err := newModel(file, pieces); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
