package quote

import (
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// BlockKind is the kind of a Block.
type BlockKind uint8

// The kinds of blocks.
const (
	// Paragraph is a short paragraph, or a few sentences of a long one.
	Paragraph BlockKind = iota
	// Item is an item of a list with all that belongs to it.
	Item
	// Step is an item of a numbered list.
	Step
	// List is a whole list with the sentence that introduces it.
	List
	// Definition is the text below a term.
	Definition
	// Row is a row of a table.
	Row
	// Code is a block of code with the sentence that introduces it.
	Code
	// Section is a block with the text around it in its section.
	Section
)

// Block is the smallest part of a passage that stands alone. Answers quote blocks.
type Block struct {
	// Kind is the kind of the block.
	Kind BlockKind
	// Passage is the position of its passage, counted from 0.
	Passage int
	// Start and End are byte offsets in the text of the passage. End is exclusive.
	Start, End int

	// from and to are the positions of its sentences in the passage.
	from, to int
}

// Bounds of blocks, in words.
const (
	// maxParagraph is the length up to which a paragraph is one block.
	maxParagraph = 75
	// maxFirst is the length up to which the best paragraph is quoted as a whole.
	maxFirst = 100
	// maxItem is the length up to which an item includes the list inside it.
	maxItem = 90
	// maxList is the length up to which a list is one block.
	maxList = 150
	// maxLongList is the maximum length of the first sentences of a longer list.
	maxLongList = 200
)

// maxItems is the maximum number of items of a list in an answer.
const maxItems = 20

// maxRun is the maximum number of sentences of a long paragraph in a block, without those that belong to the last one.
const maxRun = 3

// blocks returns the blocks of a passage. Blocks of a long paragraph and lists overlap with others.
func (e *extractor) blocks(doc int) []Block {
	s := e.passages[doc]
	var out []Block
	add := func(kind BlockKind, from, to int) { out = append(out, blockOf(kind, s, from, to)) }
	for at := 0; at < len(s); {
		switch s[at].Kind {
		case text.TitleSentence:
			if len(s) == 1 {
				add(Paragraph, at, at+1)
			}
			at++
		case text.ItemSentence:
			end := listEnd(s, at)
			from := at
			if at > 0 && introduces(s[at-1]) && s[at-1].label == s[at].label {
				from--
			}
			if n := len(itemsOf(s, at, end)); n > 1 && n <= maxItems && words(s[from:end]) <= maxList {
				add(List, from, end)
			}
			for _, item := range itemsOf(s, at, end) {
				add(itemKind(s[item[0]:item[1]]), item[0], item[1])
			}
			at = end
		case text.RowSentence:
			kind := Row
			if isLayout(s[at]) {
				kind = Paragraph
			}
			add(kind, at, at+1)
			at++
		case text.CodeSentence:
			from := at
			if at > 0 && announces(s[at-1]) && s[at-1].label == s[at].label {
				from--
			}
			add(Code, from, at+1)
			at++
		default:
			end := paragraphEnd(s, at)
			for _, run := range runs(s, at, end) {
				add(paragraphKind(s[at]), run[0], run[1])
			}
			at = end
		}
	}
	return out
}

// blockOf returns the block of the sentences from..to of a passage.
func blockOf(kind BlockKind, s []quote, from, to int) Block {
	return Block{Kind: kind, Passage: s[from].doc, Start: s[from].Start, End: s[to-1].End, from: from, to: to}
}

// maxItemTitle is the maximum number of words of a title at the beginning of an item.
const maxItemTitle = 6

// itemKind returns the kind of an item. A numbered title with a text below it, such as a house rule, is no step.
func itemKind(item []quote) BlockKind {
	first := item[0]
	titled := len(item) > 1 && first.words <= maxItemTitle && !first.ends && !introduces(first)
	if numbered.MatchString(first.text) && !titled {
		return Step
	}
	return Item
}

// paragraphKind returns the kind of a paragraph.
func paragraphKind(q quote) BlockKind {
	if isTerm(q.label) {
		return Definition
	}
	return Paragraph
}

// numbered matches the mark of a step.
var numbered = lazyregexp.New(`^\d{1,3}[.)] `)

// listEnd returns the end of the list at a sentence.
func listEnd(s []quote, at int) int {
	for at < len(s) && s[at].Kind == text.ItemSentence {
		at = itemEnd(s, at)
	}
	return at
}

// itemsOf returns the first and the end of each item of a list.
func itemsOf(s []quote, at, end int) [][2]int {
	var out [][2]int
	for at < end {
		next := itemEnd(s, at)
		out = append(out, [2]int{at, next})
		at = next
	}
	return out
}

// itemEnd returns the end of the item at a sentence. It includes further paragraphs, code, and short lists that are indented below
// it, and code between two steps.
func itemEnd(s []quote, at int) int {
	depth, to, own := indentation(s[at]), at+1, at+1
	for ; to < len(s) && s[to].label == s[at].label; to++ {
		n := s[to]
		if n.Block == s[at].Block {
			own = to + 1
			continue
		}
		step := n.Kind == text.CodeSentence && numbered.MatchString(s[at].text) && to+1 < len(s) && numbered.MatchString(s[to+1].text)
		if n.Kind == text.TitleSentence || n.Kind == text.RowSentence || indentation(n) <= depth && !step {
			break
		}
	}
	if words(s[at:to]) > maxItem {
		return own
	}
	return to
}

// indentation returns the width of the indentation of a sentence. A tab counts as 4.
func indentation(q quote) int { return len(strings.ReplaceAll(q.indent, "\t", "    ")) }

// paragraphEnd returns the end of the paragraph at a sentence.
func paragraphEnd(s []quote, at int) int {
	to := at + 1
	for to < len(s) && s[to].Block == s[at].Block && s[to].Kind == s[at].Kind {
		to++
	}
	return to
}

// runs returns the first and the end of each run of sentences of a paragraph that can be quoted alone: all of a short
// paragraph, or up to maxRun sentences of a long one. The sentences that belong to the last one follow.
func runs(s []quote, at, end int) [][2]int {
	if words(s[at:end]) <= maxParagraph {
		return [][2]int{{at, end}}
	}
	var out [][2]int
	for from := at; from < end; from++ {
		for to := from + 1; to <= min(from+maxRun, end); to++ {
			last := to
			for last < end && belongs(s[last]) && words(s[from:last+1]) <= maxParagraph {
				last++
			}
			if to > from+1 && words(s[from:last]) > maxParagraph {
				break
			}
			if len(out) == 0 || out[len(out)-1] != [2]int{from, last} {
				out = append(out, [2]int{from, last})
			}
		}
	}
	return out
}

// words returns the number of words of sentences.
func words(s []quote) int {
	n := 0
	for _, q := range s {
		n += q.words
	}
	return n
}

// introduces reports whether a sentence ends with a colon.
func introduces(q quote) bool {
	return q.Kind != text.CodeSentence && q.Kind != text.RowSentence && strings.HasSuffix(q.text, ":")
}

// announcing matches a sentence like "Use the following." that has no colon.
var announcing = lazyregexp.New(`(?i)\b(?:(?:the|as) following|as follows|like this|as below|folgendes|wie folgt)\b.*\.$`)

// announces reports whether the code behind a sentence belongs to it. A sentence without an end goes on with the code, but not a
// line of a name and its meaning.
func announces(q quote) bool {
	return introduces(q) || q.Kind == text.ProseSentence && (!q.ends && q.defined < 1 || announcing.MatchString(q.text))
}
