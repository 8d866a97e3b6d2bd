"""Small random tokenizers and what Hugging Face's tokenizers makes of texts: random_tokenizers.py COUNT SEED TEXTS OUT.

Writes a list of {tokenizer, texts, ids, decoded}. Each tokenizer.json combines a model with a normalizer,
pre-tokenizer, decoder and added tokens of random flags; combinations that the library refuses are left out.
"""

import json
import random
import sys

from tokenizers import Tokenizer, pre_tokenizers

LETTERS = pre_tokenizers.ByteLevel.alphabet()


def words(rng, texts):
    found = set()
    for text in texts:
        for start in range(0, len(text), 3):
            found.add(text[start : start + rng.randint(1, 3)].strip("\0"))
    return sorted(word for word in found if word and " " not in word)


def bpe(rng, texts, byte_level, fallback):
    characters = sorted(LETTERS) if byte_level else sorted({c for t in texts for c in t if rng.random() < 0.7} | {"\u2581"})
    vocab = {c: i for i, c in enumerate(characters)}
    if fallback:
        for byte in range(256):
            vocab.setdefault(f"<0x{byte:02X}>", len(vocab))
    unknown = rng.choice([None, "<unk>"])
    if unknown:
        vocab.setdefault(unknown, len(vocab))
    merges = []
    for _ in range(150):
        left, right = (rng.choice([t for t in vocab if not t.startswith("<")]) for _ in range(2))
        if len(left + right) < 6 and left + right not in vocab:
            merges.append([left, right])
            vocab[left + right] = len(vocab)
    return {
        "type": "BPE", "dropout": None, "unk_token": unknown, "continuing_subword_prefix": None,
        "end_of_word_suffix": None, "fuse_unk": rng.random() < 0.5, "byte_fallback": fallback,
        "ignore_merges": rng.random() < 0.3, "vocab": vocab, "merges": merges,
    }


