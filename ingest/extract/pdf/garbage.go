package pdf

import (
	"strings"
	"unicode"
)

const (
	// minPairs is the number of letter pairs needed to judge a page. About
	// forty different words have that many.
	minPairs = 120
	// fewPairs is the share of common pairs below which letters do not form
	// words. Real pages in Latin script have more than 0.7. Pages with
	// substituted letters mostly have about 0.4.
	fewPairs = 0.55
	// minWord is the minimum length of a judged word.
	minWord = 4
	// maxWords bounds the words of a page that are judged.
	maxWords = 4096
	// minSigns is the number of characters needed to judge a page without
	// words.
	minSigns = 200
)

// followers are, by letter, the letters that often follow it in at least one of
// twelve languages in Latin script. A pair is common if it makes up more than
// 0.2 % of the pairs in a word list.
var followers = commonPairs("aabcdefghijklmnoprstuvwz babeiloruy cacehikortuyz daeiorsuz eabcdefghijklmnoprstuvwxz faefiot gaegilnorstu haeilnorst " +
	"iacdefgjklmnoqrstuvxz jaeo kaeiklnorstu ladehilostuy mabeimopuy nacdeghiknostyz obcdegiklmnoprstuvwz paehilopr qu rabdegikmnorstuyz " +
	"sacehijklmopstuz taehijorstuyz uabcdefijlmnprst vaeio waeiosy xa ybckmswz zaeinouyz")

// commonPairs parses a list of letters with their followers.
func commonPairs(list string) (pairs [26][26]bool) {
	for entry := range strings.FieldsSeq(list) {
		for _, r := range entry[1:] {
			pairs[entry[0]-'a'][r-'a'] = true
		}
	}
	return pairs
}

// nonsense reports whether the fonts of a page have a wrong character map. Its
// text then has Latin letters that form no words of any language, or signs
// without words. nonsense only judges pages with enough text.
func nonsense(lines []line) bool {
	var c pairCount
	for _, l := range lines {
		c.add(l.text)
	}
	return c.substituted() || c.symbolsOnly()
}

// pairCount counts the letter pairs and the signs of a text.
type pairCount struct {
	pairs, common int // pairs of Latin letters in words
	other         int // letters in other scripts
	inRuns        int // letters in groups of at least three
	digits        int
	signs         map[rune]int // ASCII characters
	seen          map[string]bool
}

func (c *pairCount) add(text string) {
	if c.signs == nil {
		c.signs, c.seen = map[rune]int{}, map[string]bool{}
	}
	var word []byte
	letters := 0
	end := func() {
		if letters >= 3 {
			c.inRuns += letters
		}
		// Each word counts once, because some pages repeat the names of a
		// program.
		if len(word) >= minWord && len(c.seen) < maxWords && !c.seen[string(word)] {
			c.seen[string(word)] = true
			for i := range word[1:] {
				c.pairs++
				if followers[word[i]-'a'][word[i+1]-'a'] {
					c.common++
				}
			}
		}
		word, letters = word[:0], 0
	}
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
			if !unicode.Is(unicode.Latin, r) {
				c.other++
			}
			spell(r, func(r rune) {
				if r >= 'a' && r <= 'z' {
					word = append(word, byte(r))
				}
			})
			continue
		case unicode.IsDigit(r):
			c.digits++
		case r > ' ' && r < unicode.MaxASCII:
			c.signs[r]++
		}
		end()
	}
	end()
}

// substituted reports whether letters are displayed as other letters.
func (c *pairCount) substituted() bool {
	return c.pairs >= minPairs && c.other < c.pairs && float64(c.common) < fewPairs*float64(c.pairs)
}

// symbolsOnly reports whether a text consists of many different symbols with hardly
// any words. Leader lines and tables of numbers have only a few different symbols.
func (c *pairCount) symbolsOnly() bool {
	signs, kinds := 0, 0
	for r, n := range c.signs {
		if strings.ContainsRune("._-=*+|", r) {
			continue
		}
		signs += n
		if n >= 3 {
			kinds++
		}
	}
	all := signs + c.digits + c.inRuns
	return all >= minSigns && kinds >= 8 && signs*10 >= all*4 && c.inRuns*10 < all
}
