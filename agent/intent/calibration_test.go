package intent

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// message is a line of testdata/messages.tsv.
type message struct {
	id           int
	intent, text string
}

// labeled returns the intents and the messages of testdata/messages.tsv. Messages without an
// intent have the intent "none".
func labeled(t testing.TB) ([]*Intent, []message) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "messages.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.Comment, r.LazyQuotes = '\t', '#', true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var intents []*Intent
	byName := map[string]*Intent{}
	var messages []message
	for _, row := range rows[1:] {
		id, err := strconv.Atoi(row[0])
		if err != nil {
			t.Fatal(err)
		}
		if row[1] == "message" {
			messages = append(messages, message{id, row[2], row[3]})
			continue
		}
		i := byName[row[2]]
		if i == nil {
			i = New(row[2])
			byName[row[2]] = i
			intents = append(intents, i)
		}
		i.Sentences = append(i.Sentences, row[3])
	}
	city := Listed("city", Value{"Paris", []string{"city of light"}}, Value{"London", nil}, Value{"Berlin", nil}, Value{"Rome", nil}, Value{"Luxembourg", nil})
	byName["weather"].Parameter("city", "CITY", city).Parameter("when", "DATE", DateTime())
	byName["book_table"].Parameter("people", "N", Number()).Parameter("when", "DATE", DateTime())
	byName["order_status"].Parameter("order", "NUMBER", Number())
	byName["cancel_order"].Parameter("order", "NUMBER", Number())
	byName["opening_hours"].Parameter("when", "DATE", DateTime())
	byName["price"].Parameter("item", "ITEM", Any())
	if err := Validate(intents...); err != nil {
		t.Fatal(err)
	}
	return intents, messages
}

// wednesday is the current time of the tests: 2026-11-18 10:30 in Madrid.
func wednesday(t testing.TB) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	return time.Date(2026, 11, 18, 10, 30, 0, 0, zone)
}

