// Package encoder turns texts into vectors with a transformer inside the binary:
// all-MiniLM-L6-v2, a sentence encoder for English. It needs no network, no cgo,
// and nothing on disk.
//
// # Algorithm
//
// A text becomes at most 256 tokens: [CLS], the WordPieces of the text, [SEP].
// Longer texts are cut. The state x of a token starts as the layer normalization
// of its word row plus its position row. Each of six layers then computes
//
//	q, k, v = W x + b              384 → 3 × 384, cut into 12 heads of 32
//	c       = softmax(q·k / √32) v over all tokens of the text, heads joined
//	x       = norm(x + W c + b)    384 → 384
//	h       = gelu(W x + b)        384 → 1536
//	x       = norm(x + W h + b)    1536 → 384
//
// The vector is the mean of x over all tokens, scaled to length 1. The similarity
// of two texts is the dot product of their vectors. A text without tokens has the
// zero vector, which matches nothing.
//
// # Arithmetic
//
// The four matrices of a layer are int8 with a scale per output. Their inputs are
// quantized to 8 bits at run time, with a scale and a least value per token. Sums
// of products are exact int32. Attention, normalization, and gelu use float32.
// All kernels compute the same numbers up to rounding, so the vectors of one
// machine can be searched on another. The cosine to the model in float32 is .999
// on average.
//
// # Kernels
//
// A kernel is a set of functions for one kind of processor:
//
//   - avx512vnni: 12 rows × 32 outputs at a time with VPDPBUSD.
//   - avxvnni: 6 rows × 16 outputs with VPDPBUSD of 256 bits.
//   - avx2: 6 rows × 8 outputs with VPMADDWD. Quantized inputs have 16 bits.
//   - neon: 4 rows × 16 outputs with SDOT, which ARMv8.2 has.
//   - plain: Go, about a hundred times slower. It checks the others.
//
// The functions over rows for 512 and 256 bits share the file vector_amd64.h.
// Weights lie in the model file in the order that all kernels read, so they are
// used where they are in the binary.
//
// # Batches
//
// A worker computes a batch of up to 256 tokens. The rows of its texts follow each
// other without padding. The feed-forward part runs in blocks of 96 rows, so that
// the 1,536 values per row stay in the cache. A worker has about 4 MB of buffers.
//
// # Other models
//
// NewFrom runs a model with other weights, another number of layers, and another
// tokenizer. Package embed/multilingual uses it. The weights are rounded to int8
// when the model is loaded.
//
// model/README.md describes the model file and its origin.
package encoder
