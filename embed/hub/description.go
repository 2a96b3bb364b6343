package hub

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"docent/embed"
	"docent/embed/encoder"
)

// Kind says what a model computes.
type Kind string

// The kinds of models.
const (
	Encoder    Kind = "encoder"    // the vector of a text
	Reranker   Kind = "reranker"   // the score of a question and a passage
	Entailment Kind = "entailment" // whether a passage says what a statement says
)

const (
	// maxRows bounds the rows of a tensor.
	maxRows = 1 << 20
	// maxLayers bounds the layers of a model.
	maxLayers = 48
	// maxSmall bounds the files but the weights and the tokenizer.
	maxSmall = 1 << 20
	// maxTokenizer bounds the files of the tokenizer.
	maxTokenizer = 64 << 20
	// maxWeights bounds the weights.
	maxWeights = 4 << 30
)

const weightsFile = "model.safetensors"

// files are the files of a model with their limits. Those that are needed are in needed.
var files = []struct {
	name  string
	limit int64
}{
	{"config.json", maxSmall},
	{"modules.json", maxSmall},
	{"1_Pooling/config.json", maxSmall},
	{"sentence_bert_config.json", maxSmall},
	{"config_sentence_transformers.json", maxSmall},
	{"tokenizer_config.json", maxSmall},
	{"tokenizer.json", maxTokenizer},
	{"vocab.txt", maxTokenizer},
	{"vocab.json", maxTokenizer},
	{"merges.txt", maxTokenizer},
	{weightsFile, maxWeights},
}

// description is the content of the files beside the weights.
type description struct {
	kind   Kind
	shape  encoder.Shape
	layers int
	words  int // rows of the table of words
	types  int // types of tokens
	// skipped is the number of rows of positions that are not used.
	skipped    int
	roberta    bool
	poolFirst  bool
	tokenizer  *tokenizer
	query      string // prefix of questions
	passage    string // prefix of passages
	positioned int    // rows of the table of positions
	// masked is an architecture that is an encoder only with modules.json, or "".
	masked string
	// classes is the number of results of a cross-encoder.
	classes int
	// entailed and contradicted are those of a model of entailment.
	entailed, contradicted int
}

// architecture is config.json.
type architecture struct {
	Architectures []string          `json:"architectures"`
	Type          string            `json:"model_type"`
	Name          string            `json:"_name_or_path"`
	Width         int               `json:"hidden_size"`
	Heads         int               `json:"num_attention_heads"`
	Layers        int               `json:"num_hidden_layers"`
	Inner         int               `json:"intermediate_size"`
	Positions     int               `json:"max_position_embeddings"`
	Types         *int              `json:"type_vocab_size"`
	Words         int               `json:"vocab_size"`
	Epsilon       *float64          `json:"layer_norm_eps"`
	Activation    string            `json:"hidden_act"`
	Position      string            `json:"position_embedding_type"`
	Padding       *int              `json:"pad_token_id"`
	Labels        map[string]string `json:"id2label"`
}

