package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/lazyregexp"
)

// ItemMark returns the length of the list mark at the start of s, including
// the space behind it, or 0 if there is none.
func ItemMark(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	if strings.ContainsRune("-*+•◦▪–·", r) {
		if strings.HasPrefix(s[size:], " ") {
			return size + 1
		}
		return 0
	}
	digits := 0
	for digits < len(s) && digits < 3 && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	if digits > 0 && len(s) > digits+1 && (s[digits] == '.' || s[digits] == ')') && s[digits+1] == ' ' {
		return digits + 2
	}
	return 0
}

// markRows marks the lines that are table rows. Their cells are separated by tabs or
// bars. Bars also separate alternatives and the commands of a shell, so a line that has
// no neighbor with bars needs the form of a row.
func markRows(text string, lines []line) {
	barred := make([]bool, len(lines))
	for i, l := range lines {
		barred[i] = hasBars(l.of(text))
	}
	for i := range lines {
		s := lines[i].of(text)
		switch {
		case strings.HasPrefix(s, "|") && strings.HasSuffix(s, "|") && len(s) > 2 || strings.Contains(s, "\t"):
			lines[i].row = true
		case barred[i] && !isPipe(s):
			lines[i].row = i > 0 && barred[i-1] || i+1 < len(lines) && barred[i+1] || !isChoice(s)
		}
	}
}

// hasBars reports whether bars can separate the cells of a line. Bars inside brackets
// separate alternatives.
func hasBars(s string) bool {
	before, _, ok := strings.Cut(s, " | ")
	if !ok {
		return false
	}
	open := strings.Count(before, "[") + strings.Count(before, "{") + strings.Count(before, "(")
	return open == strings.Count(before, "]")+strings.Count(before, "}")+strings.Count(before, ")")
}

// pipe matches a command with arguments whose output another command reads.
var pipe = lazyregexp.New(`^(?:[$#%>] )?\S+ .*\S \| (?:sudo )?(?:awk|base64|bash|bzip2|cat|cut|cpio|dd|docker|git|grep|gunzip|gzip|head|jq|less|` +
	`more|mail|mysql|openssl|psql|python3?|sed|sh|sort|sqlite3|ssh|tail|tar|tee|tr|uniq|wc|xargs|xz|zcat|zstd)(?: |$)`)

// isPipe reports whether a line passes the output of a command to another one.
func isPipe(s string) bool { return pipe.MatchString(s) || prompt.MatchString(s) }

// isChoice reports whether the bars of a line separate alternatives, as in code or in
// "keepalive yes | no".
func isChoice(s string) bool {
	before, behind, _ := strings.Cut(s, " | ")
	if looksLikeCode(strings.ReplaceAll(s, "|", "")) || strings.Contains(before, " = ") {
		return true
	}
	words := strings.Fields(before)
	if len(words) < 2 {
		return false
	}
	last := words[len(words)-1]
	for _, other := range strings.Split(behind, " | ") {
		if !isName(last) || !isName(other) || (strings.ToLower(last) == last) != (strings.ToLower(other) == other) {
			return false
		}
	}
	return true
}

// isName reports whether s has only letters, underscores, and hyphens.
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != '-' })
}

// isTerminalTable reports whether the lines up to a blank line contain a table
// of a terminal, with a rule such as ----+----.
func isTerminalTable(text string, lines []line) bool {
	for _, l := range lines {
		if l.blank() {
			break
		}
		if s := l.of(text); strings.Contains(s, "-+-") && strings.Trim(s, "-+") == "" {
			return true
		}
	}
	return false
}

// isLiteral reports whether a line behind a colon is an example and not the
// first of several terms.
func isLiteral(s string) bool {
	return looksLikeCode(s) || strings.ContainsAny(strings.TrimRight(s, ":"), ":=/\\[]{}<>$|*;") && !strings.HasPrefix(s, "-")
}

// syntaxTerm matches a line that begins with a keyword and does not end like a
// statement.
var syntaxTerm = lazyregexp.New(`^[A-Z]{2,}\b.*[^;{}\\,]$`)

// isSyntaxTerm reports whether the first line, which looks like code, is the
// syntax that the prose below explains: the term of a definition.
func isSyntaxTerm(text string, lines []line) bool {
	if len(lines) < 3 || !lines[1].blank() || !syntaxTerm.MatchString(lines[0].of(text)) {
		return false
	}
	for _, l := range lines[2:] {
		if s := l.of(text); s != "" {
			return !looksLikeCode(s) && ItemMark(s) == 0 && (strings.Contains(s, ". ") || strings.HasSuffix(s, ".") || strings.HasSuffix(s, ":"))
		}
	}
	return false
}

