package pdf

import (
	"strings"
	"unicode"
)

const (
	// minPairs is how many pairs of letters are needed to judge a page: some
	// forty different words.
	minPairs = 120
	// fewPairs is the share of common pairs below which letters are not those
	// of words. Real pages in any language of Latin script have over 0.7, and
	// letters shown as others mostly about 0.4.
	fewPairs = 0.55
	// minWord is the shortest word whose letters are judged.
	minWord = 4
	// maxWords bounds the words of a page that are judged.
	maxWords = 4096
	// minSigns is how many characters are needed to judge a page without words.
	minSigns = 200
)

// followers are, by letter, the letters that often follow it in at least one of
// twelve languages of Latin script: pairs with more than 0.2 % of all in a word
// list.
var followers = commonPairs("aabcdefghijklmnoprstuvwz babeiloruy cacehikortuyz daeiorsuz eabcdefghijklmnoprstuvwxz faefiot gaegilnorstu haeilnorst " +
	"iacdefgjklmnoqrstuvxz jaeo kaeiklnorstu ladehilostuy mabeimopuy nacdeghiknostyz obcdegiklmnoprstuvwz paehilopr qu rabdegikmnorstuyz " +
	"sacehijklmopstuz taehijorstuyz uabcdefijlmnprst vaeio waeiosy xa ybckmswz zaeinouyz")

// commonPairs reads a list of letters, each with its followers.
func commonPairs(list string) (pairs [26][26]bool) {
	for entry := range strings.FieldsSeq(list) {
		for _, r := range entry[1:] {
			pairs[entry[0]-'a'][r-'a'] = true
		}
	}
	return pairs
}

// nonsense reports whether a page's text is what fonts with a wrong map make of
// it: letters of Latin script that form no words of any language, or signs
// without words. It judges only pages with enough text.
func nonsense(lines []line) bool {
	var c pairCount
	for _, l := range lines {
		c.add(l.text)
	}
	return c.substituted() || c.signsOnly()
}

// pairCount counts the letters and signs of a text.
type pairCount struct {
	pairs, common int // of letters in Latin script, in words
	other         int // letters of other scripts
	inRuns        int // letters that stand with at least two others
	digits        int
	signs         map[rune]int // of ASCII
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
		// A word counts once: some pages repeat the names of a program.
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

// substituted reports letters that are shown as others.
func (c *pairCount) substituted() bool {
	return c.pairs >= minPairs && c.other < c.pairs && float64(c.common) < fewPairs*float64(c.pairs)
}

// signsOnly reports a mixture of many signs with hardly any words. Lines of
// leaders or a table of numbers have few kinds of signs.
func (c *pairCount) signsOnly() bool {
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
