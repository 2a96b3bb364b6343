package roff

import (
	"slices"
	"strconv"
	"strings"
)

// isMdoc are the macros of mdoc that man does not have.
var isMdoc = func() map[string]bool {
	out := map[string]bool{}
	for _, name := range strings.Fields(`Dd Dt Os Nd Bl It El Bd Ed D1 Dl Ex Rv Lb Bk Ek Rs Re Ta Tg
		%A %B %C %D %I %J %N %O %P %Q %R %T %U %V `) {
		out[name] = true
	}
	for name := range callable {
		out[name] = true
	}
	return out
}()

// callable are the macros that may stand inside a line, with the text that encloses
// their arguments. A macro with only one of the texts opens or closes.
var callable = func() map[string][2]string {
	out := map[string][2]string{
		"Aq": {"<", ">"}, "Bq": {"[", "]"}, "Brq": {"{", "}"}, "Dq": {"“", "”"}, "Pq": {"(", ")"}, "Op": {"[", "]"},
		"Qq": {`"`, `"`}, "Ql": {"‘", "’"}, "Sq": {"‘", "’"}, "In": {"<", ">"},
		"Ao": {"<", ""}, "Bo": {"[", ""}, "Bro": {"{", ""}, "Do": {"“", ""}, "Po": {"(", ""}, "Oo": {"[", ""}, "Qo": {`"`, ""}, "So": {"‘", ""},
		"Ac": {"", ">"}, "Bc": {"", "]"}, "Brc": {"", "}"}, "Dc": {"", "”"}, "Pc": {"", ")"}, "Oc": {"", "]"}, "Qc": {"", `"`}, "Sc": {"", "’"},
	}
	for _, name := range strings.Fields(`Ad An Ap Ar At Bsx Bx Cd Cm Dv Dx Em Er Ev Fa Fl Fn Fo Fc Ft Fx Ic Li Lk Ms Mt Nm No Ns Nx Ox
		Pa Pf Sm St Sx Sy Tn Ux Va Vt Xc Xo Xr`) {
		out[name] = [2]string{}
	}
	return out
}()

// systems are the texts of macros that name a system.
var systems = map[string]string{
	"At": "AT&T UNIX", "Bsx": "BSD/OS", "Bx": "BSD", "Dx": "DragonFly", "Fx": "FreeBSD", "Nx": "NetBSD", "Ox": "OpenBSD", "Ux": "UNIX",
}

// mdoc reads a macro of mdoc at the start of a line.
func (r *reader) mdoc(name, rest string) {
	switch name {
	case "Dd", "Os", "Bk", "Ek", "Tg", "Lb":
	case "Sm":
		r.tight, r.tightened = rest == "off", false
		r.glued = false
	case "Dt":
		r.entitle(r.arguments(rest))
	case "Nd":
		r.text("—")
		r.words(rest)
	case "Bl":
		r.flush()
		r.indent(level{list: listType(rest)})
	case "El":
		r.unindent()
	case "It":
		r.listItem(rest)
	case "Bd":
		r.flush()
		r.verbatim = strings.Contains(rest, "-literal") || strings.Contains(rest, "-unfilled")
	case "Ed":
		r.flush()
		r.verbatim = false
	case "D1", "Dl":
		r.flush()
		r.verbatim = true
		r.words(rest)
		r.flush()
		r.verbatim = false
	case "Ex":
		r.text("The " + r.name + " utility exits 0 on success, and >0 if an error occurs.")
	case "Rv":
		r.text("The function returns the value 0 if successful; otherwise the value -1 is returned and errno is set.")
	case "Rs", "Re":
	case "Xc":
		r.words(rest)
		r.endExtended()
	case "Ta":
		r.text("|")
		r.words(rest)
	default:
		if strings.HasPrefix(name, "%") {
			r.words(rest)
			return
		}
		r.words(name + " " + rest)
	}
}

// listType returns the type of a list whose items are no terms, such as "-enum".
func listType(args string) string {
	for _, a := range strings.Fields(args) {
		switch a {
		case "-bullet", "-dash", "-hyphen", "-item", "-enum", "-column":
			return a
		}
	}
	return ""
}

// listItem reads .It: a term, or the start of a list item.
func (r *reader) listItem(rest string) {
	l := &r.levels[len(r.levels)-1]
	switch l.list {
	case "-bullet", "-dash", "-hyphen", "-item":
		r.endItem()
		r.openTerms()
		r.Items, r.Marker = 1, "- "
	case "-enum":
		r.endItem()
		r.openTerms()
		l.items++
		r.Items, r.Marker = 1, strconv.Itoa(l.items)+". "
	case "-column":
		r.endItem()
		r.Items = 1
		r.words(strings.ReplaceAll(rest, "\t", " | "))
	default:
		r.nextTerm()
		if strings.TrimSpace(rest) != "" {
			r.tag, r.extended = true, slices.Contains(strings.Fields(rest), "Xo")
			r.words(rest)
		}
	}
}

// endExtended ends a term of several lines.
func (r *reader) endExtended() {
	if !r.extended {
		return
	}
	r.tag, r.extended = false, false
	r.addTerm(r.partial)
	r.partial = ""
}

