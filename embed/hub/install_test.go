package hub

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docent/embed"
	"docent/embed/embedtest"
	"docent/embed/encoder"
	"docent/internal/fault"
)

var plain = Config{Config: encoder.Config{AllowPlain: true}}

// install installs a model of testdata and returns it.
func install(t *testing.T, model string, kind Kind) *Installed {
	t.Helper()
	models := t.TempDir()
	if _, err := Install(t.Context(), NewFolder(filepath.Join("testdata", model)), model, models, plain); err != nil {
		t.Fatal(err)
	}
	m, err := Find(models, model, kind, plain)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestConformance(t *testing.T) {
	t.Parallel()
	m := install(t, "bert", Encoder)
	embedtest.Run(t, func(*testing.T) embed.Embedder { return m })
}

// TestInstall: the model has its prefixes, a calibration, and a name with its checksum.
func TestInstall(t *testing.T) {
	t.Parallel()
	m := install(t, "bert-first", Encoder)
	if m.Dimensions() != 128 || m.Scale <= 0 || m.Multilingual || !strings.HasPrefix(m.Name(), "local/bert-first@") {
		t.Errorf("installed %+v as %s", m.Manifest, m.Name())
	}
	question, err := m.EmbedQuery(t.Context(), "password")
	if err != nil {
		t.Fatal(err)
	}
	passages, err := m.EmbedDocuments(t.Context(), []string{"password", " "})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(question, passages[0]) || embed.Dot(passages[1], passages[1]) != 0 {
		t.Error("the prefixes are missing")
	}
	if _, err := Find(filepath.Dir(m.Folder), "bert-first", Reranker, plain); err == nil {
		t.Error("an encoder is a reranker")
	}
	if _, err := Find(filepath.Dir(m.Folder), "other", Encoder, plain); err == nil || !strings.Contains(err.Error(), "docent model ls") {
		t.Errorf("an unknown model: %v", err)
	}
}

// TestJudge: the probabilities are those of the classes that config.json names.
func TestJudge(t *testing.T) {
	t.Parallel()
	for model, at := range map[string][2]int{"bert-entailment": {0, 2}, "roberta-entailment": {2, 0}, "xlm-roberta-entailment": {1, 0}} {
		m := install(t, model, Entailment)
		for _, r := range references(t, model) {
			yes, no, err := m.Judge(t.Context(), r.Texts[:1], r.Texts[1:])
			if err != nil {
				t.Fatal(err)
			}
			p := softmax(r.Logits)
			if math.Abs(yes[0]-p[at[0]]) > .05 || math.Abs(no[0]-p[at[1]]) > .05 {
				t.Errorf("%s: %.30q: entailed %g, contradicted %g, want %v", model, r.Texts, yes, no, p)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := m.Judge(ended, []string{"a"}, []string{"b"}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: after the end: %v", model, err)
		}
	}
}

// TestMaskedLanguageModel: many sentence encoders keep the architecture of the model that they come from.
func TestMaskedLanguageModel(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/roberta/config.json")
	if err != nil {
		t.Fatal(err)
	}
	config := strings.Replace(string(raw), "RobertaModel", "RobertaForMaskedLM", 1)
	m, err := Install(t.Context(), changed{NewFolder("testdata/roberta"), map[string]string{"config.json": config}}, "mine", t.TempDir(), plain)
	if err != nil || m.Kind != Encoder || m.Multilingual {
		t.Errorf("installed %+v, %v", m, err)
	}
}

// TestReplaceAndRemove installs a model over another one, and removes it.
func TestReplaceAndRemove(t *testing.T) {
	t.Parallel()
	models := t.TempDir()
	for _, model := range []string{"bert", "xlm-roberta-reranker"} {
		if _, err := Install(t.Context(), NewFolder(filepath.Join("testdata", model)), "mine", models, plain); err != nil {
			t.Fatal(err)
		}
	}
	list, err := List(models)
	if err != nil || len(list) != 1 || list[0].Kind != Reranker || !list[0].Multilingual {
		t.Fatalf("installed %+v, %v", list, err)
	}
	for _, name := range []string{"../mine", ".", "other"} {
		if err := Remove(models, name); fault.KindOf(err) != fault.NotFound {
			t.Errorf("removing %q: %v", name, err)
		}
	}
	if err := Remove(models, "mine"); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(models); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// changed is a model with other contents of some files.
type changed struct {
	Source
	files map[string]string
}

func (c changed) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if content, ok := c.files[name]; ok {
		if content == "" {
			return nil, os.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(content)), nil
	}
	return c.Source.Open(ctx, name)
}

// TestRefused: the error names the unsupported value and the supported ones.
func TestRefused(t *testing.T) {
	t.Parallel()
	config := func(model, old, new string) string {
		raw, err := os.ReadFile(filepath.Join("testdata", model, "config.json"))
		if err != nil || !strings.Contains(string(raw), old) {
			t.Fatalf("%s has no %q, %v", model, old, err)
		}
		return strings.Replace(string(raw), old, new, 1)
	}
	for _, c := range []struct{ model, file, content, want string }{
		{"bert", "config.json", "", "names no architecture"},
		{"bert", "config.json", "{", "config.json is damaged"},
		{"bert", "config.json", config("bert", "BertModel", "BertForTokenClassification"), `"BertForTokenClassification": docent supports BertModel`},
		{"bert-reranker", "config.json", config("bert-reranker", "BertForSequenceClassification", "BertForMaskedLM"), "without modules.json"},
		{"bert", "config.json", config("bert", `"bert"`, `"deberta-v2"`), `"deberta-v2": docent supports bert`},
		{"bert", "config.json", config("bert", `"gelu"`, `"relu"`), `"relu": docent supports gelu`},
		{"bert", "config.json", config("bert", "absolute", "relative_key"), "relative_key"},
		{"bert", "config.json", config("bert", `"hidden_size": 64`, `"hidden_size": 48`), "multiple of 32"},
		{"bert", "config.json", config("bert", `"hidden_size": 64`, `"hidden_size": 128`), "has the shape [64 64], want [64 128]"},
		{"bert", "config.json", config("bert", `"hidden_size": 64`, `"hidden_size": -64`), "a size is missing"},
		{"bert", "config.json", config("bert", `"num_hidden_layers": 2`, `"num_hidden_layers": 3`), "no tensor encoder.layer.2"},
		{"bert", "config.json", config("bert", `"num_hidden_layers": 2`, `"num_hidden_layers": 2000000000`), "2000000000 layers"},
		{"bert", "config.json", config("bert", `"num_attention_heads": 2`, `"num_attention_heads": 0`), "0 heads"},
		{"bert", "model.safetensors", "", "there is no model.safetensors"},
		{"bert", "model.safetensors", "\xff\xff\xff\xff\xff\xff\xff\x7f{}", "no header of safetensors"},
		{"bert", "vocab.txt", "", "neither tokenizer.json, nor vocab.txt"},
		{"bert", "vocab.txt", "a\nb\n", "no token [UNK]"},
		{"bert", "tokenizer_config.json", `{"do_lower_case":false}`, "uncased"},
		{"bert", "modules.json", `[{"type":"sentence_transformers.models.Dense"}]`, "Dense"},
		{"bert", "1_Pooling/config.json", `{"pooling_mode_max_tokens":true}`, `"max_tokens": docent supports mean_tokens`},
		{"bert-first", "tokenizer.json", `{"model":{"type":"WordLevel"}}`, `"WordLevel": docent supports WordPiece, Unigram, and BPE`},
		{"roberta", "tokenizer.json", `{"model":{"type":"BPE"},"pre_tokenizer":{"type":"Whitespace"}}`, `"Whitespace": docent supports ByteLevel`},
		{"roberta", "tokenizer.json", `{"model":{"type":"BPE","vocab":{}},"normalizer":{"type":"NFC"}}`, "has a normalizer"},
		{"roberta", "tokenizer.json", `{"model":{"type":"BPE","vocab":{"a":0}},"pre_tokenizer":{"type":"ByteLevel"}}`, "no token"},
		{"roberta", "tokenizer.json", `{"model":{"type":"BPE","merges":["a"]}}`, "is not a merge"},
		{"roberta-reranker", "merges.txt", "#version: 0.2\na b c\n", `"a b c" is not a merge`},
		{"roberta-reranker", "merges.txt", "", "vocab.json with merges.txt"},
		{"roberta-reranker", "vocab.json", "{", "vocab.json is damaged"},
		{"bert-first", "tokenizer.json", `{"model":{"type":"WordPiece","vocab":{"a":7}},"normalizer":{"type":"BertNormalizer"}}`, "damaged"},
		{"bert-unigram", "tokenizer.json", `{"model":{"type":"Unigram","vocab":[["<s>",0],["</s>",0]]}}`, "incomplete"},
		{"bert-unigram", "tokenizer.json", `{"normalizer":{"type":"Precompiled","precompiled_charsmap":"/////w=="},"model":{"type":"Unigram","vocab":[]}}`, "damaged"},
		{"bert-reranker", "config.json", config("bert-reranker", `"0": "LABEL_0"`, `"0": "no", "1": "yes", "2": "maybe"`), "3 classes"},
		{"bert-reranker", "config.json", config("bert-reranker", `"0": "LABEL_0"`, `"0": "entailment", "1": "not_entailment"`), "2 classes"},
		{"bert-entailment", "config.json", config("bert-entailment", `"2": "contradiction"`, `"3": "contradiction"`), `the class "3"`},
		{"bert-entailment", "config.json", config("bert-entailment", `"2": "contradiction"`, `"2": "entailment"`), "3 classes"},
	} {
		models := t.TempDir()
		_, err := Install(t.Context(), changed{NewFolder(filepath.Join("testdata", c.model)), map[string]string{c.file: c.content}}, "mine", models, plain)
		if err == nil || !strings.Contains(err.Error(), c.want) || fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s, %s: got %v, want %q", c.model, c.file, err, c.want)
		}
		if left, _ := os.ReadDir(models); len(left) != 0 {
			t.Errorf("%s: left: %v", c.want, left)
		}
	}
	for _, name := range []string{"", "..", "a/b", `a\b`, ".install-1", "Upper", strings.Repeat("a", 65), "multilingual-e5-small"} {
		if _, err := Install(t.Context(), NewFolder("testdata/bert"), name, t.TempDir(), plain); fault.TextOf(err).ID != "cli_model_name" {
			t.Errorf("the name %q: %v", name, err)
		}
	}
}

// TestAddress installs a model from a server, with a redirect as model hubs have.
func TestAddress(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/files/", http.StripPrefix("/files", http.FileServer(http.Dir("testdata/bert-reranker"))))
	mux.HandleFunc("/org/Small-Reranker/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/files"+strings.TrimPrefix(r.URL.Path, "/org/Small-Reranker"), http.StatusFound)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	a, err := NewAddress(s.URL + "/org/Small-Reranker/")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat("testdata/bert-reranker/model.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	if size, err := a.Size(t.Context()); err != nil || size != info.Size() || a.ModelName() != "small-reranker" {
		t.Errorf("%s has %d bytes, %v", a.ModelName(), size, err)
	}
	m, err := Install(t.Context(), a, a.ModelName(), t.TempDir(), plain)
	if err != nil || m.Kind != Reranker || m.Source != s.URL+"/org/Small-Reranker" {
		t.Errorf("installed %+v, %v", m, err)
	}
	missing, err := NewAddress(s.URL + "/none")
	if err != nil {
		t.Fatal(err)
	}
	away, err := NewAddress("http://127.0.0.1:1/model")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := away.Size(t.Context()); fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "run: docent model install FOLDER") {
		t.Errorf("without a server: %v", err)
	}
	if _, err := missing.Size(t.Context()); fault.TextOf(err).ID != "cli_model_address" {
		t.Errorf("no model there: %v", err)
	}
	for _, address := range []string{"http://example.com/x", "https://", "ftp://localhost/x", "https://me:secret@example.com/x", "https://%zz"} {
		if _, err := NewAddress(address); fault.TextOf(err).ID != "cli_model_address" {
			t.Errorf("%s: %v", address, err)
		}
	}
	page, err := NewAddress("https://huggingface.co/BAAI/bge-small-en-v1.5")
	if err != nil || page.String() != "https://huggingface.co/BAAI/bge-small-en-v1.5/resolve/main" || page.ModelName() != "bge-small-en-v1.5" {
		t.Errorf("%v as %s, %v", page, page.ModelName(), err)
	}
}

// FuzzTensors reads any bytes as a file of weights.
func FuzzTensors(f *testing.F) {
	small, err := os.ReadFile("testdata/bert-reranker/model.safetensors")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small[:12000])
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add([]byte("\x45\x00\x00\x00\x00\x00\x00\x00" + `{"a":{"dtype":"F32","shape":[1,-9223372036854775808],"data_offsets":[0,4]}}` + "1234"))
	f.Add([]byte("\x38\x00\x00\x00\x00\x00\x00\x00" + `{"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}  1234`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := readTensors(strings.NewReader(string(raw)), int64(len(raw)))
		if err != nil {
			return
		}
		for name := range list.list {
			n := list.rows(name)
			_, _ = list.floats(name, n)
			_, _ = list.part(name, n/2, 1, n, 64)
		}
	})
}

// FuzzTokenizer reads any text as tokenizer.json, and divides texts.
func FuzzTokenizer(f *testing.F) {
	for _, model := range []string{"bert-first", "bert-unigram", "roberta"} {
		raw, err := os.ReadFile(filepath.Join("testdata", model, "tokenizer.json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte(`{"model":{"type":"Unigram","unk_id":0,"vocab":[["<s>",0],["</s>",1e30],["",-1e30]]}}`))
	f.Add([]byte(`{"normalizer":{"type":"Precompiled","precompiled_charsmap":"BAAAAAAAAAA="},"model":{"type":"Unigram","unk_id":0,"vocab":[["<s>",0],["</s>",0]]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		tokens, err := readTokenizer(raw)
		if err != nil {
			return
		}
		for _, text := range []string{"", " ", "Ａ½ e\u0301 数\xff🙂", strings.Repeat("x ", 40)} {
			ids := append(tokens.text(text, 32), tokens.pair(text, text, 32)...)
			if len(ids) > 64 {
				t.Errorf("%d ids", len(ids))
			}
			for _, id := range ids {
				if id &^= encoder.SecondText; id < 0 || int(id) >= tokens.count {
					t.Errorf("id %d of %d", id, tokens.count)
				}
			}
		}
	})
}
