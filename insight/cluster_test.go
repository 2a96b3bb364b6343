package insight

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"docent/embed"
)

// labeled is a question of a set. Without a topic, it is noise.
type labeled struct{ Topic, Question string }

// load reads questions of a set of package eval.
func load(t *testing.T, set string) (out []labeled) {
	t.Helper()
	f, err := os.Open("../eval/sets/" + set + "/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l labeled
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

// noisy returns the questions of the set gaps, with noise: 600 of 2,000 are questions of other sets.
// Each of these is a topic of its own.
func noisy(t *testing.T) (out []labeled) {
	t.Helper()
	var noise []labeled
	for _, set := range []string{"gimp", "gnucash", "pgdocs", "postfix", "tables", "pgxcode"} {
		for _, l := range load(t, set) {
			noise = append(noise, labeled{fmt.Sprint("noise ", len(noise)), l.Question})
		}
	}
	topics := load(t, "gaps")
	noise = noise[:600]
	for i, l := range topics {
		out = append(out, l)
		for len(noise) > 0 && (600-len(noise))*len(topics) < (i+1)*600 {
			out, noise = append(out, noise[0]), noise[1:]
		}
	}
	return out
}

// vMeasure is the harmonic mean of homogeneity and completeness; see Rosenberg and Hirschberg (2007).
func vMeasure(truth, got []string) float64 {
	n := float64(len(truth))
	joint, classes, clusters := map[[2]string]float64{}, map[string]float64{}, map[string]float64{}
	for i := range truth {
		joint[[2]string{truth[i], got[i]}]++
		classes[truth[i]]++
		clusters[got[i]]++
	}
	entropy := func(of map[string]float64) (h float64) {
		for _, x := range of {
			h -= x / n * math.Log(x/n)
		}
		return h
	}
	var inClusters, inClasses float64
	for pair, x := range joint {
		inClusters -= x / n * math.Log(x/clusters[pair[1]])
		inClasses -= x / n * math.Log(x/classes[pair[0]])
	}
	h, c := 1-inClusters/entropy(classes), 1-inClasses/entropy(clusters)
	return 2 * h * c / (h + c)
}

// TestTopics groups 2,000 questions with the built-in embedder, one after the other.
func TestTopics(t *testing.T) {
	t.Parallel()
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	questions := noisy(t)
	set := newGroups(nil, static.Name())
	at, parent := make([]int64, len(questions)), map[int64]int64{}
	for i, q := range questions {
		v, err := static.EmbedQuery(t.Context(), q.Question)
		if err != nil {
			t.Fatal(err)
		}
		joined := set.join(Ungrouped{Question: q.Question}, v)
		if joined.Gap.ID == 0 {
			joined.Gap.ID, joined.Gap.State = int64(i+1), GapOpen
		}
		at[i] = joined.Gap.ID
		if joined.Merged != 0 {
			parent[joined.Merged] = joined.Gap.ID
		}
	}
	var truth, got, topics, ofTopics []string
	for i, q := range questions {
		for parent[at[i]] != 0 {
			at[i] = parent[at[i]]
		}
		truth, got = append(truth, q.Topic), append(got, fmt.Sprint(at[i]))
		if !strings.HasPrefix(q.Topic, "noise") {
			topics, ofTopics = append(topics, q.Topic), append(ofTopics, fmt.Sprint(at[i]))
		}
	}
	all, clean := vMeasure(truth, got), vMeasure(topics, ofTopics)
	t.Logf("V-measure %.3f, of the topics %.3f, %d gaps", all, clean, len(set.gaps))
	if len(questions) != 2000 || all < .85 || clean < .8 {
		t.Errorf("%d questions: V-measure %.3f, of the topics %.3f", len(questions), all, clean)
	}
}
