package pipeline

import (
	"testing"

	"docent/rag"
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
		support rag.Support
	}{
		"The default value of work_mem is four megabytes.":             {[]int{1}, rag.Strong},
		"The default of work_mem is 4MB.":                              {[]int{2, 1}, rag.Strong},
		"There can be at most 1600 columns.":                           {[]int{1}, rag.Strong},
		"The default of work_mem is 64MB.":                             {[]int{1}, rag.None},
		"The default of hash_mem is 4MB.":                              {[]int{1}, rag.None},
		"Elephants never forget a face.":                               {[]int{1, 2}, rag.None},
		"The default value of work_mem is four megabytes, not cited.":  {[]int{}, rag.None},
		"Kittens doze for many hours daily, unlike the elephants do.":  {[]int{1}, rag.None},
		"The default value of shared_buffers is four megabytes (4MB).": {[]int{2}, rag.None},
	} {
		if got := c.support(text, want.docs); got != want.support {
			t.Errorf("%q citing %v: %s, want %s", text, want.docs, got, want.support)
		}
	}
}

// TestSupportOfTheOpposite: a passage does not support a sentence that
// denies it, however similar the words.
func TestSupportOfTheOpposite(t *testing.T) {
	t.Parallel()
	c := newChecker(testStatic, []retrieve.Result{
		passage(1, "Groups", "", "Groups nest to any depth. A group has a name and does not survive a restart. Members are not renamed. Only admins create groups."),
		passage(2, "Gruppen", "", "Gruppen lassen sich beliebig tief schachteln. Ein Name wird nicht geändert."),
	})
	for text, want := range map[string]struct {
		doc     int
		support rag.Support
	}{
		"Groups nest to any depth.":                              {1, rag.Strong},
		"Groups do **not** nest to any depth.":                   {1, rag.None},
		"Groups don't nest, to any depth.":                       {1, rag.None},
		"Groups do not support nesting.":                         {1, rag.None},
		"I don't know why, but groups nest to any depth.":        {1, rag.Strong},
		"Groups never nest to any depth.":                        {1, rag.None},
		"No groups nest to any depth.":                           {1, rag.None},
		"Groups not only nest, they nest to any depth.":          {1, rag.Strong},
		"A group has a name.":                                    {1, rag.Strong},
		"A group does not survive a restart.":                    {1, rag.Strong},
		"A group survives a restart.":                            {1, rag.None},
		"Members are renamed.":                                   {1, rag.None},
		"Members are never renamed.":                             {1, rag.Strong},
		"Not all create groups, only admins.":                    {1, rag.Strong},
		"Groups nest to any depth and do not survive a restart.": {1, rag.Strong},
		"Gruppen lassen sich beliebig tief schachteln.":          {2, rag.Strong},
		"Gruppen lassen sich nicht beliebig tief schachteln.":    {2, rag.None},
		"Keine Gruppen lassen sich beliebig tief schachteln.":    {2, rag.None},
		"Ein Name wird geändert.":                                {2, rag.None},
		"Ein Name wird nicht geändert.":                          {2, rag.Strong},
	} {
		if got := c.support(text, []int{want.doc}); got != want.support {
			t.Errorf("%q: %s, want %s", text, got, want.support)
		}
	}
}
