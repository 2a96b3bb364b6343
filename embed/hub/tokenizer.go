package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"docent/embed"
	"docent/embed/encoder"
	"docent/embed/unigram"
)

// maxText bounds how much of a text is divided, in bytes.
const maxText = 16 << 10

// tokenizer turns texts into ids.
type tokenizer struct {
	// append appends at most limit ids of a text.
	append func(dst []int32, text string, limit int) []int32
	// first and last are the ids at the ends of a text.
	first, last int32
	// double is set if two ids last stand between two texts.
	double bool
	// count is the number of tokens. Ids are below it.
	count int
	// multilingual is set for the vocabularies of XLM-RoBERTa.
	multilingual bool
}

// text returns at most limit ids of a text with its ends.
func (t *tokenizer) text(text string, limit int) []int32 {
	return append(t.append([]int32{t.first}, text, limit-2), t.last)
}

// pair returns at most limit ids of a question and a passage. The longer one is cut, so
// that each may have half of the ids.
func (t *tokenizer) pair(question, passage string, limit int) []int32 {
	room := limit - 4
	behind := t.append(nil, passage, room)
	ids := append(t.append([]int32{t.first}, question, room-min(len(behind), room/2)), t.last)
	if t.double {
		ids = append(ids, t.last)
	}
	from := len(ids)
	ids = append(append(ids, behind[:min(len(behind), limit-1-from)]...), t.last)
	if !t.double {
		for i := range ids[from:] {
			ids[from+i] |= encoder.SecondText
		}
	}
	return ids
}

// tokenizerFile is tokenizer.json.
type tokenizerFile struct {
	Normalizer   json.RawMessage `json:"normalizer"`
	PreTokenizer json.RawMessage `json:"pre_tokenizer"`
	Model        struct {
		Type    string          `json:"type"`
		Vocab   json.RawMessage `json:"vocab"`
		Merges  []mergeEntry    `json:"merges"`
		Unknown *int            `json:"unk_id"`
	} `json:"model"`
}

// readTokenizer reads tokenizer.json.
func readTokenizer(raw []byte) (*tokenizer, error) {
	var f tokenizerFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("the file is damaged: %w", err)
	}
	switch {
	case f.Model.Type == "WordPiece" || f.Model.Type == "" && strings.HasPrefix(string(f.Model.Vocab), "{"):
		return f.wordPiece()
	case f.Model.Type == "Unigram":
		return f.unigram()
	case f.Model.Type == "BPE":
		return f.bytePairs()
	default:
		return nil, fmt.Errorf("the tokenizer is of the kind %.20q: docent supports WordPiece, Unigram, and BPE", f.Model.Type)
	}
}

func (f *tokenizerFile) wordPiece() (*tokenizer, error) {
	var normalizer struct {
		Type      string
		Lowercase *bool `json:"lowercase"`
		Accents   *bool `json:"strip_accents"`
	}
	if err := json.Unmarshal(f.Normalizer, &normalizer); err != nil || normalizer.Type != "BertNormalizer" {
		return nil, fmt.Errorf("the tokenizer has the normalizer %.20q: docent supports BertNormalizer", normalizer.Type)
	}
	if normalizer.Lowercase != nil && !*normalizer.Lowercase || normalizer.Accents != nil && !*normalizer.Accents {
		return nil, errCased
	}
	var vocabulary map[string]int
	if err := json.Unmarshal(f.Model.Vocab, &vocabulary); err != nil {
		return nil, fmt.Errorf("the vocabulary is damaged: %w", err)
	}
	lines := make([]string, len(vocabulary))
	for token, id := range vocabulary {
		if id < 0 || id >= len(lines) || lines[id] != "" || strings.Contains(token, "\n") {
			return nil, fmt.Errorf("the vocabulary is damaged: the token %.40q has the id %d of %d", token, id, len(lines))
		}
		lines[id] = token
	}
	return newWordPiece(strings.Join(lines, "\n") + "\n")
}

