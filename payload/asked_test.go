package payload_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/payload"
)

func TestReadAskOptions(t *testing.T) {
	t.Parallel()
	many, err := json.Marshal(map[string]any{"message": "q", "collections": strings.Fields(strings.Repeat("c ", payload.MaxAskCollections+1))})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"message":"q","collections":["a","b"],"model":" m ","k":50}`: "{[a b] [] [] [] m 50 []} <nil> true",
		`{"message":"q","k":1.0}`:                                      "{[] [] [] []  1 []} <nil> true",
		`{"message":"q","k":null,"model":null,"collections":null}`:     "{[] [] [] []  0 []} <nil> true",
		`{"message":"q","collections":[],"model":""}`:                  "{[] [] [] []  0 []} <nil> true",
		`{"message":"q"}`:                      "{[] [] [] []  0 []} <nil> false",
		`{"message":"q","k":3,"other":1}`:      "{[] [] [] []  3 []} <nil> false",
		`{"message":5,"k":"x"}`:                "{[] [] [] []  0 []} <nil> false",
		`{"k":3}`:                              "{[] [] [] []  0 []} <nil> false",
		`"text"`:                               "{[] [] [] []  0 []} <nil> false",
		`"{\"message\":\"q\",\"k\":4}"`:        "{[] [] [] []  4 []} <nil> false",
		`[1]`:                                  "{[] [] [] []  0 []} <nil> false",
		`null`:                                 "{[] [] [] []  0 []} <nil> false",
		``:                                     "{[] [] [] []  0 []} <nil> false",
		`{"message":"q","k":51}`:               "{[] [] [] []  0 []} k true",
		`{"message":"q","k":0,"model":"m"}`:    "{[] [] [] []  0 []} k true",
		`{"message":"q","k":true}`:             "{[] [] [] []  0 []} k true",
		`{"message":"q","model":["m"]}`:        "{[] [] [] []  0 []} model true",
		`{"message":"q","collections":"a"}`:    "{[] [] [] []  0 []} collections true",
		`{"message":"q","collections":[null]}`: "{[] [] [] []  0 []} collections true",
		`{"message":"q","documents":[3,5]}`:    "{[] [3 5] [] []  0 []} <nil> true",
		`{"message":"q","folders":["a/b"],"tags":["x","y"]}`: "{[] [] [a/b] [x y]  0 []} <nil> true",
		`{"message":"q","folders":[""]}`:                     "{[] [] [] []  0 []} folders true",
		`{"message":"q","tags":"x"}`:                         "{[] [] [] []  0 []} folders true",
		`{"message":"q","documents":[]}`:                     "{[] [] [] []  0 []} <nil> true",
		`{"message":"q","documents":"3"}`:                    "{[] [] [] []  0 []} documents true",
		`{"message":"q","documents":[0]}`:                    "{[] [] [] []  0 []} documents true",
		`{"message":"q","documents":[1.5]}`:                  "{[] [] [] []  0 []} documents true",
		`{"message":"q","documents":[` + strings.Repeat("1,", payload.MaxAskDocuments) + `1]}`: "{[] [] [] []  0 []} documents true",
		`{"message":"q","brief":["A","B c"]}`:                                                  "{[] [] [] []  0 [A B c]} <nil> true",
		`{"message":"q","brief":[" "]}`:                                                        "{[] [] [] []  0 []} brief true",
		`{"message":"q","brief":["A b","a B "]}`:                                               "{[] [] [] []  0 []} brief true",
		`{"message":"q","brief":"A"}`:                                                          "{[] [] [] []  0 []} brief true",
		`{"message":"q","brief":["1","2","3","4","5","6","7","8","9"]}`:                        "{[] [] [] []  0 []} brief true",
		`{"message":"` + strings.Repeat("q", payload.MaxTaskBytes) + `","brief":["A"]}`:        "{[] [] [] []  0 []} the true",
		string(many): "{[] [] [] []  0 []} collections true",
	} {
		o, err := payload.ReadAskOptions(json.RawMessage(text))
		says := "<nil>"
		if err != nil {
			says, _, _ = strings.Cut(fault.Message(err), " ")
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s: %v", text, err)
			}
		}
		if got := fmt.Sprint(o, " ", says, " ", payload.IsAsk(json.RawMessage(text))); got != want {
			t.Errorf("%.80s: %s, want %s", text, got, want)
		}
		if o.IsZero() != strings.HasPrefix(want, "{[] [] [] []  0 []}") {
			t.Errorf("%.80s: zero is %v", text, o.IsZero())
		}
	}
}
