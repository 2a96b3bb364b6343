// Package bpe divides texts into tokens by byte-level byte pair encoding, as the
// models GPT-2 and RoBERTa do.
//
// # Algorithm
//
//  1. A text becomes words: runs of letters, of digits, and of other characters, each
//     with the space before it; and the remaining white space. The English endings 's,
//     't, 're, 've, 'm, 'll, and 'd are words of their own. The scanner replaces a
//     regular expression with a lookahead, which Go does not have.
//  2. The bytes of a word are its first tokens.
//  3. Two neighbors that a merge joins become one token. The first merge of the list
//     comes first, and the leftmost of equal pairs. This ends when no merge fits.
//
// A vocabulary writes each byte as a character: printable ones of Latin-1 as
// themselves, and the others as characters from U+0100 on. So a space is Ġ.
package bpe
