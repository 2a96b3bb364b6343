package definition_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/agent/definition"
	"docent/agent/session"
)

// pixel is a GIF file of one pixel.
var pixel = []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;")

// wave returns a WAV file of 16-bit samples.
func wave(samples ...int16) []byte {
	var b bytes.Buffer
	b.WriteString("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00")
	for _, v := range []any{uint16(1), uint16(1), uint32(8000), uint32(16000), uint16(2), uint16(16)} {
		_ = binary.Write(&b, binary.LittleEndian, v)
	}
	b.WriteString("data")
	_ = binary.Write(&b, binary.LittleEndian, uint32(2*len(samples)))
	_ = binary.Write(&b, binary.LittleEndian, samples)
	return b.Bytes()
}

// folder writes files into a new folder.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestReplies sends all kinds of replies, with and without placeholders.
func TestReplies(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string][]byte{"price.pdf": []byte("%PDF-1.4"), "logo.gif": pixel, "bell.wav": wave(1, -2)})
	d := parse(t, `
name: replies
properties: {pi: 3.14}
states:
  a:
    initial: true
    on:
      - {message: json, to: own}
      - {message: any, to: all}
  all:
    body:
      - dataframe: {columns: [city, people], rows: [[Rome, 2.8], {city: Oslo}]}
      - plotly: {data: [{type: bar, y: [1, "{{.properties.pi}}"]}], layout: {title: "For {{.username}}"}}
      - file: {path: price.pdf}
      - file: {name: note.json, type: text/x-note, text: "{{.message}}!"}
      - image: ./logo.gif
      - audio: bell.wav
      - location: {latitude: 41.4, longitude: "{{.properties.pi}}"}
      - ui: {form: [{label: "{{.message}}", size: 3, on: null}]}
    then: a
  own:
    body:
      - set: {rows: "{{.data.rows}}", figure: "{{.data.figure}}"}
      - dataframe: {columns: [b, a], rows: "{{.variables.rows}}"}
      - plotly: "{{.variables.figure}}"
      - ui: "{{.data.rows}}"
    then: a
`, definition.Environment{Dir: dir})
	k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 0)
	b64 := func(content []byte) string { return base64.StdEncoding.EncodeToString(content) }
	equal(t, "constant and filled", k.say("x"), []string{
		`agent_reply_dataframe "{\"city\":{\"0\":\"Rome\",\"1\":\"Oslo\"},\"people\":{\"0\":2.8,\"1\":null}}"`,
		`agent_reply_plotly "{\"data\":[{\"type\":\"bar\",\"y\":[1,3.14]}],\"layout\":{\"title\":\"For ada\"}}"`,
		`agent_reply_file {"name":"price.pdf","type":"application/pdf","base64":"` + b64([]byte("%PDF-1.4")) + `"}`,
		`agent_reply_file {"name":"note.json","type":"text/x-note","base64":"` + b64([]byte("x!")) + `"}`,
		`agent_reply_image "` + b64(pixel) + `"`,
		`agent_reply_audio {"audio_data_base64":"AQD+/w==","metadata":{"sample_rate":8000,"dtype":"int16","shape":[2]}}`,
		`agent_reply_location {"latitude":41.4,"longitude":3.14}`,
		`agent_reply_ui {"form":[{"label":"x","on":null,"size":3}]}`,
	})
	if got := k.say(`{"rows": [{"a": 1, "b": "x"}, [true]]}`); len(got) != 1 || !strings.Contains(got[0], "row 1 has 1 values for 2 columns") {
		t.Errorf("a wrong row is answered with %q", got)
	}
	equal(t, "values of a message", k.say(`{"rows": [{"a": 1, "b": "x"}, [true, 2]], "figure": {"data": []}}`), []string{
		`agent_reply_dataframe "{\"b\":{\"0\":\"x\",\"1\":true},\"a\":{\"0\":1,\"1\":2}}"`,
		`agent_reply_plotly "{\"data\":[]}"`,
		`agent_reply_ui [{"a":1,"b":"x"},[true,2]]`,
	})
}

