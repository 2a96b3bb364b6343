// Package auth authenticates requests and checks permissions. It supports API
// tokens, users with passwords and cookies, and tokens (JWT) of an OpenID Connect
// issuer.
//
// An [Authenticator] turns credentials into a [Principal]. Its Middleware does
// this for HTTP requests and WebSocket handshakes. Handlers check permissions
// with [Principal.May] and [Principal.Owns]. The stores hold only hashes: SHA-256
// for tokens and cookies, argon2id for passwords.
package auth