func newExamples(t testing.TB, cfg ExamplesConfig) *Examples {
	t.Helper()
	c, err := NewExamples(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// outcome counts the results of classifying messages.
type outcome struct {
	inside, right, wrong int // messages with an intent; classified correctly and wrongly
	nearest              int // with the correct nearest intent, regardless of the score
	outside, turnedAway  int
	positives, negatives []float64 // scores of correct intents and of messages without one
}

func (o *outcome) String() string {
	return fmt.Sprintf("%d with an intent: nearest right %.1f%%, taken right %.1f%%, taken wrong %.1f%%; %d without: turned away %.1f%%; AUC %.3f",
		o.inside, percent(o.nearest, o.inside), percent(o.right, o.inside), percent(o.wrong, o.inside),
		o.outside, percent(o.turnedAway, o.outside), area(o.positives, o.negatives))
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// area is the probability that a message with its correct intent has a higher
// score than a message without an intent.
func area(positives, negatives []float64) float64 {
	above := 0.
	for _, p := range positives {
		for _, n := range negatives {
			if p > n {
				above++
			} else if p == n {
				above += .5
			}
		}
	}
	return above / float64(max(len(positives)*len(negatives), 1))
}

// measure classifies the messages whose id modulo 2 is the given remainder.
// Messages of other intents than the given ones count as messages without an
// intent.
func measure(t *testing.T, c *Examples, intents []*Intent, messages []message, parity int) *outcome {
	t.Helper()
	known := map[string]bool{}
	for _, i := range intents {
		known[i.Name] = true
	}
	o := &outcome{}
	for _, m := range messages {
		if m.id%2 != parity {
			continue
		}
		req := Request{Text: m.text, Intents: intents, Now: wednesday(t)}
		best := candidate{intent: -1}
		for _, x := range c.set(req).candidates(newMatcher(req)) {
			if x.score > best.score {
				best = x
			}
		}
		got := Fallback
		if best.intent >= 0 {
			got = intents[best.intent].Name
		}
		taken := best.score >= DefaultThreshold
		if !known[m.intent] {
			o.outside++
			o.negatives = append(o.negatives, best.score)
			if !taken {
				o.turnedAway++
			} else if testing.Verbose() && parity == 1 {
				t.Logf("%.2f %s <- %q", best.score, got, m.text)
			}
			continue
		}
		o.inside++
		if got == m.intent {
			o.nearest++
			o.positives = append(o.positives, best.score)
		}
		if taken && got == m.intent {
			o.right++
		} else if testing.Verbose() && parity == 1 {
			t.Logf("%.2f %s for %s <- %q", best.score, got, m.intent, m.text)
		}
		if taken && got != m.intent {
			o.wrong++
		}
	}
	return o
}

func TestExamplesAreGood(t *testing.T) {
	t.Parallel()
	intents, messages := labeled(t)
	c := newExamples(t, ExamplesConfig{})
	var b strings.Builder
	for _, set := range []struct {
		name    string
		intents []*Intent
	}{{"all intents", intents}, {"five intents", intents[:5]}, {"one intent", intents[:1]}, {"weather only", intents[5:6]}} {
		for parity, half := range []string{"even ids, reported", "odd ids, fitted on"} {
			fmt.Fprintf(&b, "%s, %s: %s\n", set.name, half, measure(t, c, set.intents, messages, parity))
		}
	}
	golden(t, "examples", b.String())
}

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not as in %s; if it should be, run the test with -update:\n%s", name, path, got)
	}
}

// TestCalibration fits the weights again, by logistic regression with Newton's
// method. It predicts "this is the intent" from the features of the nearest example
// of the correct intent and of the best wrong one. It uses the messages with odd
// ids.
func TestCalibration(t *testing.T) {
	t.Parallel()
	intents, messages := labeled(t)
	c := newExamples(t, ExamplesConfig{})
	fitted := [5]float64{bias, weightCosine, weightOverlap, weightCenter, weightAgainst}
	want := fitted
	for range 10 {
		fitted = fit(observe(t, c, intents, messages, fitted))
	}
	t.Logf("bias %.2f, cosine %.2f, overlap %.2f, center %.2f, against %.2f", fitted[0], fitted[1], fitted[2], fitted[3], fitted[4])
	for i := range want {
		if math.Abs(want[i]-fitted[i]) > .02 {
			t.Errorf("weights are %.2f, fitted %.2f", want, fitted)
			break
		}
	}
}

// observation has the features of an example, whether its intent is correct, and the
// weight of the observation.
type observation struct {
	x     [5]float64
	right float64
	count float64
}

// Weights of observations. A question that is mistaken for small talk is worse
// than a message that the user must rephrase.
const (
	countOutside = 2
	countWrong   = .5
)

func observe(t *testing.T, c *Examples, intents []*Intent, messages []message, weights [5]float64) []observation {
	t.Helper()
	var out []observation
	for _, m := range messages {
		if m.id%2 == 0 {
			continue
		}
		req := Request{Text: m.text, Intents: intents, Now: wednesday(t)}
		set := c.set(req)
		cmp := comparison{set: set, alike: map[uint16][]float32{}, variants: map[string]*variant{}}
		v := cmp.variant(m.text)
		best, wrong := math.Inf(-1), math.Inf(-1)
		var right, other [5]float64
		for i := range set.examples {
			e := &set.examples[i]
			x := featuresOf(set, v, e)
			score := dot(weights, x)
			if intents[e.intent].Name == m.intent {
				if score > best {
					best, right = score, x
				}
			} else if score > wrong {
				wrong, other = score, x
			}
		}
		if m.intent == "none" {
			out = append(out, observation{other, 0, countOutside})
			continue
		}
		out = append(out, observation{right, 1, 1}, observation{other, 0, countWrong})
	}
	return out
}

func featuresOf(set *exampleSet, v *variant, e *example) [5]float64 {
	s := v.features(set, e)
	x := [5]float64{1, s.cosine, s.overlap, s.center, 0}
	if s.against {
		x[4] = 1
	}
	return x
}

func dot(a, b [5]float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// fit is regularised logistic regression.
func fit(observations []observation) (w [5]float64) {
	total := 0.
	for _, o := range observations {
		total += o.count
	}
	for range 100 {
		var g [5]float64
		var h [5][6]float64
		for _, o := range observations {
			q := 1 / (1 + math.Exp(-dot(w, o.x)))
			for i := range g {
				g[i] += o.count * (q - o.right) * o.x[i] / total
				for j := range g {
					h[i][j] += o.count * q * (1 - q) * o.x[i] * o.x[j] / total
				}
			}
		}
		for i := range g {
			if i > 0 {
				g[i] += 2e-3 * w[i]
				h[i][i] += 2e-3
			}
			h[i][5] = g[i]
		}
		step := solve(h)
		size := 0.
		for _, s := range step {
			size = max(size, math.Abs(s))
		}
		for i := range w {
			w[i] -= step[i] * min(1, 3/size)
		}
		if size < 1e-9 {
			break
		}
	}
	return w
}

// solve does Gaussian elimination.
func solve(a [5][6]float64) (x [5]float64) {
	for i := range a {
		for j := i + 1; j < 5; j++ {
			f := a[j][i] / a[i][i]
			for k := i; k < 6; k++ {
				a[j][k] -= f * a[i][k]
			}
		}
	}
	for i := 4; i >= 0; i-- {
		x[i] = a[i][5]
		for j := i + 1; j < 5; j++ {
			x[i] -= a[i][j] * x[j]
		}
		x[i] /= a[i][i]
	}
	return x
}

func BenchmarkExamples(b *testing.B) {
	_, messages := labeled(b)
	city := Listed("city", Value{"Paris", nil}, Value{"London", nil})
	var intents []*Intent
	for n := range 50 {
		i := New(fmt.Sprint("intent", n)).Parameter("city", "CITY", city)
		for k := range 20 {
			i.Sentences = append(i.Sentences, fmt.Sprintf("%s %d CITY", messages[(20*n+k)%len(messages)].text, n))
		}
		intents = append(intents, i)
	}
	c := newExamples(b, ExamplesConfig{})
	now := wednesday(b)
	for n := 0; b.Loop(); n++ {
		if _, err := c.Classify(context.Background(), Request{Text: messages[n%len(messages)].text, Intents: intents, Now: now}); err != nil {
			b.Fatal(err)
		}
	}
}