// words adds the text of a line of macros.
func (r *reader) words(rest string) {
	w := words{name: r.name, tight: r.tight}
	args := r.arguments(strings.ReplaceAll(rest, `\&`, noMacro))
	if r.name == "" && len(args) > 1 && args[0] == "Nm" {
		r.name = args[1]
	}
	end := len(args)
	for end > 0 && closing[args[end-1]] {
		end--
	}
	for i := 0; i < end; {
		i += w.add(args[i:end])
	}
	for _, c := range slices.Backward(w.closers) {
		w.put(c, true)
	}
	for _, a := range args[end:] {
		w.put(a, true)
	}
	if s := w.b.String(); s != "" {
		if (w.first || r.tight && r.tightened) && !r.verbatim { // such as a closing bracket
			r.glued = true
		}
		r.tightened = r.tight
		r.text(s)
		r.glued = w.glue && !r.verbatim
	}
}

// noMacro precedes a word that is neither a macro nor punctuation.
const noMacro = "\x00"

// closing is punctuation that follows a word without a space, and opening such that
// precedes one.
var (
	closing = map[string]bool{".": true, ",": true, ":": true, ";": true, ")": true, "]": true, "?": true, "!": true}
	opening = map[string]bool{"(": true, "[": true}
)

// words builds the text of a line of macros.
type words struct {
	name    string // of the page
	b       strings.Builder
	tight   bool     // all words follow without a space
	glue    bool     // the next word follows without a space
	first   bool     // the first word continues the line before
	prefix  string   // of each word: the minus sign of flags
	closers []string // end the line, innermost last
}

// put adds a word. glued words follow without a space.
func (w *words) put(s string, glued bool) {
	switch {
	case w.b.Len() == 0:
		w.first = glued
	case !w.glue && !glued && !w.tight:
		w.b.WriteByte(' ')
	}
	w.b.WriteString(strings.ReplaceAll(s, noMacro, ""))
	w.glue = false
}

// add adds the first of the arguments, and returns how many it read.
func (w *words) add(args []string) int {
	enclosing, ok := callable[args[0]]
	next := ""
	if len(args) > 1 {
		next = args[1]
	}
	bare := next == "" || closing[next]
	if _, is := callable[next]; is {
		bare = true
	}
	switch name := args[0]; {
	case name == "Ta": // the next column of a list
		w.prefix = ""
		for _, c := range slices.Backward(w.closers) {
			w.put(c, true)
		}
		w.closers, w.glue = nil, false
		w.put("|", false)
	case !ok && closing[name]:
		w.put(name, true)
	case !ok:
		w.put(w.prefix+name, false)
		w.glue = opening[name]
	case enclosing[0] != "":
		w.prefix = ""
		w.put(enclosing[0], false)
		w.glue = true
		if enclosing[1] != "" {
			w.closers = append(w.closers, enclosing[1])
		}
	case enclosing[1] != "":
		w.put(enclosing[1], true)
	case systems[name] != "":
		w.put(systems[name], false)
	default:
		return w.named(name, args, bare)
	}
	return 1
}

// named adds a macro with a meaning of its own, and returns how many arguments it read.
func (w *words) named(name string, args []string, bare bool) int {
	w.prefix = ""
	switch {
	case name == "Fl" && bare:
		w.put("-", false)
		w.glue = len(args) > 1 && !closing[args[1]]
	case name == "Fl":
		w.prefix = "-"
	case name == "Ar" && bare:
		w.put("file ...", false)
	case name == "Nm" && bare:
		w.put(w.name, false)
	case name == "Ns":
		w.glue = true
	case name == "Ap":
		w.put("'", true)
		w.glue = true
	case name == "Pf" && !bare:
		w.put(args[1], false)
		w.glue = true
		return 2
	case name == "Xr" && len(args) > 2:
		w.put(args[1]+"("+args[2]+")", false)
		return 3
	case (name == "Fn" || name == "Fo") && !bare:
		n := 2
		for n < len(args) && !closing[args[n]] && callable[args[n]] == ([2]string{}) && !isMdoc[args[n]] {
			n++
		}
		w.put(args[1]+"("+strings.Join(args[2:n], ", "), false)
		if name == "Fn" {
			w.put(")", true)
		}
		return n
	case name == "Fc":
		w.put(")", true)
	case name == "Lk" && len(args) > 2:
		w.put(strings.Join(args[2:], " ")+" ("+args[1]+")", false)
		return len(args)
	}
	return 1
}

// Detect reports whether a text is a manual page: the macro that names the page comes
// before any text.
func Detect(text string) bool {
	ignored, date, so, skipping, begun := "", false, false, false, false
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		line = strings.TrimRight(line, " \t\r")
		if skipping {
			skipping = !ends(line, ignored)
			continue
		}
		if line = uncomment(line); line == "" {
			continue
		}
		if line[0] != '.' && line[0] != '\'' {
			if begun && (strings.Contains(line, `\}`) || strings.HasPrefix(line, `\`)) { // in a condition
				continue
			}
			return false
		}
		name, rest := request(line)
		args := split(rest)
		begun = true
		switch {
		case name == "TH":
			return len(args) >= 2 && isSection(args[1])
		case name == "Dd":
			date = true
		case name == "Dt":
			return date && len(args) >= 2 && isSection(args[1])
		case name == "SH" || name == "Sh" || name == "PP":
			return false
		case definitions[name]:
			ignored, skipping = ".", true
			if name == "ig" && len(args) > 0 {
				ignored = args[0]
			}
		case name == "so":
			so = strings.HasPrefix(rest, "man") && strings.Contains(rest, "/")
		case len(name) > 4 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\\{}") != "":
			return false
		}
	}
	return so
}

// isSection reports whether s is the section of a manual, such as 1 or 3pm.
func isSection(s string) bool {
	s = strings.Trim(s, `"`)
	return s != "" && len(s) <= 8 && (s[0] >= '0' && s[0] <= '9' || len(s) <= 2 && strings.IndexByte("nlop", s[0]) >= 0)
}
