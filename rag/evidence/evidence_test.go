package evidence

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"docent/embed"
	"docent/rag/corpus"
	"docent/rag/text"
)

// minEvidence is the default threshold of package pipeline.
const minEvidence = .4

// testStatic is the built-in embedder, which no test changes.
var testStatic = func() *embed.Static {
	s, err := embed.NewStatic()
	if err != nil {
		panic(err)
	}
	return s
}()

func passage(title, heading, text string) Passage {
	return Passage{Heading: corpus.HeadingLine(title, []string{heading}), Text: text}
}

func evidenceOf(question string, terms []text.Term, passages []Passage) float64 {
	s, _ := Read(testStatic, question, 0, Corpus{Terms: terms, Chunks: 3}, passages)
	return s.Probability()
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	passages := []Passage{
		passage("Resources", "work_mem (integer)", "Sets the base maximum amount of memory to be used by a query operation before writing to temporary disk files. The default value is four megabytes (4MB)."),
		passage("Resources", "shared_buffers (integer)", "Sets the amount of memory the database server uses for shared memory buffers. The default is typically 128 megabytes (128MB)."),
		passage("Notes", "Release", "Improve the performance of sorting."),
	}
	of := func(question string) float64 { return evidenceOf(question, nil, passages) }
	for question, passages := range map[string][]Passage{"anything": nil, "what is it?": passages, "?": passages} {
		if e := evidenceOf(question, nil, passages); e > .001 {
			t.Errorf("%q with %d passages: %v", question, len(passages), e)
		}
	}
	for _, question := range []string{"What is the default of work_mem?", "how much memory does a query operation use?"} {
		if e := of(question); e < minEvidence || e > 1 {
			t.Errorf("%q: %v", question, e)
		}
	}
	for _, question := range []string{"how do I configure pgbouncer for kubernetes?", "where do elephants sleep?", "what is the default of hash_bloom_factor?"} {
		if e := of(question); e >= minEvidence || e < 0 {
			t.Errorf("%q: %v", question, e)
		}
	}
	// A rare word has more weight than a common one.
	terms := []text.Term{{Text: "default", IDF: 1}, {Text: "work_mem", IDF: 9}, {Text: "hash_bloom_factor", IDF: 9}, {Text: "work", IDF: 1}, {Text: "mem", IDF: 1}, {Text: "hash", IDF: 1}, {Text: "bloom", IDF: 1}, {Text: "factor", IDF: 1}}
	if a, b := evidenceOf("default work_mem", terms, passages), evidenceOf("default hash_bloom_factor", terms, passages); a < b+.3 {
		t.Errorf("known %v, unknown %v", a, b)
	}
}

