package quote

import (
	"slices"
	"strings"
	"testing"

	"docent/rag/corpus"
)

// ask answers a question from passages in Markdown.
func ask(t *testing.T, question string, kind corpus.Kind, bodies ...string) string {
	t.Helper()
	var passages []Passage
	for i, body := range bodies {
		p := passage(i+1, "Manual", "Section", body)
		p.Kind, p.Document.MediaType = kind, "text/markdown"
		passages = append(passages, p)
	}
	answer, _ := Answer(testStatic, Query{Question: question, Searched: question, Passages: passages})
	return answer
}

// The table is from docent's page about backups.
func TestRowWithHeader(t *testing.T) {
	t.Parallel()
	got := ask(t, "how do I back up SQLite?", corpus.Prose,
		"| database | command |\n|---|---|\n| Postgres | `pg_dump` |\n| SQLite | `sqlite3 docent.db \"VACUUM INTO 'copy.db'\"`, and keep `copy.db` |\n\nYou can run both.")
	want := "| database | command |\n| --- | --- |\n| SQLite | `sqlite3 docent.db \"VACUUM INTO 'copy.db'\"`, and keep `copy.db` [1] |"
	if !strings.Contains(got, want) || strings.Contains(got, "database `|`") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The options are from the page of borg create in HTML, which has no header.
func TestRowWithoutHeader(t *testing.T) {
	t.Parallel()
	got := ask(t, "what is the default checkpoint interval of borg create?", corpus.Table,
		"--comment COMMENT | add a comment text to the archive\n--timestamp TIMESTAMP | specify the archive creation time\n"+
			"-c SECONDS | write a checkpoint every SECONDS seconds (Default: 1800)")
	if !strings.Contains(got, "Default: 1800") || strings.Contains(got, "comment") {
		t.Errorf("got\n%s", got)
	}
}

// TestRowOfTerm checks that the row about the subject of a question comes first.
func TestRowOfTerm(t *testing.T) {
	t.Parallel()
	got := ask(t, "What is a lease?", corpus.Prose,
		"2. A lease in the table of encoders selects one process for each model.",
		"| term | meaning |\n|---|---|\n| key | A name for a value. |\n| lease | A time-limited right of one process. |\n| outbox | The queue of a client. |")
	if first, _, _ := strings.Cut(got, "[2]"); !strings.Contains(first, "| lease | A time-limited right of one process.") || strings.Contains(got, "outbox") {
		t.Errorf("got\n%s", got)
	}
}

// TestMessages checks that prose comes before the row of a list of messages with less than half of the question.
func TestMessages(t *testing.T) {
	t.Parallel()
	const (
		messages = "| id | sentence |\n|---|---|\n| `upload_cut_off` | the upload is cut off |\n| `upload_incomplete` | the file did not arrive whole |"
		prose    = "A file can have 64 MiB. To upload bigger files, change that with `--max-file-size`."
	)
	if got := ask(t, "can't upload my video, it complains about the weight", corpus.Prose, messages, prose); !strings.HasPrefix(got, "A file") {
		t.Errorf("got\n%s", got)
	}
	if got := ask(t, "what if the file did not arrive", corpus.Prose, messages, prose); !strings.HasPrefix(got, "| id") {
		t.Errorf("got\n%s", got)
	}
}

func TestRowCells(t *testing.T) {
	t.Parallel()
	for row, want := range map[string][]string{
		`| a | b \| c |`:   {"a", "b | c"},
		"a\tb | c":         {"a", "b | c"},
		`a | b`:            {"a", "b"},
		"| `x \\| y` |  |": {"`x | y`", ""},
	} {
		if got := rowCells(row); !slices.Equal(got, want) {
			t.Errorf("%q has the cells %q, want %q", row, got, want)
		}
	}
}

// The steps are from docent's page about agents.
func TestIndentedFence(t *testing.T) {
	t.Parallel()
	got := ask(t, "run the agent", corpus.Prose, "3. Run the agent:\n\n   ```sh\n   docent serve --agent support.yaml\n     # or\n   ```\n\nA state has a body.")
	if want := "```\ndocent serve --agent support.yaml\n  # or\n```\n[1]"; !strings.Contains(got, want) || strings.Count(got, "```") != 2 {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The passage is from the PostgreSQL 15 manual, section 8.7.1. Its kind is code,
// and its first block is prose.
func TestProseInCode(t *testing.T) {
	t.Parallel()
	got := ask(t, "how are enum types created", corpus.Code,
		"Enum types are created using the CREATE TYPE command, for example:\n\nCREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');")
	if !strings.HasPrefix(got, "Enum types are created") || strings.Count(got, "```") != 2 {
		t.Errorf("got\n%s", got)
	}
}

// The rows are from the manuals of Apache and SQLite, and from a table of AsciiDoc.
func TestRowText(t *testing.T) {
	t.Parallel()
	for row, want := range map[string]string{
		"Default: | KeepAliveTimeout 5":            "Default: KeepAliveTimeout 5",
		"Syntax: | ServerAdmin email-address|URL":  "Syntax: ServerAdmin `email-address|URL`",
		`Syntax: | AuthBasicFake off \| username`:  "Syntax: AuthBasicFake off `|` username",
		"GRANT and REVOKE |  | They are missing.":  "GRANT and REVOKE – They are missing.",
		"--port | 8443 | port of the admin page":   "--port – 8443 – port of the admin page",
		"--port\t8443\tport of the admin page":     "--port 8443 port of the admin page",
		`| --level | compression level a\|b | 3 |`: "--level – compression level `a|b` – 3",
	} {
		if got := rowText(row, corpus.Document{}); got != want {
			t.Errorf("%q became %q, want %q", row, got, want)
		}
	}
}

func TestHeaded(t *testing.T) {
	t.Parallel()
	for row, want := range map[string]bool{
		"Option | Default | Meaning": true,
		"oid | attr_name":            true,
		"PostgreSQL: | 4.373":        false,
		"Bearing | 8000":             false,
		"NetWare | mpm_netware":      false,
		"-c SECONDS | interval":      false,
	} {
		if got := headed(row); got != want {
			t.Errorf("%q is a header: %t, want %t", row, got, want)
		}
	}
}

// A block of code can begin in the passage before.
func TestEndOfFence(t *testing.T) {
	t.Parallel()
	if got := unfence("CREATE TABLE t (\n  a int);\n```"); got != "CREATE TABLE t (\n  a int);" {
		t.Errorf("got %q", got)
	}
}
