// Package speech converts recordings to text and text to sound, with any server
// with OpenAI's audio API.
package speech
