package roff

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// maxExpanded bounds the length of a line after its strings are inserted.
	maxExpanded = 64 << 10
	// maxInserted bounds the nesting of strings.
	maxInserted = 8
	// maxArgument bounds the length of the argument of an escape with its end, in bytes.
	maxArgument = 1000
)

// inline returns the text of a line without its escapes.
func (r *reader) inline(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	r.unescape(&b, s, 0)
	return b.String()
}

func (r *reader) unescape(b *strings.Builder, s string, depth int) {
	for s != "" && b.Len() < maxExpanded {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 >= len(s) {
			b.WriteString(strings.TrimSuffix(s, `\`))
			return
		}
		b.WriteString(s[:i])
		c := s[i+1]
		s = s[i+2:]
		if plain, ok := plainEscapes[c]; ok {
			b.WriteString(plain)
			continue
		}
		s = r.escape(b, c, s, depth)
	}
}

// plainEscapes are the escapes of one character with their texts.
var plainEscapes = map[byte]string{
	'-': "-", 'e': `\`, '\\': `\`, '.': ".", '\'': "'", '`': "`", ' ': " ", '~': " ", '0': " ", '_': "_", 't': "\t", 'E': `\`,
	'|': "", '^': "", '&': "", ':': "", '%': "", '/': "", ',': "", ')': "", '{': "",
	'}': "", 'c': "", 'u': "", 'd': "", 'r': "", 'p': "", 'a': " ",
}

// escape reads an escape with an argument, and returns the text after it.
func (r *reader) escape(b *strings.Builder, c byte, s string, depth int) string {
	switch c {
	case '(':
		n := min(2, len(s))
		b.WriteString(character(s[:n]))
		return s[n:]
	case '[':
		name, rest, ok := cutArgument(s, "]")
		if !ok {
			return s
		}
		b.WriteString(character(name))
		return rest
	case '*':
		name, rest := named(s)
		value, ok := r.strings[name]
		if !ok {
			value = knownStrings[name]
		}
		if r.budget -= len(value); depth < maxInserted && r.budget >= 0 {
			r.unescape(b, value, depth+1)
		}
		return rest
	case 's':
		return sized(s)
	case 'f', 'n', 'F', 'm', 'M', 'g', 'k', 'V', 'Y':
		_, rest := named(strings.TrimLeft(s, "+-"))
		return rest
	case 'z':
		return s
	case 'N', 'C':
		value, rest := delimited(s)
		if c == 'C' {
			b.WriteString(character(value))
		} else {
			b.WriteString(character("char" + value))
		}
		return rest
	case 'h', 'v', 'w', 'l', 'L', 'D', 'o', 'x', 'b', 'H', 'S', 'X', 'A', 'B', 'R', 'Z':
		value, rest := delimited(s)
		if c == 'o' || c == 'Z' {
			r.unescape(b, value, maxInserted)
		} else if c == 'h' && strings.HasPrefix(value, "+") && b.Len() > 0 {
			b.WriteByte(' ')
		}
		return rest
	default:
		b.WriteByte(c)
		return s
	}
}

// knownStrings are the strings of the macro packages.
var knownStrings = map[string]string{
	"R": "®", "Tm": "™", "lq": "“", "rq": "”", "L\"": "“", "R\"": "”", "Aq": "'", "C`": "", "C'": "", "--": "—", "PI": "π",
	"Lq": "“", "Rq": "”", "Le": "≤", "Ge": "≥", "Ne": "≠", "Pm": "±", "If": "∞", "Am": "&", "Ba": "|", "q": "\"", "aa": "´", "ga": "`",
}

// named reads the name after an escape: one character, (xx, or [name].
func named(s string) (name, rest string) {
	switch {
	case s == "":
		return "", ""
	case s[0] == '(':
		n := min(3, len(s))
		return s[1:n], s[n:]
	case s[0] == '[':
		name, rest, ok := cutArgument(s[1:], "]")
		if !ok {
			return "", s[1:]
		}
		return name, rest
	}
	_, n := utf8.DecodeRuneInString(s)
	return s[:n], s[n:]
}

// sized skips the argument of a change of the letter size: a digit with an optional
// sign, two digits after "(", or text in quotes or brackets.
func sized(s string) string {
	s = strings.TrimLeft(s, "+-")
	switch {
	case s == "":
		return ""
	case s[0] == '\'':
		_, rest := delimited(s)
		return rest
	case s[0] == '(', s[0] == '[':
		_, rest := named(s)
		return rest
	case s[0] >= '1' && s[0] <= '3' && len(s) > 1 && s[1] >= '0' && s[1] <= '9':
		return s[2:]
	}
	return s[1:]
}

// delimited reads an argument between two equal characters.
func delimited(s string) (value, rest string) {
	if s == "" {
		return "", ""
	}
	_, n := utf8.DecodeRuneInString(s)
	value, rest, ok := cutArgument(s[n:], s[:n])
	if !ok {
		return "", s
	}
	return value, rest
}

// cutArgument cuts s at the end of an argument. It does not find an end after
// maxArgument, so that lines with many open arguments take linear time.
func cutArgument(s, end string) (value, rest string, ok bool) {
	i := strings.Index(s[:min(len(s), maxArgument)], end)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(end):], true
}

// character returns the character with a name, or "" if it is unknown.
func character(name string) string {
	if c, ok := characters[name]; ok {
		return c
	}
	if code, ok := strings.CutPrefix(name, "u"); ok && len(code) >= 4 {
		code, _, _ = strings.Cut(code, "_") // a combination of characters
		if n, err := strconv.ParseUint(code, 16, 21); err == nil && utf8.ValidRune(rune(n)) {
			return string(rune(n))
		}
	}
	if code, ok := strings.CutPrefix(name, "char"); ok {
		if n, err := strconv.ParseUint(code, 10, 21); err == nil && n >= ' ' && utf8.ValidRune(rune(n)) {
			return string(rune(n))
		}
	}
	if len(name) == 2 { // a letter with an accent
		if accents, ok := accented[name[0]]; ok {
			if c, ok := accents[name[1]]; ok {
				return string(c)
			}
			return name[1:]
		}
		if greek, ok := greek[name[1]]; ok && name[0] == '*' {
			return string(greek)
		}
	}
	return ""
}

// characters are the special characters by name.
var characters = map[string]string{
	"aq": "'", "dq": `"`, "lq": "“", "rq": "”", "oq": "‘", "cq": "’", "Bq": "„", "bq": "‚", "Fo": "«", "Fc": "»", "fo": "‹", "fc": "›",
	"em": "—", "en": "–", "hy": "-", "mi": "−", "bu": "•", "ci": "○", "sq": "□", "de": "°", "ps": "¶", "sc": "§", "dg": "†", "dd": "‡",
	"co": "©", "rg": "®", "tm": "™", "ct": "¢", "Eu": "€", "eu": "€", "Ye": "¥", "Po": "£", "Cs": "¤", "Do": "$", "at": "@", "sh": "#",
	"rs": `\`, "sl": "/", "ul": "_", "ru": "_", "ha": "^", "ti": "~", "ga": "`", "aa": "´", "ba": "|", "br": "|", "or": "|", "bb": "¦",
	"lB": "[", "rB": "]", "lC": "{", "rC": "}", "la": "⟨", "ra": "⟩", "lh": "☞", "rh": "☜",
	"->": "→", "<-": "←", "<>": "↔", "da": "↓", "ua": "↑", "rA": "⇒", "lA": "⇐", "hA": "⇔",
	"<=": "≤", ">=": "≥", "!=": "≠", "==": "≡", "~=": "≅", "~~": "≈", "ap": "∼", "+-": "±", "mu": "×", "di": "÷", "pl": "+", "eq": "=",
	"if": "∞", "sr": "√", "pd": "∂", "es": "∅", "mo": "∈", "nm": "∉", "AN": "∧", "OR": "∨", "no": "¬", "tno": "¬", "fa": "∀", "te": "∃",
	"12": "½", "14": "¼", "34": "¾", "S1": "¹", "S2": "²", "S3": "³", "mc": "µ", "OK": "✓", "f/": "⁄", "%0": "‰", "fm": "′", "sd": "″",
	"ss": "ß", "AE": "Æ", "ae": "æ", "OE": "Œ", "oe": "œ", "/O": "Ø", "/o": "ø",
	"/L": "Ł", "/l": "ł", "-D": "Ð", "Sd": "ð", "TP": "Þ", "Tp": "þ",
	"oA": "Å", "oa": "å", ",C": "Ç", ",c": "ç", "vS": "Š", "vs": "š", "vZ": "Ž",
	"vz": "ž", ".i": "ı", "r!": "¡", "r?": "¿", "Of": "ª", "Om": "º",
	"fi": "fi", "fl": "fl", "ff": "ff", "Fi": "ffi", "Fl": "ffl", "lf": "⌊", "rf": "⌋",
	"lc": "⌈", "rc": "⌉", "coproduct": "∐", "product": "∏", "sum": "∑",
}

// accented are the letters with an accent, by the accent.
var accented = map[byte]map[byte]rune{
	'\'': {
		'A': 'Á', 'E': 'É', 'I': 'Í', 'O': 'Ó', 'U': 'Ú', 'Y': 'Ý', 'C': 'Ć',
		'a': 'á', 'e': 'é', 'i': 'í', 'o': 'ó', 'u': 'ú', 'y': 'ý', 'c': 'ć',
	},
	'`': {'A': 'À', 'E': 'È', 'I': 'Ì', 'O': 'Ò', 'U': 'Ù', 'a': 'à', 'e': 'è', 'i': 'ì', 'o': 'ò', 'u': 'ù'},
	'^': {'A': 'Â', 'E': 'Ê', 'I': 'Î', 'O': 'Ô', 'U': 'Û', 'a': 'â', 'e': 'ê', 'i': 'î', 'o': 'ô', 'u': 'û'},
	':': {'A': 'Ä', 'E': 'Ë', 'I': 'Ï', 'O': 'Ö', 'U': 'Ü', 'a': 'ä', 'e': 'ë', 'i': 'ï', 'o': 'ö', 'u': 'ü', 'y': 'ÿ'},
	'~': {'A': 'Ã', 'N': 'Ñ', 'O': 'Õ', 'a': 'ã', 'n': 'ñ', 'o': 'õ'},
}

// greek are the Greek letters by their troff names.
var greek = map[byte]rune{
	'a': 'α', 'b': 'β', 'g': 'γ', 'd': 'δ', 'e': 'ε', 'z': 'ζ', 'y': 'η',
	'h': 'θ', 'i': 'ι', 'k': 'κ', 'l': 'λ', 'm': 'μ', 'n': 'ν', 'p': 'π',
	'r': 'ρ', 's': 'σ', 't': 'τ', 'u': 'υ', 'f': 'φ', 'x': 'χ', 'q': 'ψ', 'w': 'ω',
	'G': 'Γ', 'D': 'Δ', 'L': 'Λ', 'P': 'Π', 'S': 'Σ', 'F': 'Φ', 'W': 'Ω',
}
