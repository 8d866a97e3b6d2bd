"""Ids and texts of Hugging Face's tokenizers: encode.py TOKENIZER TEXTS OUT, as [{ids, whole, plain}]."""

import json
import sys

from tokenizers import Tokenizer


def main(file, texts, out):
    tokenizer = Tokenizer.from_file(file)
    tokenizer.no_truncation()
    rows = []
    for text in json.load(open(texts)):
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        rows.append({"ids": ids, "whole": tokenizer.decode(ids, skip_special_tokens=False), "plain": tokenizer.decode(ids)})
    json.dump(rows, open(out, "w"))


if __name__ == "__main__":
    main(*sys.argv[1:])
