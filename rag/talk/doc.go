// Package talk analyzes conversations. It recognizes small talk and questions
// that depend on earlier turns.
package talk