func TestCoverage(t *testing.T) {
	t.Parallel()
	passages := []Passage{passage("Boilers", "", "The boiler model B71 has a relief valve that opens at 35 bar.")}
	never, often := math.Log(1+9.5/.5), 1.0 // among nine chunks
	terms := []text.Term{{Text: "boiler", IDF: often}, {Text: "valv", IDF: often}, {Text: "valve", IDF: often}, {Text: "warranty", IDF: never}, {Text: "warranti", IDF: never}, {Text: "price", IDF: often}}
	_, got := Read(testStatic, "How long is the warranty of the boiler valve, and its price?", 0, Corpus{Terms: terms, Chunks: 9}, passages)
	want := Coverage{Covered: []string{"boiler", "valve"}, Lacking: []string{"warranty", "price"}, Unseen: []string{"warranty"}, Subjects: []string{"warranty"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// TestCoverageOfCompounds: a word is either covered or lacking, also if the passages have one of its parts.
func TestCoverageOfCompounds(t *testing.T) {
	t.Parallel()
	passages := []Passage{passage("Options", "", "The option max sets the largest value.")}
	_, got := Read(testStatic, "What is the value of maxRetries?", 0, Corpus{Chunks: 9}, passages)
	if want := (Coverage{Covered: []string{"value"}, Lacking: []string{"maxRetries"}}); !slices.Equal(got.Covered, want.Covered) || !slices.Equal(got.Lacking, want.Lacking) {
		t.Errorf("got %+v", got)
	}
}

// TestCoverageOfKnownWords: a word of the vocabulary is no typing error for a similar one, and other words may be one.
func TestCoverageOfKnownWords(t *testing.T) {
	t.Parallel()
	passages := []Passage{passage("Rights", "", "To make this work we can employ the help of the setgid bit and of autovacuum.")}
	_, got := Read(testStatic, "How many employees work on autovacum?", 0, Corpus{Chunks: 9}, passages)
	if !slices.Contains(got.Lacking, "employees") || !slices.Contains(got.Covered, "autovacum") {
		t.Errorf("got %+v", got)
	}
}

// TestCoverageWithoutSpaces: the lists have words, and not the pairs of characters that stand for them.
func TestCoverageWithoutSpaces(t *testing.T) {
	t.Parallel()
	passages := []Passage{passage("", "", "パッケージを検索するには apt を使います。")}
	_, got := Read(testStatic, "パッケージの株価はいくらですか？", 0, Corpus{Chunks: 9}, passages)
	if !slices.Equal(got.Covered, []string{"パッケージ"}) || !slices.Equal(got.Lacking, []string{"株価"}) {
		t.Errorf("got %+v", got)
	}
}

// TestEvidenceForWhatIsNamed: similar passages are no evidence for a name or a
// code that no passage contains.
func TestEvidenceForWhatIsNamed(t *testing.T) {
	t.Parallel()
	passages := []Passage{
		passage("Boilers", "", "The boiler model B71 has a relief valve that opens at 35 bar. The boiler model B42 has a relief valve that opens at 45 bar."),
		passage("Search", "", "Capitals make no difference, in any script. Cities are found by their names."),
	}
	of := func(question string) float64 { return evidenceOf(question, nil, passages) }
	for question, found := range map[string]bool{
		"At how many bar does the relief valve of boiler model B71 open?": true,
		"At how many bar does the relief valve of boiler model b71 open?": true,
		"At how many bar does the relief valve of boiler model B77 open?": false,
		"Which relief valve opens at 45 bar, say for user 'joe1'?":        true,
		"Which relief valve opens at 45 bar, see /tmp/a1?":                true,
		"Which relief valve opens at 45 bar? The log of 'b9-log' has it.": true,
		"Which relief valve opens at 45 bar for joe@mail.test?":           true,
		"Which relief valve opens at 45 bar on 10.0.0.7?":                 true,
		"Which relief valve of Boiler.B42 opens at 45 bar?":               true,
		"Which relief valve of Boiler.B77 opens at 45 bar?":               false,
		"Do capitals make a difference?":                                  true,
		"What is the capital of Mongolia?":                                false,
		"What is the capital of Peru?":                                    false,
	} {
		if e := of(question); e >= minEvidence != found {
			t.Errorf("%q: %v", question, e)
		}
	}
	for question, want := range map[string]bool{
		"What is Mongolia?": true, "Mongolia is what?": false, "What rains? Mongolia?": false, "what is mongolia?": false, "what of (Mongolia)": true, "«Mongolia»": false, "Was ist die Mongolia?": false, "what is MONGOLIA?": true, "WHAT IS MONGOLIA?": false,
	} {
		at := strings.Index(strings.ToLower(question), "mongolia")
		if got := readQuestion(question, nil).isProper(text.Weighted{Start: at, End: at + len("mongolia")}); got != want {
			t.Errorf("%q: %v", question, got)
		}
	}
}

// TestEvidenceForFollowUp: a code of an earlier question does not limit the evidence, and the coverage lists no words of
// earlier turns.
func TestEvidenceForFollowUp(t *testing.T) {
	t.Parallel()
	const asked = "And how do I import one from disk B77?"
	const whole = "How do I export a table as CSV in the sqlite3 shell?\ndataout.csv tab1\n" + asked
	passages := []Passage{
		passage("", "Importing files as CSV", "Import a file into a table of the shell with this command. It takes the disk, the file, and the table."),
		passage("", "Export to CSV", "Export a table as dataout.csv."),
	}
	in := Corpus{Chunks: 9, Asked: asked}
	s, got := Read(testStatic, whole, 0, in, passages)
	if !s.Absent || !slices.Equal(got.Covered, []string{"import", "disk"}) || !slices.Equal(got.Lacking, []string{"B77"}) {
		t.Errorf("absent %v, %+v", s.Absent, got)
	}
	in.Asked = "And how do I import one?"
	s, got = Read(testStatic, strings.Replace(whole, asked, in.Asked, 1), 0, in, passages)
	if s.Absent || !slices.Equal(got.Covered, []string{"import"}) || len(got.Lacking) > 0 {
		t.Errorf("absent %v, %+v", s.Absent, got)
	}
}

// TestUnseen: if no chunk of a large corpus contains a word, a similar word of the passages replaces it less.
func TestUnseen(t *testing.T) {
	t.Parallel()
	passages := []Passage{passage("Transfer", "", "Limit the speed of the upload with this option. A fast connection needs no limit.")}
	never := math.Log(1 + (manyChunks+.5)/.5)
	terms := []text.Term{{Text: "limit", IDF: 1}, {Text: "bandwidth", IDF: never}}
	small, _ := Read(testStatic, "How can I limit the bandwidth?", 0, Corpus{Terms: terms, Chunks: manyChunks - 1}, passages)
	large, _ := Read(testStatic, "How can I limit the bandwidth?", 0, Corpus{Terms: terms, Chunks: manyChunks}, passages)
	if large.Gap <= small.Gap || large.Gap >= 1 {
		t.Errorf("the gap is %v, in a small corpus %v", large.Gap, small.Gap)
	}
}

// TestExamples: values of the user need not be in the passages. An apostrophe quotes nothing.
func TestExamples(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"pick 'password1'": "password1", "check says 'pack 819a9a52...: not found'": "819a9a52", "only from 10.0.0.0": "10.0.0.0",
		"for bob@x1.com": "x1.com", "the “v7 token”": "v7",
	} {
		at := strings.Index(question, want)
		if !readQuestion(question, nil).isExample(text.Weighted{Start: at, End: at + len(want)}) {
			t.Errorf("%q: %s is no example", question, want)
		}
	}
	for question, other := range map[string]string{
		"in version 3.2": "3.2", "it isn't in B77, and it's late": "B77", "the user 'shop'": "shop", "10.0.0.0/8 in B77": "B77",
	} {
		at := strings.Index(question, other)
		if readQuestion(question, nil).isExample(text.Weighted{Start: at, End: at + len(other)}) {
			t.Errorf("%q: %s is an example", question, other)
		}
	}
}

// TestWordsOfPeople: everyday words, words of the asked kind, and other spellings are no missing names.
func TestWordsOfPeople(t *testing.T) {
	t.Parallel()
	passages := []Passage{
		passage("Guide", "Password", "Reset your password on the page of the account. The page sends a link to your phone."),
		passage("Guide", "Wi-Fi", "The Wi-Fi code changes each Monday. Ask the reception for the set point and the defibrillator."),
		passage("Guide", "Warranty claims", "Send claims to warranty@torvik.example, with the receipt."),
		passage("Prices", "", "Article | Unit price\nImpeller N500 | 48.00\nFilter F20 | 12.50"),
	}
	for question, want := range map[string]bool{
		"I forgot my password":                      true,
		"I dont know my password today":             true,
		"hello, pls reset my password asap, thanks": true,
		"wifi code":                                    true,
		"contact for warranty claims":                  true,
		"how much does the impeller N500 cost":         true,
		"setpoint":                                     true,
		"where is the defi":                            true,
		"how much does the impeller N600 cost":         false,
		"who is the director of the museum of Bergen?": false,
	} {
		if e := evidenceOf(question, nil, passages); (e >= minEvidence) != want {
			t.Errorf("%q: %.2f", question, e)
		}
	}
}

// TestSynonyms: a German question in other words than the passage lacks no subject.
func TestSynonyms(t *testing.T) {
	t.Parallel()
	passages := []Passage{
		{Heading: "Handbuch", Text: "Ein defekter Bildschirm wird vom Händler ersetzt. Senden Sie die Rechnung mit.", Language: "de"},
	}
	question := "mein Monitor ist kaputt"
	signs, coverage := Read(testStatic, question, 0, Corpus{Chunks: 3}, passages)
	if len(coverage.Lacking) > 0 || signs.Close < 1 {
		t.Errorf("got %+v, lacking %v", signs, coverage.Lacking)
	}
}

// TestOtherNumber: a number behind a name belongs to the name.
func TestOtherNumber(t *testing.T) {
	t.Parallel()
	passages := []Passage{passage("Heron 36", "Technical data", "The Heron 36 has a fuel tank of 150 l. The Heron-30 has one of 90 l.")}
	for question, want := range map[string]bool{
		"fuel tank heron 42": true, "fuel tank of the heron-42": true, "fuel tank heron 36": false, "fuel tank heron 30": false,
		"fuel tank over 2000": false, "fuel tank for 20 l": false,
	} {
		if s, _ := Read(testStatic, question, 0, Corpus{Chunks: 3}, passages); s.Absent != want {
			t.Errorf("%q: absent %v", question, s.Absent)
		}
	}
}

// TestQuestionWords: question words of other languages are no subjects.
func TestQuestionWords(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][]string{
		"N500 giá bao nhiêu": {"N500", "giá"},
		"כמה עולה N500":      {"עולה", "N500"},
		"N500 ราคาเท่าไหร่":  {"N500"},
		"N500多少钱":            {"N500"},
		"wieviel wiegt N500": {"N500"},
		"сколько стоит N500": {"стоит", "N500"},
	} {
		_, got := Read(testStatic, question, 0, Corpus{Chunks: 3}, []Passage{passage("Cats", "", "The cat sleeps.")})
		for _, w := range got.Lacking {
			if !slices.Contains(want, w) && !strings.Contains(w, "ราคา") && !strings.Contains(w, "钱") && w != "wiegt" {
				t.Errorf("%s lacks %q", question, got.Lacking)
			}
		}
	}
}

// TestVerbsAreNoSubjects: a verb that the passages lack is not named as missing.
func TestVerbsAreNoSubjects(t *testing.T) {
	t.Parallel()
	passages := []Passage{
		{Heading: "Pump", Text: "Die Pumpe hat drei Ports und einen Filter.", Language: "de"},
		{Heading: "Pump", Text: "The pump has three ports and a filter.", Language: "en"},
	}
	for question, want := range map[string][]string{
		"Wie viele Ports benutzt die Pumpe?":         nil,
		"wie viele ports benutzt die pumpe":          nil,
		"wie entlüftet man die pumpe":                nil,
		"kann man den filter morgen auswaschen":      nil,
		"was verbraucht die pumpe an kerosin":        {"kerosin"},
		"Welcher Adapter passt in den Port?":         {"Adapter"},
		"how do I descale the pump":                  nil,
		"can I rinse the filter with kerosene":       {"kerosene"},
		"how many ports does the gearbox of it have": {"gearbox"},
	} {
		known := map[string]bool{}
		for _, p := range passages {
			for s := range text.Stems(p.Text) {
				known[s] = true
			}
		}
		in := Corpus{Chunks: 3}
		for _, w := range text.Words(question) {
			if !known[w.Stem] {
				in.Terms = append(in.Terms, text.Term{Text: w.Stem, Word: strings.ToLower(question[w.Start:w.End]), IDF: math.Log(1+3.5/.5) + .1})
			}
		}
		if _, c := Read(testStatic, question, 0, in, passages); !reflect.DeepEqual(c.Subjects, want) {
			t.Errorf("%q: %q, want %q", question, c.Subjects, want)
		}
	}
}
