package payload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"docent/internal/fault"
)

// golden returns BAF's own frames.
func golden(t *testing.T) [][]byte {
	t.Helper()
	data, err := os.ReadFile("testdata/baf_frames.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}

func TestGoldenRAG(t *testing.T) {
	t.Parallel()
	for _, line := range golden(t) {
		f, err := DecodeBAF(line)
		if err != nil {
			t.Fatal(err)
		}
		if f.Action != ReplyRAG {
			continue
		}
		var message RAGMessage
		if err := json.Unmarshal(f.Message, &message); err != nil {
			t.Fatal(err)
		}
		again, err := Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		if err := json.Unmarshal(f.Message, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, &got); err != nil {
			t.Fatal(err)
		}
		if lack := lacks("message", want, got); lack != "" {
			t.Errorf("%s in %s", lack, again)
		}
		return
	}
	t.Error("no agent_reply_rag among the golden frames")
}

// lacks returns the first key of want that is missing in got or has another type,
// or "".
func lacks(at string, want, got any) string {
	if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
		return fmt.Sprintf("%s is %T, want %T", at, got, want)
	}
	switch want := want.(type) {
	case map[string]any:
		for key, value := range want {
			if lack := lacks(at+"."+key, value, got.(map[string]any)[key]); lack != "" {
				return lack
			}
		}
	case []any:
		for i, value := range want {
			if lack := lacks(fmt.Sprint(at, "[", i, "]"), value, got.([]any)[i]); lack != "" {
				return lack
			}
		}
	}
	return ""
}

func TestAppendV1(t *testing.T) {
	t.Parallel()
	zero, two := int64(0), int64(2)
	for want, f := range map[string]Frame{
		`{"action":"ack","message":null,"history":false,"timestamp":null}`:                                {Action: AckAction},
		`{"action":"ack","message":1,"history":true,"timestamp":null,"seq":7,"id":"a\"b\u003c","turn":2}`: {Action: AckAction, Message: json.RawMessage("1"), History: true, Seq: 7, ID: `a"b<`, Turn: &two},
		`{"action":"ack","message":null,"history":false,"timestamp":null,"turn":0}`:                       {Action: AckAction, Turn: &zero},
		`{"action":"ack","message":null,"history":false,"timestamp":null,"turn":2,"n":3}`:                 {Action: AckAction, Turn: &two, N: 3},
		`{"action":"ack","message":null,"history":false,"timestamp":null,"correlation":"c","hops":1}`:     {Action: AckAction, Correlation: "c", Hops: 1},
	} {
		if got := string(f.AppendV1(nil)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		baf := string(f.AppendBAF(nil))
		for _, key := range []string{"seq", "id", "turn", "n"} {
			if strings.Contains(baf, `"`+key+`"`) || !json.Valid([]byte(baf)) {
				t.Errorf("BAF frame %s", baf)
			}
		}
		if peers := `"correlation":"c","hops":1}`; strings.Contains(want, peers) != strings.HasSuffix(baf, peers) {
			t.Errorf("BAF frame %s", baf)
		}
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``:                               "invalid",
		`garbage`:                        "invalid",
		`[1,2]`:                          "invalid",
		`"text"`:                         "invalid",
		`5`:                              "invalid",
		`null`:                           "invalid",
		`{}`:                             "invalid",
		`{"action":null,"message":1}`:    "invalid",
		`{"action":5,"message":1}`:       "invalid",
		`{"action":"","message":1}`:      "invalid",
		`{"action":["reset"]}`:           "invalid",
		`{"message":"x"}`:                "invalid",
		`{"action":"a","message":"x"`:    "invalid",
		`{"action":"a","message":"x"}{}`: "invalid",
		"\xff\xfe\x00":                   "invalid",
		`{"action":"a"}`:                 "a <nil>",
		`{"action":"a","message":null}`:  "a null",
		`{"action":"a","message":{"b":[1]},"x":2}`:                                                 `a {"b":[1]}`,
		`{"action":"a","message":NaN}`:                                                             "a null",
		`{"action":"a","message":{"x":[NaN,Infinity,-Infinity,-1,"NaN \" -Infinity"]}}`:            `a {"x":[null,null,null,-1,"NaN \" -Infinity"]}`,
		`{"action":"a","message":NaNa}`:                                                            "invalid",
		`{"action":"a","message":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`: "invalid",
	} {
		f, err := DecodeBAF([]byte(in))
		got := fmt.Sprint(f.Action, " ", string(f.Message))
		if f.Message == nil {
			got = fmt.Sprint(f.Action, " <nil>")
		}
		if err != nil {
			got = string(fault.KindOf(err))
		}
		if got != want {
			t.Errorf("%.80s: %s, want %s", in, got, want)
		}
	}
}

// TestDecodeID: only docent.v1 defines the id. BAF clients may use the key
// freely.
func TestDecodeID(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"action":"a","id":"m1"}`: "m1 ",
		`{"action":"a"}`:           " ",
		`{"id":"m1"}`:              "m1 invalid",
		`{"action":"a","id":5}`:    " invalid",
		`{"action":"a","id":""}`:   " invalid",
		`{"action":"a","id":"` + strings.Repeat("x", MaxIDBytes+1) + `"}`: " invalid",
	} {
		f, err := DecodeV1([]byte(in))
		got := f.ID + " "
		if err != nil {
			got += string(fault.KindOf(err))
		}
		if got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
		if f, err := DecodeBAF([]byte(in)); f.ID != "" || err != nil && strings.Contains(in, "action") {
			t.Errorf("BAF %s: %+v %v", in, f, err)
		}
	}
}

// TestDecodePeer: both protocols read the fields that agents add to frames.
// docent.v1 reports an invalid field, and BAF ignores it.
func TestDecodePeer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("c", MaxCorrelationBytes)
	for in, want := range map[string]string{
		`"correlation":"c","hops":3,"n":7`: "c 3 7 ",
		`"correlation":null,"hops":null`:   " 0 0 ",
		`"correlation":"` + long + `"`:     long + " 0 0 ",
		`"correlation":"` + long + `c"`:    " 0 0 invalid",
		`"correlation":"","hops":2`:        " 2 0 invalid",
		`"correlation":"\u0000"`:           " 0 0 invalid",
		`"correlation":5`:                  " 0 0 invalid",
		`"hops":1000`:                      " 1000 0 ",
		`"hops":1001`:                      " 1000 0 invalid",
		`"hops":1e300`:                     " 1000 0 invalid",
		`"hops":-1`:                        " 0 0 invalid",
		`"hops":1.5`:                       " 0 0 invalid",
		`"hops":"3"`:                       " 0 0 invalid",
		`"n":-1`:                           " 0 0 ",
		`"n":1e300`:                        " 0 0 ",
		`"n":[]`:                           " 0 0 ",
	} {
		for name, decode := range map[string]func([]byte) (Frame, error){"BAF": DecodeBAF, "v1": DecodeV1} {
			f, err := decode([]byte(`{"action":"agent_reply_str","message":"m",` + in + `}`))
			got := fmt.Sprint(f.Correlation, " ", f.Hops, " ", f.N, " ")
			if err != nil {
				got += string(fault.KindOf(err))
			}
			expected := want
			if name == "BAF" {
				expected = strings.TrimSuffix(want, "invalid")
			}
			if got != expected {
				t.Errorf("%s %s: %q, want %q", name, in, got, expected)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"action": "user_message", "message": "What is RAG?", "history": false, "timestamp": null}`,
		`{"action":"user_set_variable","message":{"k":NaN}}`, `{"action":"a","id":"x","message":[1,-Infinity]}`,
		`{"action":"agent_reply_str","message":"m","correlation":"c","hops":7,"n":1}`, `{"action":"a","hops":1e99,"correlation":[]}`, `[]`, ``, `{`, "\x00", `{"action":"\ud800"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, decode := range []func([]byte) (Frame, error){DecodeBAF, DecodeV1} {
			frame, err := decode(data)
			if err != nil {
				if fault.KindOf(err) != fault.Invalid || fault.Message(err) == "" {
					t.Errorf("error %v", err)
				}
				continue
			}
			if frame.Hops < 0 || frame.Hops > MaxHops || len(frame.Correlation) > MaxCorrelationBytes || frame.N < 0 {
				t.Errorf("frame %+v", frame)
			}
			if frame.Action == "" || frame.Message != nil && !json.Valid(frame.Message) {
				t.Errorf("frame %+v", frame)
			}
			if out := frame.AppendV1(nil); !json.Valid(out) {
				t.Errorf("encoded again: %s", out)
			}
		}
	})
}

func TestMarshalNaN(t *testing.T) {
	t.Parallel()
	type inner struct {
		N float32 `json:"n"`
	}
	type outer struct {
		inner
		Score   float64 `json:"score"`
		Skipped float64 `json:"-"`
		Empty   int     `json:"empty,omitempty"`
		When    time.Time
		Bytes   []byte
		Any     any
		List    []float64
		None    []float64
		Map     map[int]float64
		Pointer *inner
	}
	nan := math.NaN()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for want, v := range map[string]any{
		`null`:             nan,
		`1.5`:              1.5,
		`[1,null]`:         []float64{1, math.Inf(-1)},
		`{"n":null}`:       map[string]any{"n": nan},
		`{"text":"a<b>c"}`: nil,
		`{"Any":[null,2],"Bytes":"aGk=","List":[null],"Map":{"1":null},"None":null,"Pointer":{"n":null},"When":"2026-01-02T03:04:05Z","n":null,"score":null}`: outer{
			inner: inner{float32(nan)}, Score: math.Inf(1), When: at, Bytes: []byte("hi"),
			Any: []any{nan, 2}, List: []float64{nan}, Map: map[int]float64{1: nan}, Pointer: &inner{float32(nan)},
		},
	} {
		if v == nil {
			continue
		}
		got, err := Marshal(v)
		if err != nil || string(got) != want {
			t.Errorf("got  %s %v\nwant %s", got, err, want)
		}
	}
	type ring struct {
		Next *ring
		N    float64
	}
	r := &ring{N: nan}
	r.Next = r
	for _, bad := range []any{r, func() {}, make(chan int)} {
		if _, err := Marshal(bad); err == nil {
			t.Errorf("%T was encoded", bad)
		}
	}
	message := RAGMessage{Docs: []RAGDoc{{Metadata: RAGMetadata{Score: nan}}}}
	got, err := Marshal(message)
	if err != nil || !strings.Contains(string(got), `"score":null`) || !strings.Contains(string(got), `"page":null`) {
		t.Errorf("got %s %v", got, err)
	}
}

func TestJoinDeltas(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"", ""}, {"a", "b"}, {`quote " and \`, "\"}"}, {"é\n", "<\u2028>"}, {`\`, `"`}} {
		first, err := Marshal(Delta{Text: pair[0]})
		if err != nil {
			t.Fatal(err)
		}
		second, err := Marshal(Delta{Text: pair[1]})
		if err != nil {
			t.Fatal(err)
		}
		joined, ok := JoinDeltas(first, second)
		var d Delta
		if err := json.Unmarshal(joined, &d); !ok || err != nil || d.Text != pair[0]+pair[1] {
			t.Errorf("%q: %s %v %v", pair, joined, ok, err)
		}
	}
	if _, ok := JoinDeltas([]byte(`{"a":"b"}`), []byte(`{"text":"x"}`)); ok {
		t.Error("joined what is no delta")
	}
}

