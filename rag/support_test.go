package rag

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"docent/payload"
	"docent/rag/retrieve"
)

func TestSupport(t *testing.T) {
	t.Parallel()
	c := newChecker(testStatic, []retrieve.Result{
		passage(1, "Resources", "work_mem (integer)", "Sets the base maximum amount of memory to be used by a query operation before writing to temporary disk files. The default value is four megabytes (4MB). At most 1,600 columns."),
		passage(2, "Cats", "", "Cats sleep most of the day."),
	})
	for text, want := range map[string]struct {
		docs    []int
		support payload.Support
	}{
		"The default value of work_mem is four megabytes.":             {[]int{1}, payload.SupportStrong},
		"The default of work_mem is 4MB.":                              {[]int{2, 1}, payload.SupportStrong},
		"There can be at most 1600 columns.":                           {[]int{1}, payload.SupportStrong},
		"The default of work_mem is 64MB.":                             {[]int{1}, payload.SupportWeak},
		"The default of hash_mem is 4MB.":                              {[]int{1}, payload.SupportWeak},
		"Elephants never forget a face.":                               {[]int{1, 2}, payload.SupportNone},
		"The default value of work_mem is four megabytes, not cited.":  {[]int{}, payload.SupportNone},
		"Kittens doze for many hours daily, unlike the elephants do.":  {[]int{1}, payload.SupportNone},
		"The default value of shared_buffers is four megabytes (4MB).": {[]int{2}, payload.SupportNone},
	} {
		if got := c.support(text, want.docs); got != want.support {
			t.Errorf("%q citing %v: %s, want %s", text, want.docs, got, want.support)
		}
	}
}

// What a passage says and a sentence denies, or the other way round, is not
// carried in full, however alike the words.
func TestSupportOfTheOpposite(t *testing.T) {
	t.Parallel()
	c := newChecker(testStatic, []retrieve.Result{
		passage(1, "Groups", "", "Groups nest to any depth. A group has a name and does not survive a restart. Members are not renamed. Only admins create groups."),
		passage(2, "Gruppen", "", "Gruppen lassen sich beliebig tief schachteln. Ein Name wird nicht geändert."),
	})
	for text, want := range map[string]struct {
		doc     int
		support payload.Support
	}{
		"Groups nest to any depth.":                              {1, payload.SupportStrong},
		"Groups do **not** nest to any depth.":                   {1, payload.SupportWeak},
		"Groups don't nest, to any depth.":                       {1, payload.SupportWeak},
		"Groups do not support nesting.":                         {1, payload.SupportWeak},
		"I don't know why, but groups nest to any depth.":        {1, payload.SupportStrong},
		"Groups never nest to any depth.":                        {1, payload.SupportWeak},
		"No groups nest to any depth.":                           {1, payload.SupportWeak},
		"Groups not only nest, they nest to any depth.":          {1, payload.SupportStrong},
		"A group has a name.":                                    {1, payload.SupportStrong},
		"A group does not survive a restart.":                    {1, payload.SupportStrong},
		"A group survives a restart.":                            {1, payload.SupportWeak},
		"Members are renamed.":                                   {1, payload.SupportWeak},
		"Members are never renamed.":                             {1, payload.SupportStrong},
		"Not all create groups, only admins.":                    {1, payload.SupportStrong},
		"Groups nest to any depth and do not survive a restart.": {1, payload.SupportStrong},
		"Gruppen lassen sich beliebig tief schachteln.":          {2, payload.SupportStrong},
		"Gruppen lassen sich nicht beliebig tief schachteln.":    {2, payload.SupportWeak},
		"Keine Gruppen lassen sich beliebig tief schachteln.":    {2, payload.SupportWeak},
		"Ein Name wird geändert.":                                {2, payload.SupportWeak},
		"Ein Name wird nicht geändert.":                          {2, payload.SupportStrong},
	} {
		if got := c.support(text, []int{want.doc}); got != want.support {
			t.Errorf("%q: %s, want %s", text, got, want.support)
		}
	}
}

// The message on the wire has all keys of BAF's golden frame, with values of
// the same types.
func TestMessageIsLikeBAFs(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/agent_reply_rag.json")
	if err != nil {
		t.Fatal(err)
	}
	var frame struct{ Message map[string]any }
	if err := json.Unmarshal(raw, &frame); err != nil {
		t.Fatal(err)
	}
	paged := memoryShelf()
	page := 3
	paged.results[0].Passage.Page, paged.results[0].Passage.PageLabel = &page, "iv"
	r, _ := newRAG(t, paged)
	for _, question := range []string{"What is the default of work_mem?", "where do elephants sleep?"} {
		msg, err := r.Run(t.Context(), Request{Question: question})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(msg)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		sameShape(t, "message", frame.Message, got)
		if bytes.Contains(data, []byte(`"sentences":null`)) || bytes.Contains(data, []byte(`"docs":null`)) {
			t.Errorf("a list is null: %s", data)
		}
	}
}

// sameShape reports keys of want that got lacks or has with another type.
func sameShape(t *testing.T, at string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s is no object", at)
			return
		}
		for k, v := range want {
			if _, ok := got[k]; !ok {
				t.Errorf("%s has no %s", at, k)
				continue
			}
			sameShape(t, at+"."+k, v, got[k])
		}
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) == 0 {
			t.Errorf("%s is no list, or empty", at)
			return
		}
		sameShape(t, at+"[0]", want[0], got[0])
	case string:
		if _, ok := got.(string); !ok {
			t.Errorf("%s is no string", at)
		}
	case float64:
		if _, ok := got.(float64); !ok {
			t.Errorf("%s is no number", at)
		}
	}
}
