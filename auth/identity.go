package auth

import "context"

// Identity is a user at an OpenID Connect provider. The subject never changes there, unlike a name or an address.
type Identity struct {
	// Issuer is the URL of the provider.
	Issuer string
	// Subject identifies the user at the provider.
	Subject string
}

// Identities stores the identities of users. It is safe for concurrent use, also by several processes.
type Identities interface {
	// Identified returns the user with an identity. Without one it fails with fault.NotFound.
	Identified(ctx context.Context, id Identity) (UserRecord, error)
	// AddIdentified stores a user with an identity. It fails with fault.Conflict if the name is taken, or was that of a
	// user whose conversations remain, or if the identity belongs to a user.
	AddIdentified(ctx context.Context, id Identity, user UserRecord) error
	// LinkIdentity deletes the link with the hash, and adds an identity to its user. Without the link it changes nothing
	// and fails with fault.NotFound. It fails with fault.Conflict if the identity belongs to a user.
	LinkIdentity(ctx context.Context, hash []byte, id Identity) error
}