def word_piece(rng, texts):
    pieces = words(rng, texts)
    vocab = {"[UNK]": 0}
    for word in pieces:
        for spelled in (word, "##" + word):
            vocab.setdefault(spelled, len(vocab))
    return {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": rng.choice([4, 100]), "vocab": vocab}


def unigram(rng, texts, fallback):
    pieces = ["<unk>"] + ([f"<0x{b:02X}>" for b in range(256)] if fallback else []) + ["\u2581"] + words(rng, texts)
    vocab = [[piece, round(-rng.random() * 10, 3)] for piece in dict.fromkeys(pieces)]
    return {"type": "Unigram", "unk_id": 0, "byte_fallback": fallback, "vocab": vocab}


def word_level(rng, texts):
    vocab = {"[UNK]": 0}
    for word in words(rng, texts):
        vocab.setdefault(word, len(vocab))
    return {"type": "WordLevel", "unk_token": "[UNK]", "vocab": vocab}


def behavior(rng):
    return rng.choice(["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"])


def pre_tokenizer(rng, depth=0):
    kinds = [
        lambda: None if depth == 0 else {"type": "WhitespaceSplit"},
        lambda: {"type": "Digits", "individual_digits": rng.random() < 0.5},
        lambda: {"type": "Whitespace"},
        lambda: {"type": "WhitespaceSplit"},
        lambda: {"type": "Punctuation", "behavior": behavior(rng)},
        lambda: {"type": "BertPreTokenizer"},
        lambda: {"type": "CharDelimiterSplit", "delimiter": rng.choice(" a,")},
        lambda: {"type": "FixedLength", "length": rng.randint(1, 4)},
        lambda: {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": rng.choice(["always", "first", "never"]),
                 "split": rng.random() < 0.5},
        lambda: {"type": "Split", "pattern": {"String": rng.choice([" ", "a", ".", "\u2581"])}, "behavior": behavior(rng),
                 "invert": rng.random() < 0.3},
        lambda: {"type": "Split", "pattern": {"Regex": rng.choice([r"\s+", r"\w+", r"\p{N}{1,3}", r"[^\s\p{L}]+", r"\d", r"\S"])},
                 "behavior": behavior(rng), "invert": rng.random() < 0.3},
    ]
    if depth == 0 and rng.random() < 0.4:
        return {"type": "Sequence", "pretokenizers": [pre_tokenizer(rng, 1) for _ in range(rng.randint(1, 3))]}
    return rng.choice(kinds)()


def with_bytes(rng, parts):
    last = {"type": "ByteLevel", "add_prefix_space": rng.random() < 0.3, "trim_offsets": True, "use_regex": rng.random() < 0.7}
    own = parts["pretokenizers"] if parts and parts["type"] == "Sequence" else [parts] if parts else []
    return {"type": "Sequence", "pretokenizers": [*own, last]}


def normalizer(rng, depth=0):
    kinds = [
        lambda: None if depth == 0 else {"type": "NFC"},
        lambda: {"type": "NFKC"},
        lambda: {"type": "NFD"},
        lambda: {"type": "Lowercase"},
        lambda: {"type": "StripAccents"},
        lambda: {"type": "Strip", "strip_left": rng.random() < 0.5, "strip_right": rng.random() < 0.5},
        lambda: {"type": "Prepend", "prepend": "\u2581"},
        lambda: {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"},
        lambda: {"type": "Replace", "pattern": {"Regex": r"\s{2,}"}, "content": " "},
        lambda: {"type": "BertNormalizer", "clean_text": rng.random() < 0.5, "handle_chinese_chars": rng.random() < 0.5,
                 "strip_accents": rng.choice([None, True, False]), "lowercase": rng.random() < 0.5},
    ]
    if depth == 0 and rng.random() < 0.3:
        return {"type": "Sequence", "normalizers": [normalizer(rng, 1) for _ in range(rng.randint(1, 3))]}
    return rng.choice(kinds)() if depth or rng.random() < 0.5 else None


def decoder(rng, byte_level, fallback):
    if byte_level:
        return {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    kinds = [
        None,
        {"type": "WordPiece", "prefix": "##", "cleanup": rng.random() < 0.5},
        {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": rng.choice(["always", "first", "never"]), "split": True},
        {"type": "BPEDecoder", "suffix": "</w>"},
        {"type": "Fuse"},
    ]
    if fallback:
        return {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": rng.randint(0, 2), "stop": rng.randint(0, 1)}]}
    return rng.choice(kinds)


CONTENTS = ["<s>", "</s>", "<|im_end|>", "<|im_", "<mask>", "foo", "the", "e", "\u2581", " ", "7", "\u00e9", "AB", "<tool_call>", "\u4f60"]


def added(rng, vocab):
    known = dict(vocab) if isinstance(vocab, dict) else {piece: i for i, (piece, _) in enumerate(vocab)}
    tokens, following = [], max(known.values()) + 1
    for content in rng.sample(CONTENTS, rng.randint(1, 6)):
        identity = known.get(content)
        if identity is None:
            identity, following = following, following + 1
        flags = {flag: rng.random() < 0.3 for flag in ("single_word", "lstrip", "rstrip", "normalized", "special")}
        tokens.append({"id": identity, "content": content, **flags})
    return sorted(tokens, key=lambda token: token["id"])


def one(rng, texts):
    byte_level, fallback = rng.random() < 0.25, rng.random() < 0.5
    kind = "bpe" if byte_level else rng.choice(["bpe", "piece", "unigram", "level"])
    model = {"bpe": lambda: bpe(rng, texts, byte_level, fallback and not byte_level), "piece": lambda: word_piece(rng, texts),
             "unigram": lambda: unigram(rng, texts, fallback), "level": lambda: word_level(rng, texts)}[kind]()
    parts = pre_tokenizer(rng)
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added(rng, model["vocab"]),
        "normalizer": normalizer(rng), "pre_tokenizer": with_bytes(rng, parts) if byte_level else parts,
        "post_processor": None, "decoder": decoder(rng, byte_level, fallback and kind in ("bpe", "unigram")), "model": model,
    }


def main(count, seed, texts_file, out):
    rng, every = random.Random(int(seed)), json.load(open(texts_file))
    cases = []
    while len(cases) < int(count):
        texts = rng.sample(every, 25) + [f"{rng.choice(CONTENTS)}{rng.choice(['', ' ', '  x', 'x', '.'])}{rng.choice(CONTENTS)}" for _ in range(15)]
        spec = one(rng, texts)
        tokenizer = Tokenizer.from_str(json.dumps(spec))
        ids, decoded = [], []
        for text in texts:
            try:
                ids.append(tokenizer.encode(text, add_special_tokens=False).ids)
            except BaseException:
                ids.append(None)
        size = max(token["id"] for token in spec["added_tokens"])
        lists = [i for i in ids if i] + [[rng.randint(0, size) for _ in range(12)] for _ in range(15)]
        for row in lists:
            try:
                decoded.append([row, tokenizer.decode(row, skip_special_tokens=False), tokenizer.decode(row)])
            except BaseException:
                pass
        cases.append({"tokenizer": spec, "texts": texts, "ids": ids, "decoded": decoded})
    json.dump(cases, open(out, "w"))


if __name__ == "__main__":
    main(*sys.argv[1:])
