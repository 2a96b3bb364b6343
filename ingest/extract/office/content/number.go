package content

import (
	"strconv"
	"strings"
)

// Numeral returns a number in a format of Office Open XML, such as lowerRoman. Formats
// without a form of their own are decimal.
func Numeral(n int, format string) string {
	switch format {
	case "lowerLetter":
		return letters(n, latinLetters)
	case "upperLetter":
		return strings.ToUpper(letters(n, latinLetters))
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	case "russianLower":
		return letters(n, russianLetters)
	case "russianUpper":
		return strings.ToUpper(letters(n, russianLetters))
	case "ordinal":
		return strconv.Itoa(n) + ordinalEnding(n)
	case "decimalZero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "cardinalText", "ordinalText":
		words := cardinals
		if format == "ordinalText" {
			words = ordinals
		}
		if n > 0 && n <= len(words) {
			return words[n-1]
		}
	case "chicago":
		marks := []string{"*", "†", "‡", "§"}
		if n > 0 && n <= 4*len(marks) {
			return strings.Repeat(marks[(n-1)%len(marks)], (n-1)/len(marks)+1)
		}
	case "decimalEnclosedCircle", "decimalEnclosedCircleChinese":
		if n > 0 && n <= 20 {
			return string(rune('①' + n - 1))
		}
	case "decimalEnclosedParen":
		return "(" + strconv.Itoa(n) + ")"
	case "numberInDash":
		return "- " + strconv.Itoa(n) + " -"
	case "aiueo", "aiueoFullWidth":
		return letters(n, []rune("アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"))
	case "ganada":
		return letters(n, []rune("가나다라마바사아자차카타파하"))
	case "hebrew1", "hebrew2":
		return letters(n, []rune("אבגדהוזחטיכלמנסעפצקרשת"))
	case "arabicAlpha":
		return letters(n, []rune("أبتثجحخدذرزسشصضطظعغفقكلمنهوي"))
	case "chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting", "taiwaneseCountingThousand",
		"ideographDigital", "japaneseDigitalTenThousand", "taiwaneseDigital":
		return hanNumber(n)
	}
	return strconv.Itoa(n)
}

var (
	latinLetters   = []rune("abcdefghijklmnopqrstuvwxyz")
	russianLetters = []rune("абвгдежзиклмнопрстуфхцчшщэюя")
	cardinals      = strings.Fields("One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen Twenty")
	ordinals       = strings.Fields("First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth Eleventh Twelfth Thirteenth Fourteenth Fifteenth Sixteenth " +
		"Seventeenth Eighteenth Nineteenth Twentieth")
)

// maxLetters is the largest number that is written with letters.
const maxLetters = 780

// letters writes a number as Word does: after z follow aa and bb.
func letters(n int, alphabet []rune) string {
	if n < 1 || n > maxLetters {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(alphabet[(n-1)%len(alphabet)]), (n-1)/len(alphabet)+1)
}

// roman writes a number in Roman numerals.
func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, s := range []struct {
		value int
		sign  string
	}{
		{1000, "M"},
		{900, "CM"},
		{500, "D"},
		{400, "CD"},
		{100, "C"},
		{90, "XC"},
		{50, "L"},
		{40, "XL"},
		{10, "X"},
		{9, "IX"},
		{5, "V"},
		{4, "IV"},
		{1, "I"},
	} {
		for n >= s.value {
			b.WriteString(s.sign)
			n -= s.value
		}
	}
	return b.String()
}

// ordinalEnding returns the English ending of an ordinal number.
func ordinalEnding(n int) string {
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// hanNumber writes a number up to 99 in Chinese characters.
func hanNumber(n int) string {
	digits := []rune("〇一二三四五六七八九")
	switch {
	case n < 0 || n > 99:
		return strconv.Itoa(n)
	case n < 10:
		return string(digits[n])
	}
	out := "十"
	if n >= 20 {
		out = string(digits[n/10]) + out
	}
	if n%10 > 0 {
		out += string(digits[n%10])
	}
	return out
}
