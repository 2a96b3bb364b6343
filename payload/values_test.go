package payload

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"docent/internal/fault"
)

// TestValues covers values that Python's json, pandas, and numpy write in their
// own ways.
func TestValues(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 7, 10, 19, 123e6, time.FixedZone("", 3600))
	var never *time.Time
	nan := math.NaN()
	table := func(columns ...Column) DataFrame {
		d, err := NewDataFrame(columns...)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for want, v := range map[string]any{
		`"{}"`: Options(nil),
		`"{\"0\": \"say \\\"hi\\\"\", \"1\": \"é\", \"2\": \"\"}"`: Options{`say "hi"`, "é", ""},
		`"/9g="`:                          Image{0xff, 0xd8},
		`{"latitude":null,"longitude":5}`: Location{nan, 5},
		`"{\"data\":[{\"y\":[1,null]}],\"layout\":{}}"`: Figure{map[string]any{"data": []any{map[string]any{"y": []float64{1, nan}}}, "layout": map[string]any{}}},
		`"{\"data\":[]}"`: Figure{json.RawMessage(`{"data":[]}`)},
		`{"a":null}`:      UI(map[string]float64{"a": math.Inf(1)}),
		`"{\"t\":{\"0\":1795241419123,\"1\":1795241419123,\"2\":null,\"3\":null,\"4\":null}}"`: table(Column{"t", []any{at, &at, never, time.Time{}, nil}}),
		`"{\"x\":{\"0\":null,\"1\":null,\"2\":1.5,\"3\":true,\"4\":\"s\",\"5\":[1]}}"`:         table(Column{"x", []any{nan, float32(math.Inf(-1)), 1.5, true, "s", []int{1}}}),
		`"{\"b\":{},\"a\":{}}"`: table(Column{Name: "b"}, Column{Name: "a"}),
	} {
		got, err := Marshal(v)
		if err != nil || string(got) != want {
			t.Errorf("got  %s %v\nwant %s", got, err, want)
		}
	}
	for _, bad := range []any{
		Figure{5}, Figure{nil}, Figure{[]int{1}}, Figure{func() {}}, table(Column{"x", []any{func() {}}}), ReasoningStep{Details: make(chan int)},
	} {
		if got, err := Marshal(bad); err == nil {
			t.Errorf("%T was written as %s", bad, got)
		}
	}
}

