package rights

import (
	"context"
	"slices"
	"strings"
	"time"

	"docent/auth"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Level is the extent of a right in a collection. Each level includes the lower
// ones.
type Level int

// The levels.
const (
	// None allows nothing.
	None Level = iota
	// Read allows searching, asking, and opening documents.
	Read
	// Write allows adding and removing documents.
	Write
	// Manage allows describing, emptying, and removing the collection, and changing the rights of others.
	Manage
)

// levels are the names of the levels.
var levels = []string{"none", "read", "write", "manage"}

// String returns the name of the level.
func (l Level) String() string { return levels[l] }

// ParseLevel returns the level with the name: read, write, or manage.
func ParseLevel(name string) (Level, error) {
	if i := slices.Index(levels, name); i > 0 {
		return Level(i), nil
	}
	return None, fault.New(fault.Invalid, "right_unknown", "%.64q is not a right; use read, write, or manage", name)
}

// Limits of groups.
const (
	// MaxGroups bounds the groups, and the groups in a token of an issuer.
	MaxGroups = 1000
	// MaxMembers bounds the members of a group.
	MaxMembers = 10_000
	// MaxGrants bounds the rights on one collection.
	MaxGrants = 1000
)

// Everyone is the subject of rights of all principals.
const Everyone = "everyone"

// Prefixes of subjects. The rest of a subject is a name.
const (
	userPrefix  = "user:"
	tokenPrefix = "token:"
	groupPrefix = "group:"
	oidcPrefix  = "oidc:"
)

// Grant is a right of a subject in a collection.
type Grant struct {
	// Subject is everyone, group:NAME, user:NAME, token:NAME, or
	// oidc:ISSUER#SUBJECT.
	Subject string
	// Level is the extent of the right.
	Level Level
}

// Collection is a collection with its rights.
type Collection struct {
	// Name is the name of the collection.
	Name string
	// Restricted reports that only the subjects of Grants may use the collection.
	Restricted bool
	// Grants are the rights by subject. An open collection has none.
	Grants []Grant
}

// Group is a set of users.
type Group struct {
	// Name identifies the group.
	Name string
	// Members are principals: user:NAME or oidc:ISSUER#SUBJECT, in order. Members
	// by a claim of their issuer are not among them.
	Members []string
}

// Access has the rights of one principal. The zero value allows nothing.
type Access struct {
	// Admin reports that the principal may use all collections.
	Admin bool
	// Unrestricted reports that no collection is restricted.
	Unrestricted bool
	// Levels are the rights in the collections that the principal may read. An open
	// collection has Write. The map is empty if Admin or Unrestricted.
	Levels map[string]Level
}

// All reports whether the principal may read every collection.
func (a Access) All() bool { return a.Admin || a.Unrestricted }

// Level returns the right of the principal in a collection.
func (a Access) Level(collection string) Level {
	switch {
	case a.Admin:
		return Manage
	case a.Unrestricted:
		return Write
	}
	return a.Levels[collection]
}

// Readable returns the names of the readable collections among some, or among all
// if there are none. The result is nil if nothing limits the reader, and empty if
// nothing is readable.
func (a Access) Readable(among []string) []string {
	out := []string{}
	switch {
	case a.All() && len(among) == 0:
		return nil
	case a.All():
		return slices.Clone(among)
	case len(among) == 0:
		for name := range a.Levels {
			out = append(out, name)
		}
		slices.Sort(out)
		return out
	}
	for _, name := range among {
		if a.Levels[name] >= Read {
			out = append(out, name)
		}
	}
	return out
}

// Store keeps groups and rights. It is safe for concurrent use, also by several
// processes. Once a method has returned, every process sees its change.
type Store interface {
	// Access returns the rights of a reader at a time. A user or token with the scope
	// admin is an administrator, unless the reader is limited. An unknown principal
	// has the rights of Everyone, and "" has none.
	Access(ctx context.Context, reader corpus.Reader, at time.Time) (Access, error)
	// CollectionRights lists all collections with their rights, by name.
	CollectionRights(ctx context.Context) ([]Collection, error)
	// SetRight sets the right of a subject in a collection, and makes the collection
	// restricted. Level None removes the right. It creates a missing collection. It
	// fails with fault.NotFound if the subject does not exist, and with
	// fault.Conflict at MaxGrants.
	SetRight(ctx context.Context, collection string, grant Grant) error
	// OpenCollection removes all rights on a collection and the restriction. It fails
	// with fault.NotFound if the collection does not exist.
	OpenCollection(ctx context.Context, collection string) error
	// Groups lists the groups by name.
	Groups(ctx context.Context) ([]Group, error)
	// AddGroup adds a group. It fails with fault.Conflict if the name is taken or
	// there are MaxGroups groups.
	AddGroup(ctx context.Context, name string) error
	// RemoveGroup removes a group and its rights. It fails with fault.NotFound if the
	// group does not exist.
	RemoveGroup(ctx context.Context, name string) error
	// SetMember adds a member to a group, or removes it. It fails with fault.NotFound
	// if the group or the member does not exist, and with fault.Conflict at
	// MaxMembers.
	SetMember(ctx context.Context, group, member string, is bool) error
	// SetIssuerGroups replaces the groups of a principal that its issuer names. They
	// count until a time.
	SetIssuerGroups(ctx context.Context, principal string, groups []string, until time.Time) error
	// CollectionsOf returns the collections of documents by id. Unknown documents are
	// absent.
	CollectionsOf(ctx context.Context, documents []int64) (map[int64]string, error)
}

// Config configures Rights.
type Config struct {
	// Store keeps groups and rights. Required.
	Store Store
	// IssuerAdmin reports that all principals of the OpenID Connect issuer are
	// administrators. Default: false.
	IssuerAdmin bool
	// Now returns the time. Default: time.Now.
	Now func() time.Time
}

// Rights checks and changes rights. It is safe for concurrent use.
type Rights struct {
	store       Store
	issuerAdmin bool
	now         func() time.Time
}

// New returns the rights of a store.
func New(config Config) *Rights {
	if config.Now == nil {
		config.Now = time.Now
	}
	return &Rights{config.Store, config.IssuerAdmin, config.Now}
}

// errNoReader is a fault of the program: it reads documents for nobody.
var errNoReader = fault.New(fault.Internal, "reader_missing", "internal error: the user who reads the documents is not set")

// Access returns the rights of the reader of ctx.
func (r *Rights) Access(ctx context.Context) (Access, error) {
	reader, ok := corpus.ReaderOf(ctx)
	if !ok {
		return Access{}, errNoReader
	}
	if r.issuerAdmin && !reader.Limited && strings.HasPrefix(reader.Principal, oidcPrefix) {
		return Access{Admin: true}, nil
	}
	return r.store.Access(ctx, reader, r.now()) //nolint:wrapcheck // the store names the operation
}

// Check fails unless the reader of ctx has a level in a collection. It fails with
// fault.NotFound if the reader may not read the collection, and with
// fault.Forbidden otherwise.
func (r *Rights) Check(ctx context.Context, collection string, level Level) error {
	access, err := r.Access(ctx)
	if err != nil {
		return err
	}
	return check(access, collection, level)
}

func check(access Access, collection string, level Level) error {
	switch had := access.Level(collection); {
	case had >= level:
		return nil
	case had == None:
		return fault.New(fault.NotFound, "no_collection", "there is no collection %.64q", collection)
	case level == Write:
		return fault.New(fault.Forbidden, "collection_read_only", "you may read the collection %.64q but not change its documents", collection)
	default:
		return fault.New(fault.Forbidden, "collection_not_managed",
			"you may use the collection %.64q but not change it or the rights on it", collection)
	}
}

// ParseSubject checks a subject and returns its stored form.
func ParseSubject(subject string) (string, error) {
	name := func(prefix string) string { return strings.TrimPrefix(subject, prefix) }
	var err error
	switch {
	case subject == Everyone:
	case strings.HasPrefix(subject, groupPrefix):
		err = auth.CheckGroupName(name(groupPrefix))
	case strings.HasPrefix(subject, userPrefix):
		subject = userPrefix + auth.UserName(name(userPrefix))
	case strings.HasPrefix(subject, tokenPrefix):
	case strings.HasPrefix(subject, oidcPrefix) && strings.Contains(subject, "#"):
	default:
		err = fault.New(fault.Invalid,
			"subject_unknown", "%.100q is not a subject; use everyone, group:NAME, user:NAME, token:NAME, or oidc:ISSUER#SUBJECT", subject)
	}
	return subject, err
}

// ParseMember checks a member of a group and returns its stored form. A name
// without a prefix is the name of a user.
func ParseMember(member string) (string, error) {
	if !strings.HasPrefix(member, oidcPrefix) && !strings.HasPrefix(member, userPrefix) {
		member = userPrefix + member
	}
	return ParseSubject(member)
}