// TestWrongReplies checks the errors of these actions.
func TestWrongReplies(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string][]byte{"a.txt": []byte("text"), "large.bin": make([]byte, definition.MaxMedia+1)})
	deep := strings.Repeat("[", 600) + strings.Repeat("]", 600)
	for _, test := range []struct{ body, want string }{
		{"dataframe: {columns: [a]}", "dataframe needs the key rows"},
		{"dataframe: {columns: [a], rows: 3}", "dataframe: the rows of a table must be a list"},
		{"dataframe: {columns: [a], rows: [3]}", "dataframe: row 0 must be a list of values, or an object"},
		{"dataframe: {columns: [a, b], rows: [[3]]}", "dataframe: row 0 has 1 values for 2 columns"},
		{"dataframe: {columns: [a, a], rows: '{{.variables.x}}'}", `dataframe: a table has two columns "a"`},
		{"plotly: [1]", "plotly cannot be sent: a figure must be an object of data and layout"},
		{"ui: " + deep, "ui cannot be sent: the JSON is nested more than 500 deep"},
		{"gui: {id: trip}", "gui needs the key model"},
		{"gui: {id: " + strings.Repeat("a", 300) + ", model: {}}", "id may have at most"},
		{"session_documents: {title: a}", "session_documents needs the key text"},
		{"session_documents: remove", `session_documents is "remove", it must be one of add, clear`},
		{"session_rag: {collections: a}", `session_rag has no key "collections"`},
		{"location: {latitude: 91, longitude: 0}", "latitude must be a number from -90 to 90"},
		{"location: {latitude: 9, longitude: west}", "longitude must be a number from -180 to 180"},
		{"location: {latitude: 9}", "location needs the key longitude"},
		{"file: {}", "file needs either path, a file to send, or text with a name"},
		{"file: {text: x}", "a file of text needs a name"},
		{"file: {path: none.txt}", "path: there is no file " + filepath.Join(dir, "none.txt") + "; paths are relative to the file"},
		{"file: {path: .}", "path: there is no file "},
		{"file: {path: large.bin}", "path: " + filepath.Join(dir, "large.bin") + " is larger than 8388608 bytes"},
		{"file: {name: \"a\\nb\", text: x}", "name may have at most 255 bytes, without control characters"},
		{"image: a.txt", "image: " + filepath.Join(dir, "a.txt") + " is not a picture: use a JPEG, PNG, GIF, or WebP file"},
		{"audio: a.txt", "audio: " + filepath.Join(dir, "a.txt") + " is not sound: use a WAV file"},
		{"reply: 'a {{1 + }}'", "reply has {{1 + }}, which is no calculation: write one such as {{2 * (.variables.count + 1)}}"},
		{"reply: 'a {{1 + .vars.x}}'", "reply has {{1 + .vars.x}}, but there is no .vars.x: it may have numbers and .message"},
		{"reply: 'a {{( 1 + 2}}'", "reply has {{( 1 + 2}}, which is no calculation"},
		{"reply: '{{" + strings.Repeat("1 + ", 60) + "1}}'", "which is too long: split it with set"},
	} {
		got := wrong(t, head+"    body: [{"+test.body+"}]", definition.Environment{Dir: dir})
		if len(got) != 1 || !strings.HasPrefix(got[0], "agent.yaml:5: ") || !strings.Contains(got[0], test.want) {
			t.Errorf("%.100s\nis told as\n  %s\nwant\n  %s", test.body, strings.Join(got, "\n  "), test.want)
		}
	}
}

// TestCalculations calculates in placeholders.
func TestCalculations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{2 * 3 + 4}}": "10", "{{2 + 3 * 4}}": "14", "{{ (2 + 3) * 4 }}": "20", "{{10 - 3 - 2}}": "5", "{{1 / 4}}": "0.25",
		"{{0.1 + 0.2}}": "0.3", "{{-3 * .5}}": "-1.5", "{{1 / 0}}": "", "{{0 * -1}}": "0", "{{.message + 1}}": "6",
		"{{.variables.none + 1}}": "", "{{.username * 1}}": "", "{{1e200 * 1e200}}": "", "{{1e20 * 10}}": "1e+21", "{{.properties.flag + 1}}": "",
		"{{.properties.a-b * 2}}": "8", "{{2 / 3}}": "0.666666666667",
	} {
		d := parse(t, "name: a\nproperties: {a-b: 4, flag: true}\nstates:\n  a: {initial: true, on: [{message: any, to: b}]}\n"+
			"  b: {body: [{reply: '= "+text+"'}], then: a}\n", definition.Environment{})
		k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 0)
		if got := k.say("5"); len(got) != 1 || got[0] != reply("= "+want) {
			t.Errorf("%s is %q, want %s", text, got, want)
		}
	}
}