// TestReadValues: agents that connect to BAF's server can read its values.
func TestReadValues(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"{\"1\": \"No\", \"0\": \"Yes\"}"`: `[Yes No]`,
		`{"0":"Yes"}`:                       `[Yes]`,
		`"{}"`:                              `[]`,
		`["Yes"]`:                           "invalid",
		`"{\"1\": \"No\"}"`:                 "invalid",
		`"{\"0\": 5}"`:                      "invalid",
		`5`:                                 "invalid",
	} {
		var o Options
		var got string
		if err := json.Unmarshal([]byte(in), &o); err != nil {
			got = string(fault.KindOf(err))
		} else {
			got = fmt.Sprint([]string(o))
		}
		if got != want {
			t.Errorf("options %s: %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		`"{\"data\":[{\"y\":[NaN]}],\"layout\":{}}"`: `{"data":[{"y":[null]}],"layout":{}}`,
		`{"data":[]}`: `{"data":[]}`,
		`"[]"`:        "invalid",
		`null`:        "invalid",
		`"null"`:      "invalid",
		`5`:           "invalid",
	} {
		var f Figure
		var got string
		if err := json.Unmarshal([]byte(in), &f); err != nil {
			got = string(fault.KindOf(err))
		} else {
			got = string(f.Value.(json.RawMessage))
		}
		if got != want {
			t.Errorf("figure %s: %s, want %s", in, got, want)
		}
	}
	var image Image
	if err := json.Unmarshal([]byte(`"/9g="`), &image); err != nil || string(image) != "\xff\xd8" {
		t.Errorf("image %x %v", []byte(image), err)
	}
}

func TestAudio(t *testing.T) {
	t.Parallel()
	whole, err := NewAudio(8000, 2, []int16{1, -2, 0x7fff, 0})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Marshal(whole)
	if want := `{"audio_data_base64":"AQD+//9/AAA=","metadata":{"sample_rate":8000,"dtype":"int16","shape":[2,2]}}`; err != nil || string(got) != want {
		t.Errorf("got  %s %v\nwant %s", got, err, want)
	}
	var again Audio
	if err := json.Unmarshal(got, &again); err != nil || fmt.Sprint(again) != fmt.Sprint(whole) {
		t.Errorf("read as %+v %v", again, err)
	}
	silent, err := NewAudio[float32](8000, 1, nil)
	if err != nil || silent.Base64 != "" || fmt.Sprint(silent.Metadata.Shape) != "[0]" || silent.Metadata.DType != "float32" {
		t.Errorf("silence is %+v %v", silent, err)
	}
	for _, bad := range [][2]int{{0, 1}, {8000, 0}, {8000, 2}, {-1, 1}} {
		if _, err := NewAudio(bad[0], bad[1], []float32{1, 2, 3}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestDataFrame(t *testing.T) {
	t.Parallel()
	d, err := NewDataFrameRows([]string{"name", "age"}, []any{"Ada", 36}, []any{"Alan", nil})
	if err != nil || d.Rows() != 2 || len(d.Columns()) != 2 {
		t.Fatalf("%+v %v", d, err)
	}
	got, err := Marshal(d)
	if want := `"{\"name\":{\"0\":\"Ada\",\"1\":\"Alan\"},\"age\":{\"0\":36,\"1\":null}}"`; err != nil || string(got) != want {
		t.Errorf("got  %s %v\nwant %s", got, err, want)
	}
	var again DataFrame
	if err := json.Unmarshal(got, &again); err != nil || fmt.Sprint(again) != fmt.Sprint(d) {
		t.Errorf("read as %+v %v", again, err)
	}
	for _, in := range []string{`{"b":{"0":NaN},"a":{"0":"\u00e9\/"}}`, `"{\"b\":{\"0\":NaN},\"a\":{\"0\":\"\\u00e9\\/\"}}"`} {
		if err := json.Unmarshal([]byte(in), &again); err == nil && fmt.Sprint(again) == "{[{b [<nil>]} {a [é/]}]}" {
			continue
		}
		var frame DataFrame // a bare NaN is no JSON outside of a string
		if err := frame.UnmarshalJSON([]byte(in)); err != nil || fmt.Sprint(frame) != "{[{b [<nil>]} {a [é/]}]}" {
			t.Errorf("%s was read as %+v %v", in, frame, err)
		}
	}
	if (DataFrame{}).Rows() != 0 {
		t.Error("no table has rows")
	}
	if _, err := NewDataFrameRows([]string{"a"}, []any{1, 2}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a row too long: %v", err)
	}
	if _, err := NewDataFrame(Column{"a", []any{1}}, Column{"b", nil}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("unequal columns: %v", err)
	}
	for _, bad := range []string{
		`5`, `null`, `[]`, `"[]"`, `{"a":5}`, `{"a":{"1":1}}`, `{"a":{"0":1},"b":{}}`, `{"a":{},"a":{}}`, `"{}{}"`, `"{"`, `"{\"a\":{\"0\":"`, `""`, `"{\"a\":{}"`,
	} {
		if err := json.Unmarshal([]byte(bad), &again); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func FuzzDataFrame(f *testing.F) {
	f.Add("name", "Ada", 1.5, int64(0), false)
	f.Add("", "\x00\"\\", math.NaN(), int64(math.MaxInt64), true)
	f.Add("\xff", "é<>&\u2028", math.Inf(-1), int64(-1), true)
	f.Fuzz(func(t *testing.T, name, text string, number float64, millis int64, yes bool) {
		name, text = strings.ToValidUTF8(name, "?"), strings.ToValidUTF8(text, "?") // as JSON encodes them
		d, err := NewDataFrameRows([]string{name, name + "2"}, []any{text, number}, []any{time.UnixMilli(millis), yes}, []any{nil, []any{number, text}})
		if err != nil {
			t.Fatal(err)
		}
		data, err := Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var inner string
		if err := json.Unmarshal(data, &inner); err != nil || !json.Valid([]byte(inner)) {
			t.Fatalf("%s: %v", data, err)
		}
		var again DataFrame
		if err := json.Unmarshal(data, &again); err != nil || again.Rows() != 3 || len(again.Columns()) != 2 {
			t.Fatalf("%s: %+v %v", data, again, err)
		}
		twice, err := Marshal(again)
		if err != nil || string(twice) != string(data) {
			t.Errorf("%s then %s: %v", data, twice, err)
		}
	})
}

func FuzzReadValues(f *testing.F) {
	for _, seed := range []string{
		`"{\"0\": \"Yes\"}"`, `"{\"a\":{\"0\":1}}"`, `"{\"data\":[]}"`, `{"kind":"pushback","details":{"pending":[]}}`, `null`, `5`, `"`, `{"a":{"0":[[[[]]]]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, value := range []interface {
			json.Marshaler
			json.Unmarshaler
		}{new(Options), new(DataFrame), new(Figure), new(ReasoningStep)} {
			if json.Unmarshal(data, value) != nil {
				continue
			}
			if out, err := Marshal(value); err != nil || !json.Valid(out) {
				t.Errorf("%s was read as %T and written as %s: %v", data, value, out, err)
			}
		}
	})
}