// readFile reads a file of a model. It returns nil if the file does not exist.
func readFile(folder, name string) ([]byte, error) {
	limit := int64(maxSmall)
	for _, f := range files {
		if f.name == name {
			limit = f.limit
		}
	}
	f, err := os.Open(filepath.Join(folder, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = fmt.Errorf("%s is larger than %d MB", name, limit>>20)
	}
	return raw, err
}

// readJSON reads a JSON file of a model. It does nothing if the file does not exist.
func readJSON(folder, name string, to any) error {
	raw, err := readFile(folder, name)
	if err != nil || raw == nil {
		return err
	}
	if err := json.Unmarshal(bytes.TrimPrefix(raw, []byte("\ufeff")), to); err != nil {
		return fmt.Errorf("%s is damaged: %w", name, err)
	}
	return nil
}

// describe reads the files beside the weights.
func describe(folder, name string) (*description, error) {
	var a architecture
	if err := readJSON(folder, "config.json", &a); err != nil {
		return nil, err
	}
	if len(a.Architectures) == 0 {
		return nil, errors.New("config.json names no architecture: docent needs a folder in the file layout of Hugging Face")
	}
	d, err := a.describe()
	if err != nil {
		return nil, err
	}
	if err := d.readTokenizer(folder); err != nil {
		return nil, err
	}
	if d.tokenizer.count > d.words {
		return nil, fmt.Errorf("the tokenizer has %d tokens for %d words of the model", d.tokenizer.count, d.words)
	}
	if d.kind == Encoder {
		if err := d.readPooling(folder); err != nil {
			return nil, err
		}
		if err := d.readPrefixes(folder, name, a.Name); err != nil {
			return nil, err
		}
	}
	return d, d.shape.Check()
}

// describe converts config.json.
func (a *architecture) describe() (*description, error) {
	d := &description{layers: a.Layers, words: a.Words, types: 2, positioned: a.Positions}
	if a.Types != nil {
		d.types = *a.Types
	}
	switch a.Type {
	case "bert":
	case "roberta", "xlm-roberta":
		d.roberta = true
		d.skipped = 2
		if a.Padding != nil {
			d.skipped = *a.Padding + 1
		}
	default:
		return nil, fmt.Errorf("the model is of the type %.40q: docent supports bert, roberta, and xlm-roberta", a.Type)
	}
	switch name := a.Architectures[0]; name {
	case "BertModel", "XLMRobertaModel", "RobertaModel":
		d.kind = Encoder
	case "BertForMaskedLM", "XLMRobertaForMaskedLM", "RobertaForMaskedLM":
		d.kind, d.masked = Encoder, name
	case "BertForSequenceClassification", "XLMRobertaForSequenceClassification", "RobertaForSequenceClassification":
		if err := d.readLabels(a.Labels); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("the model has the architecture %.60q: docent supports BertModel, RobertaModel, XLMRobertaModel, "+
			"and ForSequenceClassification of each", name)
	}
	switch {
	case a.Activation != "" && a.Activation != "gelu":
		return nil, fmt.Errorf("the model has the activation %.20q: docent supports gelu", a.Activation)
	case a.Position != "" && a.Position != "absolute":
		return nil, fmt.Errorf("the model has positions of the type %.40q: docent supports absolute ones", a.Position)
	case d.layers < 1 || d.layers > maxLayers || d.words < 1 || d.words > maxRows || d.types < 1 || d.types > 16 ||
		d.skipped < 0 || d.skipped > 8 || a.Positions > maxRows:
		return nil, fmt.Errorf("config.json has sizes that docent does not support: %d layers, %d words", d.layers, d.words)
	}
	d.shape = encoder.Shape{
		Width: a.Width, Heads: a.Heads, Inner: a.Inner, MaxTokens: min(512, a.Positions-d.skipped), Epsilon: encoder.BuiltIn.Epsilon,
	}
	if a.Epsilon != nil {
		d.shape.Epsilon = *a.Epsilon
	}
	return d, nil
}

// readLabels reads the names of the classes of a cross-encoder. One class is a score. Three
// classes are those of entailment, in any order.
func (d *description) readLabels(labels map[string]string) error {
	d.kind, d.classes = Reranker, max(2, len(labels)) // without id2label there are two
	if len(labels) == 1 {
		d.classes = 1
		return nil
	}
	found := map[string]int{}
	for id, label := range labels {
		n, err := strconv.Atoi(id)
		if err != nil || n < 0 || n >= len(labels) {
			return fmt.Errorf("config.json has the class %.20q in id2label", id)
		}
		for _, name := range []string{"entail", "neutral", "contradict"} {
			if strings.HasPrefix(strings.ToLower(label), name) {
				found[name] = n
			}
		}
	}
	if d.classes != 3 || len(found) != 3 {
		return fmt.Errorf("the model has %d classes: docent uses cross-encoders with one class, and with the three classes "+
			"entailment, neutral, and contradiction in id2label", d.classes)
	}
	d.kind, d.entailed, d.contradicted = Entailment, found["entail"], found["contradict"]
	return nil
}

// readTokenizer reads the tokenizer and the length of the longest text.
func (d *description) readTokenizer(folder string) error {
	var settings struct {
		Lower   *bool    `json:"do_lower_case"`
		Accents *bool    `json:"strip_accents"`
		Longest *float64 `json:"model_max_length"`
		Space   bool     `json:"add_prefix_space"`
	}
	var sentences struct {
		Longest *float64 `json:"max_seq_length"`
	}
	err := errors.Join(readJSON(folder, "tokenizer_config.json", &settings), readJSON(folder, "sentence_bert_config.json", &sentences))
	if err != nil {
		return err
	}
	for _, n := range []*float64{settings.Longest, sentences.Longest} {
		if n != nil && *n >= 8 && *n < float64(d.shape.MaxTokens) {
			d.shape.MaxTokens = int(*n)
		}
	}
	raw, err := readFile(folder, "tokenizer.json")
	if err != nil {
		return err
	}
	if raw != nil {
		if d.tokenizer, err = readTokenizer(raw); err != nil {
			return fmt.Errorf("tokenizer.json: %w", err)
		}
		return nil
	}
	vocab, err1 := readFile(folder, "vocab.json")
	merges, err2 := readFile(folder, "merges.txt")
	raw, err = readFile(folder, "vocab.txt")
	if err := errors.Join(err, err1, err2); err != nil {
		return err
	}
	switch {
	case vocab != nil && merges != nil:
		d.tokenizer, err = readBytePairs(vocab, merges, settings.Space)
		return err
	case raw == nil:
		return errors.New("there is neither tokenizer.json, nor vocab.txt, nor vocab.json with merges.txt")
	case settings.Lower != nil && !*settings.Lower, settings.Accents != nil && !*settings.Accents:
		return errCased
	}
	if d.tokenizer, err = newWordPiece(string(raw)); err != nil {
		return fmt.Errorf("vocab.txt: %w", err)
	}
	return nil
}

// readPooling reads how the vector is made of the states of the tokens.
func (d *description) readPooling(folder string) error {
	var modules []struct {
		Type string `json:"type"`
		Path string `json:"path"`
	}
	if err := readJSON(folder, "modules.json", &modules); err != nil {
		return err
	}
	if d.masked != "" && len(modules) == 0 {
		return fmt.Errorf("the model has the architecture %s without modules.json: docent supports it for sentence encoders only", d.masked)
	}
	for _, m := range modules {
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; {
		case kind == "Transformer", kind == "Normalize", kind == "Pooling" && m.Path == "1_Pooling":
		default:
			return fmt.Errorf("modules.json has the part %.60q: docent supports Transformer, Pooling, and Normalize", m.Type)
		}
	}
	pooling := map[string]any{}
	if err := readJSON(folder, "1_Pooling/config.json", &pooling); err != nil {
		return err
	}
	var on []string
	for key, value := range pooling {
		if name, ok := strings.CutPrefix(key, "pooling_mode_"); ok && value == true {
			on = append(on, name)
		}
	}
	if mode, ok := pooling["pooling_mode"].(string); ok {
		on = append(on, mode)
	}
	switch mode := strings.Join(on, "+"); mode {
	case "", "mean_tokens", "mean":
	case "cls_token", "cls":
		d.poolFirst = true
	default:
		return fmt.Errorf("1_Pooling/config.json has the pooling %.60q: docent supports mean_tokens and cls_token", mode)
	}
	return nil
}

// readPrefixes reads the prefixes of questions and passages. Those of known families
// come from the name of the model.
func (d *description) readPrefixes(folder, name, origin string) error {
	var sentences struct {
		Prompts map[string]string `json:"prompts"`
	}
	if err := readJSON(folder, "config_sentence_transformers.json", &sentences); err != nil {
		return err
	}
	p := sentences.Prompts
	d.query, d.passage = p["query"], cmp.Or(p["passage"], p["document"])
	if d.query == "" && d.passage == "" {
		d.query, d.passage = embed.Prefixes(name)
	}
	if d.query == "" && d.passage == "" {
		d.query, d.passage = embed.Prefixes(origin)
	}
	if len(d.query) > 1024 || len(d.passage) > 1024 {
		return errors.New("config_sentence_transformers.json has prefixes of more than 1,024 bytes")
	}
	return nil
}
