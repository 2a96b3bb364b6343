package definition_test

import (
	"strings"
	"testing"

	"docent/rag/definition"
)

// Questions for a definition, with texts that define the subject and texts that only mention it.
func TestStrength(t *testing.T) {
	t.Parallel()
	for question, texts := range map[string]struct{ is, does, not []string }{
		"What is WAL?": {
			is: []string{
				"Write-Ahead Logging (WAL) is a standard method for ensuring data integrity.",
				"See below. WAL stands for write-ahead log.",
				"WAL\n\nThe journal that keeps track of the changes.",
			},
			does: []string{"There is a journal, the WAL (Write-Ahead Log File), in each cluster."},
			not: []string{
				"WAL records are appended to the WAL logs.", "The number of WAL segment files depends on min_wal_size.", "WAL is automatically enabled.",
				"Is WAL needed?",
			},
		},
		"What does the VACUUM command do?": {
			is:   []string{"Synopsis\n\nVACUUM — garbage-collect a database"},
			does: []string{"VACUUM reclaims storage occupied by dead tuples.", "In normal operation, VACUUM updates the statistics."},
			not:  []string{"vacuumdb is a wrapper around VACUUM.", "VACUUM does not shrink indexes."},
		},
		"what's a tablespace": {
			does: []string{"Tablespaces in PostgreSQL allow administrators to define locations.", "A tablespace allows superusers to define a location."},
			not:  []string{"CREATE TABLESPACE registers a new tablespace."},
		},
		"What is postscreen used for?": {
			is: []string{"The postscreen(8) server is a zombie blocker.", "There is a daemon called postscreen."},
		},
		"define foreign data wrappers": {is: []string{"A foreign-data wrapper is the mechanism by which data is accessed."}},
		"what are MPMs?":               {does: []string{"There is a selection of Multi-Processing Modules (MPMs) which are responsible for ports."}},
		"whats suexec": {
			is:   []string{"Suexec is used by the server to switch to another user.", "The suexec feature can be used to change the user."},
			does: []string{"The program suexec provides a change of users."},
			not:  []string{"suexec is not used by default."},
		},
		"What is libvirt?": {
			is:  []string{"The libvirt project:\n- is a toolkit to manage virtualization platforms\n- is free software"},
			not: []string{"Vagrant-Libvirt is a plugin.", "Parts of libvirt:\n- a library"},
		},
		"What is free software?":      {is: []string{"Free software is a kind of software."}, not: []string{"The free command is a tool."}},
		"What is a manager?":          {not: []string{"The project manager is a person."}},
		"pg_rewind, what does it do?": {is: []string{"pg_rewind is a tool."}},
		"root distance - definition":  {is: []string{"The root distance is a sum."}},
		"the meaning of KoD":          {is: []string{"A packet called KoD."}},
		"What does ENTRY mean?":       {is: []string{"- `entry`, the first value, is a name."}},
		"explain EXPLAIN":             {does: []string{"Description\n\nThis command displays the plan."}, not: []string{"This happens seldom. This command is old."}},
		"what is an OID": {
			does: []string{"an OID (object identifier of 4 bytes)"},
			not:  []string{"refobjid oid (references any OID column)", "Also known as OID value.", "It is also called OID alias."},
		},
		"what is point-in-time recovery": {is: []string{"It restores any moment, which is called point-in-time recovery."}},
		"so what are policies?":          {is: []string{"A policy is a rule."}, not: []string{"Policemen are the friends of all."}},
	} {
		q := definition.Asked(question)
		if q == nil {
			t.Errorf("%q is no question for a definition", question)
			continue
		}
		for strength, list := range map[float64][]string{1: texts.is, .7: texts.does, 0: texts.not} {
			for _, text := range list {
				if got := q.Strength("5.1. Explain (8)", text); got != strength {
					t.Errorf("%q: %q has the strength %v, want %v", question, text, got, strength)
				}
			}
		}
	}
}

// Other questions are not asked for a definition, whatever characters they have.
func TestAsked(t *testing.T) {
	t.Parallel()
	for _, question := range []string{
		"", "?", "What is", "What is the difference between a view and a table?", "What is the default port?", "How do I vacuum?",
		"What is the maximum number of columns in a table?", "what is it", "Why is it slow?", "pump", "how so?", "what does it do?", "is that so?", "Really?", "any limits?", "What is new?", "what is wrong?", "what are the steps that I need to follow here",
		"what is " + strings.Repeat("a", 100),
	} {
		if definition.Asked(question) != nil {
			t.Errorf("%q is a question for a definition", question)
		}
	}
	if q := definition.Asked(`what is (a[b*`); q == nil || q.Strength("", "(a[b* is a mistake.") != 1 {
		t.Error("characters of patterns have a meaning in subjects")
	}
}
