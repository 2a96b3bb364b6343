package tool

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"docent/embed"
	"docent/internal/fault"
)

const (
	// alwaysBytes is the maximum total size of skills that are always used.
	alwaysBytes = 8 << 10
	// minSimilarity is the minimum similarity of a question and a fitting skill. In TestRelevantSkills, the built-in embedder
	// gives fitting skills at least .19 and others at most .15.
	minSimilarity = .18
	// maxHeadings is the maximum number of compared headings per skill.
	maxHeadings = 32
)

// SkillsConfig configures Skills.
type SkillsConfig struct {
	// Skills are the skills in display order. Their names are unique.
	Skills []Skill
	// Static compares questions with skills. Default: a new one.
	Static *embed.Static
}

// Skills are the skills of an agent. They are safe for concurrent use.
type Skills struct {
	cfg SkillsConfig
	// vectors are the vectors of each skill's lines: first of all lines together, then of each line.
	vectors [][][]float32
	bytes   int
}

// NewSkills prepares skills for comparison.
func NewSkills(ctx context.Context, cfg SkillsConfig) (*Skills, error) {
	if len(cfg.Skills) > MaxSkills {
		return nil, fault.New(fault.Invalid,
			"skills_too_many", "%d skills are too many; at most %d are allowed", len(cfg.Skills), MaxSkills)
	}
	if cfg.Static == nil {
		var err error
		if cfg.Static, err = embed.NewStatic(); err != nil {
			return nil, fmt.Errorf("skills: %w", err)
		}
	}
	cfg.Skills = slices.Clone(cfg.Skills)
	s := &Skills{cfg: cfg, vectors: make([][][]float32, len(cfg.Skills))}
	seen := map[string]bool{}
	for i, skill := range cfg.Skills {
		skill, err := skill.checked()
		if err != nil {
			return nil, err
		}
		if seen[skill.Name] {
			return nil, fault.New(fault.Invalid, "skill_name_twice", "two skills are called %s", skill.Name)
		}
		seen[skill.Name] = true
		s.bytes += len(skill.Prompt())
		lines := skill.about()
		if s.vectors[i], err = cfg.Static.EmbedDocuments(ctx, append([]string{strings.Join(lines, "\n")}, lines...)); err != nil {
			return nil, fmt.Errorf("skill %s: %w", skill.Name, err)
		}
	}
	return s, nil
}

// All returns the skills in order.
func (s *Skills) All() []Skill { return slices.Clone(s.cfg.Skills) }

// Relevant returns at most limit skills for a question, in order. It returns all skills if there are at most limit and
// they are at most 8 KiB together. Otherwise it returns skills whose name occurs in the question, and skills whose name,
// description, or headings are similar to it. The most similar skills win. The result may be empty.
func (s *Skills) Relevant(ctx context.Context, question string, limit int) ([]Skill, error) {
	if limit <= 0 {
		return nil, nil
	}
	if len(s.cfg.Skills) <= limit && s.bytes <= alwaysBytes {
		return s.All(), nil
	}
	vector, err := s.cfg.Static.EmbedQuery(ctx, question)
	if err != nil {
		return nil, fmt.Errorf("skills: %w", err)
	}
	type choice struct {
		index int
		score float32
	}
	var fit []choice
	words := spaced(question)
	for i, skill := range s.cfg.Skills {
		score := similarity(vector, s.vectors[i])
		if strings.Contains(words, spaced(skill.Name)) {
			score = 1
		}
		if score >= minSimilarity {
			fit = append(fit, choice{i, score})
		}
	}
	slices.SortStableFunc(fit, func(a, b choice) int { return cmp.Compare(b.score, a.score) })
	fit = fit[:min(limit, len(fit))]
	slices.SortFunc(fit, func(a, b choice) int { return cmp.Compare(a.index, b.index) })
	out := make([]Skill, len(fit))
	for i, c := range fit {
		out[i] = s.cfg.Skills[c.index]
	}
	return out, nil
}

// similarity returns the best cosine of a question and one of a skill's vectors.
func similarity(question []float32, vectors [][]float32) float32 {
	var best float32
	for _, v := range vectors {
		var sum float32
		for i := range v {
			sum += v[i] * question[i]
		}
		best = max(best, sum)
	}
	return best
}

// about returns the lines that describe the purpose of a skill.
func (s Skill) about() []string {
	lines := []string{strings.TrimSpace(spaced(s.Name))}
	if s.Description != "" {
		lines = append(lines, s.Description)
	}
	all := headings(s.Content)
	lines = append(lines, all[:min(len(all), maxHeadings)]...)
	if len(lines) == 1 {
		first, _, _ := strings.Cut(s.Content, "\n")
		lines = append(lines, first)
	}
	return lines
}

// spaced returns the words of a text in lower case, with a space around each.
func spaced(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return " " + strings.Join(words, " ") + " "
}
