"""Writes small models with random weights, and what the library transformers computes with them.

    pip install transformers==4.49.0 flax==0.10.2 jax==0.4.38 jaxlib==0.4.38 "numpy<2.2" sentencepiece
    python generate.py

Each folder has the files of a model on Hugging Face. references.json has, for each text or pair of
texts, its token ids and the vector or the logits in float32.
"""

import base64
import io
import json
import os
import pathlib
import shutil

os.environ["JAX_PLATFORMS"] = "cpu"

import jax.numpy as jnp
import numpy as np
import sentencepiece
import sentencepiece.sentencepiece_model_pb2 as sp_pb2
import tokenizers
import transformers
from flax.traverse_util import flatten_dict, unflatten_dict

HERE = pathlib.Path(__file__).parent
TEXTS = [
    "The pump is serviced every six months.",
    "how often is the pump serviced",
    "Die Pumpe wird alle sechs Monate gewartet.",
    "Café naïve ½ ＡＢＣ e\u0301te  two   spaces\nline",
    "数据库 password 🙂🙂 ok",
    "x" * 120,
    " ".join(["reset the password of the pump"] * 20),
]
PAIRS = [(TEXTS[1], text) for text in TEXTS[:5]] + [(TEXTS[2], TEXTS[0]), (TEXTS[1], TEXTS[6])]

# For the tokenizer of RoBERTa: endings, white space, and characters of several bytes.
ODD = [
    "It's what they've said: we'll see, I'd say you're 'sure'  isn't it? IT'S",
    "  two before\t\ttabs \n\n lines\r\nend  \n x\u00a0\u00a0y\u2003z\u3000w \u200b ",
    "v1.2.3-rc4 costs 1,234.50 € (½ ² ③ ٣) #42 100%—“ok”…",
    "Wartungsplan für Öl-Pumpen: größer als 5 µm. Где насос? 🙂👩‍🔧🇩🇪 e\u0301 \u0000\ufffd",
    "the pump" + " " * 12 + "x" * 90 + "!" * 12,
    " ",
    "\n",
]

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,:-½数"
WORDS = "the pump is service every six month how often die pass word reset of two line cafe naive ##word ##ume".split()
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *["##" + c for c in LETTERS], *WORDS]


def wordpiece(folder, fast):
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
    tokenizer = transformers.BertTokenizerFast(str(folder / "vocab.txt"), do_lower_case=True)
    if fast:
        tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
        (folder / "vocab.txt").unlink()
    else:
        (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": True, "model_max_length": 64}))
    return tokenizer


def unigram(folder):
    rules = ["BD\t31 2F 32", "FF21\t41", "FF22\t42", "FF23\t43", "65 301\tE9", "9\t20", "A\t20", "3000\t20"]
    (folder / "rules.tsv").write_text("\n".join(rules) + "\n")
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([t.replace("🙂", "") for t in TEXTS[:5]] * 20 + ["reset the password of the pump"] * 9 + list(LETTERS)),
        model_writer=out, vocab_size=120, model_type="unigram", hard_vocab_limit=False,
        normalization_rule_tsv=str(folder / "rules.tsv"), character_coverage=1.0, minloglevel=2,
    )
    (folder / "rules.tsv").unlink()
    model = sp_pb2.ModelProto.FromString(out.getvalue())
    vocab = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    vocab += [(p.piece, p.score) for p in model.pieces[3:]] + [("<mask>", 0.0)]
    special = [
        {"id": i, "content": c, "single_word": False, "lstrip": c == "<mask>", "rstrip": False, "normalized": False, "special": True}
        for i, c in [(0, "<s>"), (1, "<pad>"), (2, "</s>"), (3, "<unk>"), (len(vocab) - 1, "<mask>")]
    ]
    charsmap = base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()
    # The parts as in the tokenizer.json of multilingual-e5 and bge-reranker.
    (folder / "tokenizer.json").write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Precompiled", "precompiled_charsmap": charsmap},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "prepend_scheme": "always", "split": True},
        "post_processor": {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}},
                     {"SpecialToken": {"id": "</s>", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]}}},
        "decoder": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": 3, "vocab": vocab, "byte_fallback": False},
    }, ensure_ascii=False))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"), bos_token="<s>", eos_token="</s>", unk_token="<unk>",
        pad_token="<pad>", cls_token="<s>", sep_token="</s>", mask_token="<mask>",
    )


def byte_pairs(folder, fast=True):
    trained = tokenizers.ByteLevelBPETokenizer()
    trained.train_from_iterator([*TEXTS, *ODD, *TEXTS], vocab_size=360, min_frequency=2,
                                special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], show_progress=False)
    trained.save_model(str(folder))
    tokenizer = transformers.RobertaTokenizerFast(vocab_file=str(folder / "vocab.json"), merges_file=str(folder / "merges.txt"))
    if fast:
        tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
        (folder / "vocab.json").unlink()
        (folder / "merges.txt").unlink()
    return tokenizer


def round_to(dtype, x):
    if dtype == "BF16":
        bits = x.astype("<f4").view("<u4")
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        return bits.astype("<u2").tobytes(), (bits << 16).astype("<u4").view("<f4")
    kind = {"F32": "<f4", "F16": "<f2"}[dtype]
    return x.astype(kind).tobytes(), x.astype(kind).astype("<f4")


