package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"docent/embed/bpe"
)

// mergeEntry is a merge: "a b", or ["a", "b"].
type mergeEntry [2]string

// UnmarshalJSON reads both forms.
func (m *mergeEntry) UnmarshalJSON(raw []byte) error {
	var line string
	if err := json.Unmarshal(raw, &line); err != nil {
		return json.Unmarshal(raw, (*[2]string)(m))
	}
	return m.read(line)
}

func (m *mergeEntry) read(line string) error {
	var ok bool
	if m[0], m[1], ok = strings.Cut(line, " "); !ok || m[0] == "" || m[1] == "" || strings.Contains(m[1], " ") {
		return fmt.Errorf("%.40q is not a merge", line)
	}
	return nil
}

// bytePairs reads the tokenizer of RoBERTa.
func (f *tokenizerFile) bytePairs() (*tokenizer, error) {
	var before struct {
		Type        string `json:"type"`
		PrefixSpace bool   `json:"add_prefix_space"`
		Words       *bool  `json:"use_regex"`
	}
	if len(f.Normalizer) > 0 && string(f.Normalizer) != "null" {
		return nil, errors.New("the tokenizer has a normalizer: docent supports BPE without one")
	}
	if err := json.Unmarshal(f.PreTokenizer, &before); err != nil || before.Type != "ByteLevel" || before.Words != nil && !*before.Words {
		return nil, fmt.Errorf("the tokenizer is BPE with the words of %.20q: docent supports ByteLevel", before.Type)
	}
	var vocabulary map[string]int
	if err := json.Unmarshal(f.Model.Vocab, &vocabulary); err != nil {
		return nil, fmt.Errorf("the vocabulary is damaged: %w", err)
	}
	return newBytePairs(vocabulary, f.Model.Merges, before.PrefixSpace)
}

// readBytePairs reads the files vocab.json and merges.txt.
func readBytePairs(vocab, merges []byte, prefixSpace bool) (*tokenizer, error) {
	var vocabulary map[string]int
	if err := json.Unmarshal(vocab, &vocabulary); err != nil {
		return nil, fmt.Errorf("vocab.json is damaged: %w", err)
	}
	var list []mergeEntry
	for line := range strings.Lines(string(merges)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#version") {
			continue
		}
		var m mergeEntry
		if err := m.read(line); err != nil {
			return nil, fmt.Errorf("merges.txt is damaged: %w", err)
		}
		list = append(list, m)
	}
	return newBytePairs(vocabulary, list, prefixSpace)
}

func newBytePairs(vocabulary map[string]int, merges []mergeEntry, prefixSpace bool) (*tokenizer, error) {
	cfg := bpe.Config{Vocabulary: vocabulary, PrefixSpace: prefixSpace}
	for _, m := range merges {
		cfg.Merges = append(cfg.Merges, m)
	}
	pieces, err := bpe.New(cfg)
	if err != nil {
		return nil, err
	}
	first, begins := vocabulary["<s>"]
	last, ends := vocabulary["</s>"]
	if !begins || !ends {
		return nil, errors.New("the vocabulary has no tokens <s> and </s>")
	}
	t := &tokenizer{append: pieces.Append, first: int32(first), last: int32(last), double: true}
	for _, id := range vocabulary {
		t.count = max(t.count, id+1)
	}
	return t, nil
}