// isCode reports whether lines look like code: most look like code or are indented more than the
// prose around them, and few read like prose.
func isCode(text string, lines []line, base int) bool {
	if ItemMark(lines[0].of(text)) > 0 {
		return false
	}
	if prompt.MatchString(lines[0].of(text)) {
		return true
	}
	code, prose := 0, 0
	for _, l := range lines {
		s := l.of(text)
		running := isRunning(s)
		switch {
		case looksLikeCode(s):
			code += 2
		case len(lines) > 1 && isAligned(s) && !(running && isJustified(s)):
			code += 2
		case l.indent >= 4 && l.indent > base+2 && !running:
			code++
		}
		if !looksLikeCode(s) && (running || wordCount(s) >= 6 &&
			(strings.HasSuffix(s, ".") || strings.HasSuffix(s, ":") || strings.Contains(s, ". ") || strings.Contains(s, ", "))) {
			prose += 2
		}
	}
	return code > prose && code >= len(lines)
}

// proseIndent returns the smallest indentation of lines that read like prose, or 0 without such lines. Texts
// such as manual pages indent all their prose.
func proseIndent(text string, lines []line) int {
	least := -1
	for _, l := range lines {
		if (least < 0 || l.indent < least) && isRunning(l.of(text)) {
			least = l.indent
		}
	}
	return max(least, 0)
}

// isRunning reports whether a line reads like prose: it has at least six words, nearly all of them plain ones,
// and two that only join others.
func isRunning(s string) bool {
	if s == "" || strings.IndexByte("#/*$>", s[0]) >= 0 || looksLikeCode(s) {
		return false
	}
	plain, joining, all := 0, 0, 0
	for word := range strings.FieldsSeq(s) {
		all++
		word = strings.Trim(word, ".,;:!?()\"'’“”")
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' && r != '’' }) {
			continue
		}
		plain++
		if len(stopWordLanguages()[strings.ToLower(word)]) > 0 {
			joining++
		}
	}
	return all >= 6 && joining >= 2 && plain*5 >= all*4
}

// isJustified reports whether the spaces of a line only fill it to the margin: there are at most two in a row.
func isJustified(s string) bool { return !strings.Contains(s, "   ") }

// prompt matches a command behind the prompt of a shell, a database, or an interpreter. The
// lines below it are its output, which may read like prose.
var prompt = lazyregexp.New(`^(?:\$ [\pL./~_-]|>>> \S|(?:sqlite|mysql|ftp)> ?\S|MariaDB \[[^\]]*\]> \S|\w+(?:=#|-#|=>) \S|` +
	`[\w.-]+@[\w.-]+:\S*[$#] \S|\[[\w.-]+@[\w.-]+ [^\]\s]+\][$#] \S)`)

// isAligned reports whether a line is set in columns: it has several spaces in
// a row that do not follow a stop.
func isAligned(s string) bool {
	i := strings.Index(s, "  ")
	return i > 0 && strings.IndexByte(".!?:", s[i-1]) < 0
}

// isSaid reports whether a line is a sentence and not code.
func isSaid(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r) && wordCount(s) >= minSaid && (strings.HasSuffix(s, ".") || strings.HasSuffix(s, ":")) && !looksLikeCode(s)
}

// capitals matches a heading in capitals, such as those of a manual page. Statements
// of SQL are longer or have other signs.
var capitals = lazyregexp.New(`^\p{Lu}{4,}(?: \p{Lu}{2,}){0,3}$`)

// named matches the line of a manual page that names its subject: a name, a dash, and a
// description.
var named = lazyregexp.New(`^[\w.:+-]+(?: [\w.:+-]+){0,3}(?:\(\w{1,5}\))?(?:, [\w.:+-]+){0,20} [-–—] \pL[\pL\d'’]*(?: [\pL\d'’(),/.-]+){2,}$`)

// minSaid is the minimum number of words of a sentence between blocks of code.
const minSaid = 5

// codePrefixes begin lines of commands, SQL, or source code.
var codePrefixes = []string{
	"$ ", "# ", "=# ", "> ", "% ", "//", "/*", "-- ", "#!", "#include", "<?", "</", "SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ",
	"ALTER ", "DROP ",
	"GRANT ", "REVOKE ", "COPY ", "SET ", "BEGIN;", "COMMIT;", "WITH ", "import ", "func ", "def ", "class ", "return ",
	"var ", "const ", "let ", "export ", "sudo ", "docker ", "git ",
}

// looksLikeCode reports whether a line begins or ends like code.
func looksLikeCode(s string) bool {
	if s == "" {
		return false
	}
	if strings.IndexByte(";{}\\", s[len(s)-1]) >= 0 || strings.HasSuffix(s, ");") || strings.HasPrefix(s, "}") {
		return true
	}
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, ":") && !strings.Contains(s, ". ") {
		for _, p := range codePrefixes {
			if strings.HasPrefix(s, p) {
				return true
			}
		}
	}
	marks := 0
	for _, r := range s {
		if strings.ContainsRune("{}[]()<>=;$&|\\%", r) {
			marks++
		}
	}
	return marks*5 >= len(s) && len(s) >= 4
}

// wordCount counts the words of s.
func wordCount(s string) int {
	n, in := 0, false
	for _, r := range s {
		word := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
		if word && !in {
			n++
		}
		in = word
	}
	return n
}