func TestReplayAction(t *testing.T) {
	t.Parallel()
	for chatType, want := range map[string][2]Action{ // of the agent, of a user
		TypeStr:       {ReplyStr, UserMessage},
		TypeJSON:      {ReplyStr, UserMessage},
		TypeMarkdown:  {ReplyMarkdown, UserMessage},
		TypeHTML:      {ReplyHTML, UserMessage},
		TypeFile:      {ReplyFile, UserFile},
		TypeImage:     {ReplyImage, UserFile},
		TypeDataFrame: {ReplyDataFrame, UserMessage},
		TypePlotly:    {ReplyPlotly, UserMessage},
		TypeOptions:   {ReplyOptions, UserMessage},
		TypeLocation:  {ReplyLocation, UserMessage},
		TypeRAG:       {ReplyRAG, UserMessage},
		TypeAudio:     {ReplyAudio, UserVoice},
		TypeUI:        {ReplyUI, UserMessage},
		TypeGUI:       {ReplyGUI, UserMessage},
		"hologram":    {"", ""},
		"":            {"", ""},
	} {
		for i, isUser := range []bool{false, true} {
			if got, ok := ReplayAction(chatType, isUser); got != want[i] || ok != (want[i] != "") {
				t.Errorf("%q of a user %v: %q %v, want %q", chatType, isUser, got, ok, want[i])
			}
		}
	}
	for kind, want := range map[string]Action{StoredStep: ReplyReasoningStep, StoredTaskList: ReplyTaskList, "": "", "dream": ""} {
		if got, ok := ReplayStep(kind); got != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", kind, got, ok, want)
		}
	}
}
