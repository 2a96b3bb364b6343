// Package auth tells who asks and what they may do: API tokens, users with
// passwords and cookies, and tokens (JWT) of an OpenID Connect issuer.
//
// An [Authenticator] turns what is shown into a [Principal]; its Middleware does
// so for HTTP and for the handshakes of WebSockets. What a principal may do is
// decided where it is done: [Principal.May] and [Principal.Owns]. Of tokens and
// cookies the [Store] has only hashes, of passwords argon2id hashes.
package auth
