package payload

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"docent/internal/fault"
)

// The files are in the forms that BAF's clients send, and in invalid forms.
func TestDecodeFile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxFileNameBytes)
	for in, want := range map[string]string{
		`{"name":"n.txt","type":"text/plain","base64":"aGk="}`:                              "n.txt text/plain hi",
		`"{\"name\": \"n.txt\", \"type\": \"text/plain\", \"base64\": \"aGk=\"}"`:           "n.txt text/plain hi",
		`"{\"name\": \"\\u00e9 \\ud83d\\ude00.md\", \"type\": \"\", \"base64\": \"aGk=\"}"`: "é 😀.md file hi",
		`{"name":"README.md","type":"","base64":"aGk="}`:                                    "README.md file hi", // a browser that does not know .md
		`{"name":"","type":null,"base64":"aGk="}`:                                           "default_filename file hi",
		`{"base64":"aGk="}`:                "default_filename file hi",
		`{"base64":""}`:                    "default_filename file ",
		`{"base64":"aG\nk=\n","size":NaN}`: "default_filename file hi", // Python's encodebytes
		`{"name":"gnp.\u202eexe","type":"\u200fx\u2066","base64":""}`:    "gnp.exe x ",
		`{"name":"\u061c","base64":""}`:                                  "default_filename file ",
		`{"name":"../../etc/passwd","base64":"aGk="}`:                    "../../etc/passwd file hi", // the name is not used as a path
		`{"name":"` + long + `","base64":""}`:                            long + " file ",
		`{"name":"` + long + `x","base64":""}`:                           "invalid",
		`{"name":"a","type":"` + long + `x","base64":""}`:                "invalid",
		`{"name":"a\u0000b","base64":""}`:                                "invalid",
		`{"name":"a\nb","base64":""}`:                                    "invalid",
		`{"name":"n","type":"t"}`:                                        "invalid",
		`{"name":"n","type":"t","base64":null}`:                          "invalid",
		`{"name":"n","type":"t","base64":5}`:                             "invalid",
		`{"name":5,"type":"t","base64":""}`:                              "invalid",
		`{"name":"n","type":"t","base64":"a"}`:                           "invalid",
		`{"name":"n","type":"t","base64":"data:text/plain;base64,aGk="}`: "invalid",
		`{"name":"n","type":"t","base64":"aGk=x"}`:                       "invalid",
		`""`:          "invalid",
		`"n.txt"`:     "invalid",
		`"\"twice\""`: "invalid",
		`5`:           "invalid",
		`null`:        "invalid",
		`[]`:          "invalid",
		`{}`:          "invalid",
		``:            "invalid",
		`{`:           "invalid",
	} {
		f, err := DecodeFile(json.RawMessage(in))
		got := string(fault.KindOf(err))
		if err == nil {
			content, err := f.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			got = f.Name + " " + f.Type + " " + string(content)
		} else if fault.Message(err) == "" || f != (File{}) {
			t.Errorf("%.60s: %+v %v", in, f, err)
		}
		if got != want {
			t.Errorf("%.60s: %.80q, want %.80q", in, got, want)
		}
	}
}

// A file round-trips as an object and as text.
func TestFile(t *testing.T) {
	t.Parallel()
	if f := NewFile("", "", nil); f != (File{Name: DefaultFileName, Type: DefaultFileType}) {
		t.Errorf("a file of nothing is %+v", f)
	}
	content := []byte("\x00\xff binary")
	f := NewFile(`a "name".bin`, "application/octet-stream", content)
	object, err := Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := Marshal(f.Text())
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []json.RawMessage{object, text} {
		var again File
		if err := json.Unmarshal(form, &again); err != nil || again != f {
			t.Errorf("%s was read as %+v %v", form, again, err)
		}
		if got, err := again.Bytes(); err != nil || !bytes.Equal(got, content) {
			t.Errorf("content %q %v", got, err)
		}
	}
	if _, err := (File{Base64: "?"}).Bytes(); fault.KindOf(err) != fault.Invalid {
		t.Errorf("no base64: %v", err)
	}
}

func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		`{"name":"n.txt","type":"text/plain","base64":"aGk="}`, `"{\"name\": \"n\", \"type\": \"\", \"base64\": \"aGk=\"}"`,
		`{"base64":"a"}`, `{"name":null}`, `""`, `5`, `{"base64":"aGk=","x":NaN}`, `"\ud800"`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := DecodeFile(data)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid || fault.Message(err) == "" {
				t.Errorf("error %v", err)
			}
			return
		}
		if file.Name == "" || file.Type == "" || len(file.Name) > MaxFileNameBytes {
			t.Errorf("file %+v", file)
		}
		if _, err := file.Bytes(); err != nil {
			t.Errorf("content: %v", err)
		}
		object, err := Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Marshal(file.Text())
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []json.RawMessage{object, text} {
			if again, err := DecodeFile(form); err != nil || again != file {
				t.Errorf("%s again: %+v %v", form, again, err)
			}
		}
	})
}