def save(folder, model, dtype, seed):
    """Sets random weights, and writes them under their names in PyTorch."""
    random, header, data, params = np.random.default_rng(seed), {}, b"", {}
    for path, value in flatten_dict(model.params).items():
        x = random.normal(0, 0.12, value.shape).astype("<f4")
        if path[-1] == "scale":
            x += 1
        name = ".".join((*path[:-1], {"kernel": "weight", "scale": "weight", "embedding": "weight"}.get(path[-1], path[-1])))
        raw, rounded = round_to(dtype, x.T.copy() if path[-1] == "kernel" else x)
        params[path] = jnp.asarray(rounded.T if path[-1] == "kernel" else rounded)
        shape = x.T.shape if path[-1] == "kernel" else x.shape
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    head = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    head += b" " * (-len(head) % 8)
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + data)
    model.params = unflatten_dict(params)


def write(name, make_tokenizer, config, kind, dtype, seed, pooling=None, extra=None, texts=TEXTS, pairs=PAIRS):
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "1_Pooling").mkdir(parents=True)
    tokenizer = make_tokenizer(folder)
    config.vocab_size = len(tokenizer)
    model = kind(config, seed=0)
    config.architectures = [kind.__name__.removeprefix("Flax")]
    (folder / "config.json").write_text(json.dumps({**config.to_diff_dict(), "model_type": config.model_type, "vocab_size": config.vocab_size,
                                                    "num_attention_heads": config.num_attention_heads, "layer_norm_eps": config.layer_norm_eps}, indent=1))
    save(folder, model, dtype, seed)
    limit = config.max_position_embeddings - (2 if "roberta" in config.model_type else 0)
    cases = []
    if pooling is None:
        (folder / "1_Pooling").rmdir()
        for question, passage in pairs:
            x = tokenizer(question, passage, truncation="only_second", max_length=limit, return_tensors="np")
            logits = model(**x).logits[0]
            cases.append({"texts": [question, passage], "ids": x["input_ids"][0].tolist(), "logits": np.round(logits, 6).tolist()})
    else:
        (folder / "1_Pooling" / "config.json").write_text(json.dumps({
            "word_embedding_dimension": config.hidden_size, "pooling_mode_cls_token": pooling == "cls", "pooling_mode_mean_tokens": pooling == "mean",
            "pooling_mode_max_tokens": False}))
        (folder / "modules.json").write_text(json.dumps([
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]))
        for text in texts:
            x = tokenizer(text, truncation=True, max_length=limit, return_tensors="np")
            states = np.asarray(model(**x).last_hidden_state[0])
            v = states[0] if pooling == "cls" else states.mean(0)
            cases.append({"texts": [text], "ids": x["input_ids"][0].tolist(), "vector": np.round(v / np.linalg.norm(v), 5).tolist()})
    for file, content in (extra or {}).items():
        (folder / file).write_text(json.dumps(content))
    (folder / "references.json").write_text(json.dumps(cases, ensure_ascii=False))


def sizes(width, heads, layers, **more):
    return dict(hidden_size=width, num_attention_heads=heads, num_hidden_layers=layers, intermediate_size=2 * width,
                max_position_embeddings=64, **more)


T = transformers
write("bert", lambda f: wordpiece(f, fast=False), T.BertConfig(**sizes(64, 2, 2)), T.FlaxBertModel, "F16", 1, "mean")
write("bert-first", lambda f: wordpiece(f, fast=True), T.BertConfig(**{**sizes(128, 2, 1), "intermediate_size": 128}), T.FlaxBertModel, "BF16", 2, "cls",
      {"config_sentence_transformers.json": {"prompts": {"query": "query: ", "document": "passage: "}}})
write("bert-unigram", unigram, T.BertConfig(**sizes(64, 2, 1)), T.FlaxBertModel, "F32", 3, "mean")
write("bert-reranker", lambda f: wordpiece(f, fast=True), T.BertConfig(**sizes(64, 2, 2), num_labels=1),
      T.FlaxBertForSequenceClassification, "F16", 4)
roberta = dict(pad_token_id=1, bos_token_id=0, eos_token_id=2, layer_norm_eps=1e-5, type_vocab_size=1)
positions = {**sizes(64, 1, 2), "max_position_embeddings": 66}
write("xlm-roberta-reranker", unigram, T.XLMRobertaConfig(**positions, **roberta, num_labels=1),
      T.FlaxXLMRobertaForSequenceClassification, "BF16", 5)
write("roberta", byte_pairs, T.RobertaConfig(**positions, **roberta), T.FlaxRobertaModel, "F16", 6, "mean", texts=TEXTS + ODD[:-2])
write("roberta-reranker", lambda f: byte_pairs(f, fast=False), T.RobertaConfig(**positions, **roberta, num_labels=1),
      T.FlaxRobertaForSequenceClassification, "F16", 7, pairs=PAIRS + [(TEXTS[0], text) for text in ODD])


def labels(*names):
    return {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}


# Models have their classes in several orders.
write("bert-entailment", lambda f: wordpiece(f, fast=True), T.BertConfig(**sizes(64, 2, 2), **labels("entailment", "neutral", "contradiction")),
      T.FlaxBertForSequenceClassification, "F16", 8)
write("roberta-entailment", byte_pairs, T.RobertaConfig(**positions, **roberta, **labels("CONTRADICTION", "NEUTRAL", "ENTAILMENT")),
      T.FlaxRobertaForSequenceClassification, "F16", 9)
write("xlm-roberta-entailment", unigram, T.XLMRobertaConfig(**positions, **roberta, **labels("contradiction", "entailment", "neutral")),
      T.FlaxXLMRobertaForSequenceClassification, "F16", 10)