var errCased = errors.New("the tokenizer keeps upper case or accents: docent supports uncased models")

// newWordPiece makes a tokenizer of vocab.txt.
func newWordPiece(file string) (*tokenizer, error) {
	pieces, err := embed.ParseWordPiece(strings.ReplaceAll(strings.TrimRight(file, "\r\n"), "\r\n", "\n") + "\n")
	if err != nil {
		return nil, err
	}
	first, begins := pieces.ID("[CLS]")
	last, ends := pieces.ID("[SEP]")
	if !begins || !ends {
		return nil, errors.New("the vocabulary has no tokens [CLS] and [SEP]")
	}
	t := &tokenizer{first: int32(first), last: int32(last), count: pieces.Tokens()}
	t.append = func(dst []int32, text string, limit int) []int32 {
		ids := pieces.Append(nil, text[:min(len(text), maxText)])
		for _, id := range ids[:min(len(ids), limit)] {
			dst = append(dst, int32(id))
		}
		return dst
	}
	return t, nil
}

// scored is a piece and its score.
type scored struct {
	piece string
	score float32
}

// UnmarshalJSON reads an array of a piece and its score.
func (s *scored) UnmarshalJSON(raw []byte) error {
	return json.Unmarshal(raw, &[2]any{&s.piece, &s.score})
}

func (f *tokenizerFile) unigram() (*tokenizer, error) {
	var vocabulary []scored
	if err := json.Unmarshal(f.Model.Vocab, &vocabulary); err != nil {
		return nil, fmt.Errorf("the vocabulary is damaged: %w", err)
	}
	chars, err := f.charsmap()
	if err != nil {
		return nil, err
	}
	cfg := unigram.Config{Ends: []uint32{0}, JoinUnknown: true, Replace: chars.replace, Unknown: -1}
	if f.Model.Unknown != nil && *f.Model.Unknown >= 0 && *f.Model.Unknown < len(vocabulary) {
		cfg.Unknown = int32(*f.Model.Unknown)
	}
	t := &tokenizer{first: -1, last: -1, double: true, count: len(vocabulary), multilingual: true}
	var text strings.Builder
	for id, s := range vocabulary {
		switch s.piece {
		case "<s>":
			t.first = int32(id)
		case "</s>":
			t.last = int32(id)
		}
		text.WriteString(s.piece)
		cfg.Ends, cfg.Scores = append(cfg.Ends, uint32(text.Len())), append(cfg.Scores, s.score)
	}
	if t.first < 0 || t.last < 0 {
		return nil, errors.New("the vocabulary has no tokens <s> and </s>")
	}
	cfg.Text = text.String()
	pieces, err := unigram.New(cfg)
	if err != nil {
		return nil, err
	}
	t.append = func(dst []int32, text string, limit int) []int32 {
		if text = strings.TrimSpace(text); text == "" {
			return dst
		}
		return pieces.Append(dst, text, limit)
	}
	return t, nil
}

// charsmap finds the normalization. A normalizer may be a sequence of normalizers.
func (f *tokenizerFile) charsmap() (charsmap, error) {
	type normalizer struct {
		Type        string       `json:"type"`
		Charsmap    []byte       `json:"precompiled_charsmap"`
		Normalizers []normalizer `json:"normalizers"`
	}
	var n normalizer
	if len(f.Normalizer) > 0 {
		if err := json.Unmarshal(f.Normalizer, &n); err != nil {
			return charsmap{}, fmt.Errorf("the normalization is damaged: %w", err)
		}
	}
	all := append([]normalizer{n}, n.Normalizers...)
	var out charsmap
	for _, one := range all {
		switch one.Type {
		case "", "Sequence", "Replace", "Strip":
		case "Precompiled":
			var err error
			if out, err = readCharsmap(one.Charsmap); err != nil {
				return charsmap{}, err
			}
		default:
			return charsmap{}, fmt.Errorf("the tokenizer has the normalizer %.20q: docent supports Precompiled", one.Type)
		}
	}
	return out, nil
}
