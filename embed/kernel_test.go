package embed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func randomIDs(r *rand.Rand, n, below int) []uint16 {
	ids := make([]uint16, n)
	for i := range ids {
		ids[i] = uint16(r.IntN(below))
	}
	return ids
}

// The assembly and the plain kernels give identical results.
func TestKernelsAgree(t *testing.T) {
	t.Parallel()
	if !useAVX2 {
		t.Skip("no AVX2 on this machine: there is one kernel only")
	}
	tab, err := newTable(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 7, 64, 1000} {
		ids := append(randomIDs(r, n, tab.n), 0, uint16(tab.n-1))
		var fast, plain [dimensions]float32
		tab.sum(&fast, ids)
		tab.sumGeneric(&plain, ids)
		if fast != plain {
			t.Fatalf("sum of %d rows differs", len(ids))
		}
		a, b := make([]int32, len(ids)), make([]int32, len(ids))
		for _, q := range []uint16{0, ids[0], uint16(tab.n - 1)} {
			tab.dots(a, q, ids)
			tab.dotsGeneric(b, q, ids)
			if !slices.Equal(a, b) {
				t.Fatalf("dots with row %d differ", q)
			}
		}
		if x, y := tab.square(ids[0]), squareGeneric(tab.row(ids[0])); x != y {
			t.Fatalf("square of row %d is %d, plain %d", ids[0], x, y)
		}
		if x, y := dot(fast[:], plain[:]), dotGeneric(fast[:], plain[:]); x != y {
			t.Fatalf("dot is %g, plain %g", x, y)
		}
		s := r.Float32()
		scale(&fast, s)
		scaleGeneric(plain[:], s)
		if fast != plain {
			t.Fatal("scale differs")
		}
	}
}

func TestDot(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 31, 32, 33, 256, 257, 1536} {
		a, b, want := make([]float32, n), make([]float32, n), 0.0
		for i := range a {
			a[i], b[i] = r.Float32()-.5, r.Float32()-.5
			want += float64(a[i]) * float64(b[i])
		}
		if got := float64(Dot(a, b)); math.Abs(got-want) > 1e-4 {
			t.Errorf("%d elements: %g, want %g", n, got, want)
		}
	}
}

func TestSimilarities(t *testing.T) {
	t.Parallel()
	s := newTestStatic(t)
	r := rand.New(rand.NewPCG(5, 6))
	q, ids := s.Tokenize("password")[0], randomIDs(r, 3*similarityBatch+5, s.Tokens())
	got := make([]float32, len(ids))
	s.Similarities(got, q, ids)
	a, b := make([]float32, dimensions), make([]float32, dimensions)
	s.Mean(a, []uint16{q})
	for i, id := range ids {
		s.Mean(b, []uint16{id})
		if want := Dot(a, b); math.Abs(float64(got[i]-want)) > 1e-5 {
			t.Fatalf("token %q: %g, want %g", s.Token(id), got[i], want)
		}
	}
	if x := s.Similarity(q, q); math.Abs(float64(x)-1) > 1e-6 {
		t.Errorf("a token is %g like itself", x)
	}
	zero, near, far := s.Similarity(q, 0), s.Similarity(q, s.Tokenize("passwords")[0]), s.Similarity(q, s.Tokenize("banana")[0])
	if near < far+.2 || zero != zero {
		t.Errorf("password: passwords %g, banana %g, padding %g", near, far, zero)
	}
}

func TestUnknownIDsPanic(t *testing.T) {
	t.Parallel()
	s := newTestStatic(t)
	for name, call := range map[string]func(){
		"Mean":         func() { s.Mean(make([]float32, dimensions), []uint16{5, math.MaxUint16}) },
		"Similarities": func() { s.Similarities(make([]float32, 1), 5, []uint16{uint16(s.Tokens())}) },
		"query":        func() { s.Similarities(make([]float32, 1), math.MaxUint16, []uint16{5}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
	if s.Token(math.MaxUint16) != "" {
		t.Error("a token that is none has a text")
	}
}

func TestAddRows(t *testing.T) {
	s := newTestStatic(t)
	weights := make([]float32, s.Tokens())
	ids := []uint16{5000, 7, 5000, 30000}
	for _, id := range ids {
		weights[id] = float32(id%5) + 0.5
	}
	got := make([]float32, s.Dimensions())
	got[0] = 3
	s.AddRows(got, ids, weights)
	want := make([]float32, s.Dimensions())
	want[0] = 3
	for _, id := range ids {
		row := s.table.row(id)
		for i := range want {
			want[i] += weights[id] * float32(int8(row[i]))
		}
	}
	for i := range want {
		if diff := got[i] - want[i]; diff > 1e-2 || diff < -1e-2 {
			t.Fatalf("component %d is %v, want %v", i, got[i], want[i])
		}
	}
	one := make([]float32, s.Dimensions())
	weights[7] = s.InverseLength(7)
	s.AddRows(one, []uint16{7}, weights)
	if length := Dot(one, one); length < 0.999 || length > 1.001 {
		t.Errorf("a row times its inverse length has length² %v", length)
	}
}