// orders is an agent that takes orders of shirts.
const orders = `
name: orders
entities: {count: {type: number}, size: {values: [small, large]}}
intents:
  order:
    examples: [order COUNT SIZE shirts, order shirts, order SIZE shirts]
    parameters: {count: {entity: count, fragment: COUNT}, size: {entity: size, fragment: SIZE}}
states:
  shop:
    initial: true
    on: [{intent: order, to: ordered}, {message: any, to: shop}]
  ordered:
    body:
      - set: {count: "{{.parameters.count}}", size: "{{.parameters.size}}", order: {size: "{{.parameters.size}}", all: ["{{.parameters.count}}"]}}
      - if: {parameter: count, is: ">=", value: 10}
        then: [{reply: "Many: {{9 * .parameters.count}} €."}]
        else:
          - if: {parameter: count}
            then: [{reply: "{{.variables.count}} shirts: {{10 * .variables.count}} €."}]
            else: [{reply: "How many?"}]
      - if: {variable: size, value: "{{.variables.usual}}"}
        then: [{reply: As usual.}]
        else: [set: {usual: "{{.variables.size}}"}]
      - if: {variable: size, is: "!=", value: null}
        then: [{reply: "{{.variables.order}}"}]
    then: shop
`

// TestBranches sets variables from parameters, and branches on both.
func TestBranches(t *testing.T) {
	t.Parallel()
	d := parse(t, orders, definition.Environment{})
	k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 0)
	equal(t, "many", k.say("order 12 large shirts"), []string{reply("Many: 108 €."), reply(`{"all":[12],"size":"large"}`)})
	record, _, _ := k.store.Stored("s")
	if got := string(record.Variables["count"]) + string(record.Variables["size"]); got != `12"large"` {
		t.Errorf("variables %s", got)
	}
	equal(t, "few", k.say("order two large shirts"), []string{reply("2 shirts: 20 €."), reply("As usual."), reply(`{"all":[2],"size":"large"}`)})
	equal(t, "none", k.say("order shirts"), []string{reply("How many?")})
	record, _, _ = k.store.Stored("s")
	if v, ok := record.Variables["count"]; ok {
		t.Errorf("a variable without a value is %s", v)
	}
}

// TestWrongBranches checks the errors of if and call.
func TestWrongBranches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ body, want string }{
		{"if: {variable: x}", "if needs then: a list of actions for when the condition holds"},
		{"if: {parameter: x}, then: [{reply: a}]", `there is no parameter "x"; the intents have none`},
		{"if: {value: 3}, then: [{reply: a}]", `if needs variable or parameter, as in {variable: count, is: ">=", value: 3}`},
		{"if: {variable: x, is: <}, then: [{reply: a}]", "if needs value with is; without both, it asks whether there is a value"},
		{"if: {variable: x, is: <, value: [1]}, then: [{reply: a}]", `only numbers and texts can be compared with "<"`},
		{"if: {variable: x}, then: [{repyl: a}]", `an action has no key "repyl" (did you mean reply?); it may have reply, `},
		{"reply: a, then: []", "then belongs to if, in the same action"},
		{"reply: a, else: []", "else belongs to if, call, or ask_agent, in the same action"},
		{"call: {tool: x}", `there is no tool "x": register a function in the program, or name an MCP server or an agent under tools`},
		{"call: {}", "call needs the key tool"},
		{"call: {tool: '', arguments: [1]}", `tool is empty`},
	} {
		got := wrong(t, head+"    body: [{"+test.body+"}]", definition.Environment{})
		if !strings.HasPrefix(got[0], "agent.yaml:5: "+test.want) {
			t.Errorf("%s\nis told as\n  %s\nwant\n  %s", test.body, strings.Join(got, "\n  "), test.want)
		}
	}
}
