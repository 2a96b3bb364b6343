// Package hub runs models in the file layout of Hugging Face: sentence encoders and
// cross-encoders of the architectures BERT and XLM-RoBERTa. Install copies a model
// from a folder or an address into a folder of its own. Its layers run on the kernels
// of package embed/encoder, and are rounded to int8 when the model is loaded.
//
// # Files
//
//   - config.json: the architecture and its sizes.
//   - model.safetensors: the weights in float32, float16, or bfloat16.
//   - tokenizer.json, or vocab.txt for WordPiece: the tokenizer.
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
