package wiring

import (
	"context"
	"fmt"
	"slices"

	"docent/config"
	"docent/embed/encoder"
	"docent/embed/hub"
	"docent/embed/multilingual"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/rerank"
	"docent/rag/text"
)

// scorer scores passages and texts. *rerank.Similarity implements it.
type scorer interface {
	retrieve.Reranker
	Compare(ctx context.Context, question string, texts []string) ([]float64, error)
}

// byLanguage scores passages and compares texts with one of two models. One of
// them scores all passages of a question, so that their scores can be compared.
type byLanguage struct {
	// english is the model for questions and passages that are all in English.
	english scorer
	// others is the model for other languages, or nil.
	others scorer
	// englishName and othersName identify the vectors of the models.
	englishName, othersName string
}

// newByLanguage returns nil without encoders.
func newByLanguage(e *Embedders, vectors rerank.StoredVectors) *byLanguage {
	if e.english == nil {
		return nil
	}
	b := &byLanguage{english: rerank.NewSimilarity(e.english, vectors), englishName: e.english.Name()}
	if m, ok := e.english.(*hub.Installed); ok {
		b.english = scaled{b.english, m.Scale, m.Shift}
	}
	switch e.others {
	case nil:
	case e.english: // a multilingual model in place of both
		b.others, b.othersName = b.english, b.englishName
	default:
		b.others = scaled{rerank.NewSimilarity(e.others, vectors), multilingualScale, multilingualShift}
		b.othersName = e.others.Name()
	}
	return b
}

// Score implements retrieve.Reranker.
func (b *byLanguage) Score(ctx context.Context, question string, passages []corpus.Passage) ([]retrieve.Score, error) {
	languages := []string{text.Language(question)}
	for _, p := range passages {
		languages = append(languages, p.Document.Language)
	}
	model := b.english
	if b.others != nil && slices.ContainsFunc(languages, foreign) {
		model = b.others
	}
	scores, err := model.Score(ctx, question, passages)
	if err != nil {
		return nil, fmt.Errorf("rerank by language: %w", err)
	}
	return scores, nil
}

// Compare implements pipeline.Comparer.
func (b *byLanguage) Compare(ctx context.Context, question string, languages, texts []string) ([]float64, error) {
	switch {
	case b.others != nil && (foreign(text.Language(question)) || slices.ContainsFunc(languages, foreign)):
		values, err := b.others.Compare(ctx, question, texts)
		if err != nil {
			return nil, fmt.Errorf("compare by language: %w", err)
		}
		return values, nil
	case slices.ContainsFunc(languages, foreign) && (foreign(text.Language(question)) || !slices.ContainsFunc(languages, isEnglish)):
		return nil, nil
	default:
		return b.english.Compare(ctx, question, texts)
	}
}

// These turn a cosine of the multilingual model into the scale of the built-in
// encoder, for which the weights of quotes were chosen. The cosines of English
// questions and sentences of XQuAD have a mean of .77 and a standard deviation of
// .040 with the one, and .29 and .178 with the other.
const (
	multilingualScale = 4.5
	multilingualShift = -3.17
)

// foreign reports whether a language is neither English nor unknown.
func foreign(language string) bool { return language != "" && language != "en" }

// isEnglish reports whether a language is English or unknown.
func isEnglish(language string) bool { return !foreign(language) }

// languageShare returns the share of the multilingual model in the score of a
// passage. language is that of the question. Both shares were chosen on XQuAD.
// Once the features use the vectors of the model, it has no further share.
func (x *Indexes) languageShare(language string, passage corpus.Passage) float64 {
	switch {
	case x.Retriever.Encoded(x.comparer.othersName):
		return 0
	case language == passage.Document.Language || language == "":
		return .5
	default:
		return .85
	}
}

// CheckLanguages opens the multilingual model if it is installed. It returns a
// description for docent doctor.
func CheckLanguages(cfg config.Config) (string, error) {
	if cfg.InstalledEncoder() != "" && !cfg.Embedder.Remote() {
		m, err := findInstalled(cfg, "--encoder", cfg.Encoder, hub.Encoder)
		switch {
		case err != nil:
			return "", err
		case m.Multilingual:
			return m.Manifest.Name + " finds passages in other languages than the question", nil
		}
		return m.Manifest.Name + " is not multilingual", nil
	}
	if multilingual.Installed(cfg.Models) == 0 {
		return "no multilingual model: docent model --help explains how to install one", nil
	}
	if _, err := multilingual.Open(multilingual.Path(cfg.Models), encoder.Config{AllowPlain: true}); err != nil {
		return "", fmt.Errorf("installed model: %w", err)
	}
	if _, ok := encoder.Available(); !ok || cfg.Encoder == config.EncoderOff || cfg.Embedder.Remote() {
		return multilingual.Model + " is installed, but docent does not use it without the encoder", nil
	}
	return multilingual.Model + " finds passages in other languages than the question", nil
}
