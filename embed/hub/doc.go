// Package hub runs models in the file layout of Hugging Face: sentence encoders,
// cross-encoders, and models of entailment of the architectures BERT, RoBERTa, and
// XLM-RoBERTa. A model of entailment judges whether a passage says what a statement
// says, contradicts it, or neither (neutral). Install copies a model
// from a folder or an address into a folder of its own. Its layers run on the kernels
// of package embed/encoder, and are rounded to int8 when the model is loaded.
//
// # Files
//
//   - config.json: the architecture, its sizes, and the names of its classes.
//   - model.safetensors: the weights in float32, float16, or bfloat16.
//   - tokenizer.json: the tokenizer. Without it, vocab.txt for WordPiece, or vocab.json
//     and merges.txt for byte-level BPE.
//   - tokenizer_config.json, sentence_bert_config.json: lower case, the longest text.
//   - modules.json, 1_Pooling/config.json: how the vector is made. Default: the mean.
//   - config_sentence_transformers.json: the prefixes of questions and passages.
//
// Only these files are read, each up to a limit. Files may be damaged:
// no content makes the package panic.
//
// testdata/generate.py writes small models with random weights, and the results of the library
// transformers for them.
package hub
