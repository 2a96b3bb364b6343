package rag

import (
	"testing"

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
		support Support
	}{
		"The default value of work_mem is four megabytes.":             {[]int{1}, Strong},
		"The default of work_mem is 4MB.":                              {[]int{2, 1}, Strong},
		"There can be at most 1600 columns.":                           {[]int{1}, Strong},
		"The default of work_mem is 64MB.":                             {[]int{1}, Weak},
		"The default of hash_mem is 4MB.":                              {[]int{1}, Weak},
		"Elephants never forget a face.":                               {[]int{1, 2}, None},
		"The default value of work_mem is four megabytes, not cited.":  {[]int{}, None},
		"Kittens doze for many hours daily, unlike the elephants do.":  {[]int{1}, None},
		"The default value of shared_buffers is four megabytes (4MB).": {[]int{2}, None},
	} {
		if got := c.support(text, want.docs); got != want.support {
			t.Errorf("%q citing %v: %s, want %s", text, want.docs, got, want.support)
		}
	}
}

// A sentence and a passage do not fully agree if one of them denies the other,
// however similar their words are.
func TestSupportOfTheOpposite(t *testing.T) {
	t.Parallel()
	c := newChecker(testStatic, []retrieve.Result{
		passage(1, "Groups", "", "Groups nest to any depth. A group has a name and does not survive a restart. Members are not renamed. Only admins create groups."),
		passage(2, "Gruppen", "", "Gruppen lassen sich beliebig tief schachteln. Ein Name wird nicht geändert."),
	})
	for text, want := range map[string]struct {
		doc     int
		support Support
	}{
		"Groups nest to any depth.":                              {1, Strong},
		"Groups do **not** nest to any depth.":                   {1, Weak},
		"Groups don't nest, to any depth.":                       {1, Weak},
		"Groups do not support nesting.":                         {1, Weak},
		"I don't know why, but groups nest to any depth.":        {1, Strong},
		"Groups never nest to any depth.":                        {1, Weak},
		"No groups nest to any depth.":                           {1, Weak},
		"Groups not only nest, they nest to any depth.":          {1, Strong},
		"A group has a name.":                                    {1, Strong},
		"A group does not survive a restart.":                    {1, Strong},
		"A group survives a restart.":                            {1, Weak},
		"Members are renamed.":                                   {1, Weak},
		"Members are never renamed.":                             {1, Strong},
		"Not all create groups, only admins.":                    {1, Strong},
		"Groups nest to any depth and do not survive a restart.": {1, Strong},
		"Gruppen lassen sich beliebig tief schachteln.":          {2, Strong},
		"Gruppen lassen sich nicht beliebig tief schachteln.":    {2, Weak},
		"Keine Gruppen lassen sich beliebig tief schachteln.":    {2, Weak},
		"Ein Name wird geändert.":                                {2, Weak},
		"Ein Name wird nicht geändert.":                          {2, Strong},
	} {
		if got := c.support(text, []int{want.doc}); got != want.support {
			t.Errorf("%q: %s, want %s", text, got, want.support)
		}
	}
}
