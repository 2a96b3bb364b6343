package quote

import (
	"slices"
	"testing"
)

func TestNoiseIsDropped(t *testing.T) {
	t.Parallel()
	const said = "Logical replication allows replication on a per-table basis."
	for _, c := range []struct {
		noise, question string
		dropped         bool
	}{
		{"For more information on logical replication, see Chapter 31.", "logical replication", true},
		{"See the spawn(8) manpage for more information about logical replication.", "logical replication", true},
		{"Table F.32 shows the replication columns.", "logical replication", true},
		{"The columns of logical replication are shown in Table F.20.", "logical replication", true},
		{"The following table lists the columns of replication.", "logical replication", true},
		{"Siehe Abschnitt 5.3 zur Replikation.", "logical replication", true},
		{"Weitere Informationen zur Replikation finden Sie im Handbuch.", "logical replication", true},
		{"Die Spalten sind in Abschnitt 4 beschrieben.", "logical replication", true},
		{"[Replicas](replicas.md) explains logical replication.", "logical replication", true},
		{"[Slony](https://slony.info) explains logical replication.", "logical replication", false},
		{"For example:", "logical replication", true},
		{"...", "logical replication", true},
		{"```\nreplica\n```", "logical replication", true},
		{"```\nSHOW replicas;\n```", "logical replication", false},
		{"For more information on logical replication, see Chapter 31.", "where is logical replication described?", false},
		{"See also replication slots", "logical replication", true},
		{"See your administrator before the first replication.", "logical replication", false},
		{"The previous table is dropped from the publication.", "logical replication", false},
		{"For more replicas, set max_replicas to 8.", "logical replication", false},
		{"Seeing the replicas needs a role.", "logical replication", false},
		{"The replicas are listed in replicas.conf, one in each line.", "logical replication", false},
		{"Further information is not replicated.", "logical replication", false},
	} {
		e := &extractor{question: c.question, static: testStatic}
		e.passages = [][]quote{e.read(0, passage(1, "Manual", "Replication", said+"\n\n"+c.noise).Passage, "")}
		var got []string
		for _, q := range e.telling(e.passages[0]) {
			got = append(got, q.text)
		}
		want := []string{said, c.noise}
		if c.dropped {
			want = want[:1]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q", c.noise, got)
		}
	}
	e := &extractor{question: "logical replication", static: testStatic}
	announced := e.read(0, passage(1, "Manual", "Replication", said+" It prints:\n\n```\n42\n```").Passage, "")
	if got := e.telling(announced); len(got) != 3 {
		t.Errorf("an announced word is dropped: %+v", got)
	}
	alone := []quote{{text: "See Chapter 31."}}
	if got := (&extractor{question: "logical replication"}).telling(alone); len(got) != 1 {
		t.Errorf("the only sentence is dropped")
	}
}
