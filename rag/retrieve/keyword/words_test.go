package keyword

import (
	"strings"
	"testing"
	"unicode/utf8"

	"docent/rag/text"
)

// terms returns the index terms of a text.
func terms(language, text string) []string {
	a := analyzerOf(language)
	var out []string
	eachWord(text, func(word string) {
		for _, p := range splitWord(word) {
			out = append(out, strings.Replace(a.term(p), stopMark, "-", 1))
		}
	})
	return out
}

func TestTerms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, text, want string }{
		{"en", "The databases were restored.", "-the databas -were restor"},
		{"en", "max_wal_size", "max_wal_size max wal size"},
		{"en", "pg_catalog.pg_class", "pg_catalog.pg_class pg_catalog pg catalog pg_class pg class"},
		{"en", "pgconn.ParseConfig", "pgconn.parseconfig pgconn parseconfig pars config"},
		{"en", "HTTPServer", "httpserver http server"},
		{"en", "URLs IDs SQL", "url id sql"},
		{"en", "16MB utf8 int4", "16mb 16 mb utf8 int4"},
		{"en", "version 15.2, then 3", "version 15.2 -then 3"},
		{"en", "__init__ _x", "init x"},
		{"en", "end of line. Next", "end -of line next"},
		{"en", "don't user's", "-don -t user -s"},
		{"de", "Die Sicherungen werden wiederhergestellt", "-die sicher -werden wiederhergestellt"},
		{"es", "las bases de datos", "-las bas -de dat"},
		{"fr", "l'arrêt des serveurs", "-l arrêt -des serveur"},
		{"it", "le copie dei database", "-le cop -dei databas"},
		{"pt", "as cópias dos servidores", "-as cóp -dos servidor"},
		{"nl", "de back-ups van de databanken", "-de back ups -van -de databank"},
		{"ru", "резервные копии и базы данных", "резервн коп -и баз дан"},
		{"ko", "데이터 잠금", "데이 이터 잠금"},
		{"xx", "Words unstemmed", "words unstemmed"},
		{"en", "ｆｕｌｌ　ｗｉｄｔｈ", "full width"},
		{"zh", "数据库锁", "数据 据库 库锁"},
		{"ja", "鍵 ロック", "鍵 ロッ ック"},
		{"en", "x数据y", "x 数据 y"},
		{"en", "a..b ... .c d.", "-a b c -d"},
		{"en", strings.Repeat("x", maxWord+1) + " ok", "ok"},
		{"en", "\xff\xfe ok\xff", "ok"},
		{"en", "", ""},
	} {
		if got := strings.Join(terms(c.language, c.text), " "); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.language, c.text, got, c.want)
		}
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("en", "The max_wal_size of pgconn.ParseConfig, 数据库 don't 15.2")
	f.Add("de", "Übergröße \xff.x")
	f.Fuzz(func(t *testing.T, language, text string) {
		for _, term := range terms(language, text) {
			if term == "" {
				t.Errorf("%q gives an empty term", text)
			}
			if utf8.ValidString(text) && !utf8.ValidString(term) {
				t.Errorf("%q gives the invalid term %q", text, term)
			}
		}
	})
}

func TestEveryStopListBelongsToAStemmer(t *testing.T) {
	t.Parallel()
	for _, language := range strings.Fields("da de en es fi fr hu it nb nl nn no pt ro ru sv tr") {
		if text.Stemmer(language) == nil {
			t.Errorf("%s has stop words but no stemmer", language)
		}
		if a := analyzerOf(language); len(a.stop) < 50 {
			t.Errorf("%s has %d stop words", language, len(a.stop))
		}
	}
}
