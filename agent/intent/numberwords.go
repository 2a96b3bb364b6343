package intent

import "strings"

// units, tens, and scales are the parts of English number words.
var (
	units  = numbered("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 0, 1)
	tens   = numbered("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
	scales = map[string]int64{"thousand": 1e3, "million": 1e6, "billion": 1e9, "tausend": 1e3, "millionen": 1e6}
)

func numbered(words string, from, step int64) map[string]int64 {
	m := map[string]int64{}
	for i, w := range strings.Fields(words) {
		m[w] = from + int64(i)*step
	}
	return m
}

// englishNumber reads a number in English words. It returns the number of
// words, or 0.
func englishNumber(text string, words []textWord) (float64, int) {
	total, n := wholeEnglish(text, words)
	if n == 0 {
		return 0, 0
	}
	value := float64(total)
	next := func(i int, word string) bool {
		return i < len(words) && words[i].text == word && gap(text, words[i-1].end, words[i].start)
	}
	switch {
	case next(n, "and") && next(n+1, "a") && next(n+2, "half"):
		return value + .5, n + 3
	case next(n, "point"):
		scale := .1
		for i := n + 1; i < len(words) && i < n+10 && gap(text, words[i-1].end, words[i].start); i++ {
			d, ok := units[words[i].text]
			if !ok || d > 9 {
				break
			}
			value += float64(d) * scale
			scale /= 10
		}
		if digits := digitsOf(scale); digits > 0 {
			return rounded(value, digits), n + 1 + digits
		}
	}
	return value, n
}

// digitsOf returns the number of decimals read so far, if the next one has the
// given scale.
func digitsOf(scale float64) int {
	n := 0
	for ; scale < .09; scale *= 10 {
		n++
	}
	return n
}

// rounded removes the rounding errors of adding up decimals.
func rounded(v float64, digits int) float64 {
	p := 1.
	for range digits {
		p *= 10
	}
	return float64(int64(v*p+.5)) / p
}

// wholeEnglish reads a whole number in English words.
func wholeEnglish(text string, words []textWord) (int64, int) {
	var total, group int64 // group is the part below the next scale
	last, read, free := int64(maxWordNumber), 0, int64(1000)
	for i := 0; i < len(words); i++ {
		if i > 0 && !gap(text, words[i-1].end, words[i].start) {
			break
		}
		w := words[i].text
		switch {
		case w == "a" && i == 0 && len(words) > 1 && (words[1].text == "hundred" || scales[words[1].text] > 0):
			group, free = 1, 1
			continue
		case w == "and" && i > 0 && read == i && (words[i-1].text == "hundred" || scales[words[i-1].text] > 0):
			continue
		}
		v, unit := units[w]
		ten, isTen := tens[w]
		scale, isScale := scales[w]
		switch {
		case unit && v < free && (v > 0 || i == 0):
			group, free = group+v, 0
			if v == 0 {
				return 0, 1
			}
		case isTen && free >= 100:
			group, free = group+ten, 10
		case w == "hundred" && 0 < group && group < 100 && free != 100:
			group, free = group*100, 100
		case isScale && group > 0 && scale < last:
			total, group, last, free = total+group*scale, 0, scale, 1000
		default:
			return total + group, read
		}
		read = i + 1
	}
	return total + group, read
}

// The parts of German number words.
var (
	germanUnits = numbered("null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn", 0, 1)
	germanTens  = map[string]int64{
		"zwanzig": 20, "dreißig": 30, "dreissig": 30, "vierzig": 40, "fünfzig": 50,
		"sechzig": 60, "siebzig": 70, "achtzig": 80, "neunzig": 90,
	}
)

// maxGermanBytes bounds the length of a number word.
const maxGermanBytes = 60

// germanNumber reads a number in one German word. "ein" alone is an article.
func germanNumber(word string) (int64, bool) {
	switch {
	case word == "ein", len(word) > maxGermanBytes:
		return 0, false
	case word == "eins":
		return 1, true
	case word == "zwo":
		return 2, true
	}
	return germanPart(word)
}

// germanPart reads a number or a part of one.
func germanPart(w string) (int64, bool) {
	if v, ok := germanUnits[w]; ok {
		return v, true
	}
	if v, ok := germanTens[w]; ok {
		return v, true
	}
	for _, s := range []struct {
		word  string
		value int64
	}{{"tausend", 1000}, {"hundert", 100}} {
		before, after, ok := strings.Cut(w, s.word)
		if !ok {
			continue
		}
		left, right := int64(1), int64(0)
		if before != "" {
			left, ok = germanPart(before)
		}
		after = strings.TrimPrefix(after, "und")
		if ok && after != "" {
			right, ok = germanPart(strings.TrimSuffix(after, "s"))
			if !ok {
				right, ok = germanPart(after)
			}
		}
		return left*s.value + right, ok && left > 0 && left < 1000 && right < s.value
	}
	before, after, _ := strings.Cut(w, "und")
	unit, ok := germanUnits[before]
	ten, ok2 := germanTens[after]
	return unit + ten, ok && ok2 && 0 < unit && unit < 10
}
