package store

import (
	"docent/auth"
	"docent/auth/rights"
	"docent/internal/fault"
)

// NoGroup is the error for a group that does not exist.
func NoGroup(name string) error {
	return fault.New(fault.NotFound, "no_group", "there is no group %q", name)
}

// GroupTaken is the error for a group's name that is in use.
func GroupTaken(name string) error {
	return fault.New(fault.Conflict, "group_name_taken", "there is already a group %q", name)
}

// TooManyGroups is the error at rights.MaxGroups groups.
func TooManyGroups() error {
	return fault.New(fault.Conflict, "groups_full", "there are already %d groups, and no more are allowed", rights.MaxGroups)
}

// TooManyMembers is the error at rights.MaxMembers members.
func TooManyMembers(group string) error {
	return fault.New(fault.Conflict, "members_full", "the group %q has %d members, and no more are allowed", group, rights.MaxMembers)
}

// TooManyGrants is the error at rights.MaxGrants rights on a collection.
func TooManyGrants(collection string) error {
	return fault.New(fault.Conflict,
		"rights_full", "the collection %q has %d rights, and no more are allowed; use groups", collection, rights.MaxGrants)
}

// NoSubject is the error for a subject of rights, or a member of a group, that does
// not exist.
func NoSubject(subject string) error {
	return fault.New(fault.NotFound, "no_subject", "there is no %s", subject)
}

// NoCollection is the error for a collection that does not exist.
func NoCollection(name string) error {
	return fault.New(fault.NotFound, "no_collection", "there is no collection %.64q", name)
}

// IsAdmin reports whether stored scopes contain admin. Stored scopes are "" for an
// unknown principal.
func IsAdmin(scopes string) (bool, error) {
	if scopes == "" {
		return false, nil
	}
	parsed, err := Scopes(scopes)
	return auth.Principal{Scopes: parsed}.May(auth.Admin), err
}

// MergeGrants merges rows of one right each into collections. The rows are ordered
// by collection. A row of a collection without rights has level rights.None.
func MergeGrants(rows []rights.Collection) []rights.Collection {
	var out []rights.Collection
	for _, row := range rows {
		if len(out) == 0 || out[len(out)-1].Name != row.Name {
			out = append(out, rights.Collection{Name: row.Name, Restricted: row.Restricted})
		}
		if last := &out[len(out)-1]; row.Grants[0].Level != rights.None {
			last.Grants = append(last.Grants, row.Grants[0])
		}
	}
	return out
}

// MergeMembers merges rows of one member each into groups. The rows are ordered by
// group. A row of a group without members has the member "".
func MergeMembers(rows []rights.Group) []rights.Group {
	var out []rights.Group
	for _, row := range rows {
		if len(out) == 0 || out[len(out)-1].Name != row.Name {
			out = append(out, rights.Group{Name: row.Name})
		}
		if last := &out[len(out)-1]; row.Members[0] != "" {
			last.Members = append(last.Members, row.Members[0])
		}
	}
	return out
}
