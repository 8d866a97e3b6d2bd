"""Logits, greedy replies and an adapter's logits of a GGUF file: reference.py FILE.gguf FOLDER, with request.json there.

Writes logits.f32 and adapted.f32 (chats, compared, vocabulary), and prints {differentIds, replies} as JSON.
"""
import json
import os
import sys

os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
import torch
import transformers
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

transformers.utils.logging.disable_progress_bar()


def last_logits(model, ids, compared):
    with torch.no_grad():
        return torch.cat([model(torch.tensor([each])).logits[0, -compared:] for each in ids]).float()


def reply(model, ids, request):
    tokens = []
    out = None
    with torch.no_grad():
        while len(tokens) < request["replyTokens"]:
            past = out.past_key_values if out else None
            out = model(torch.tensor([tokens[-1:] or ids]), past_key_values=past, use_cache=True)
            tokens.append(int(out.logits[0, -1].argmax()))
            if tokens[-1] == request["stop"]:
                break
    return tokens


def main(file, folder):
    torch.set_num_threads(int(os.environ.get("TABGYM_THREADS", "2")))
    request = json.load(open(os.path.join(folder, "request.json")))
    source = {"pretrained_model_name_or_path": os.path.dirname(file), "gguf_file": os.path.basename(file)}
    tokenizer = AutoTokenizer.from_pretrained(**source)
    theirs = [
        tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=True, return_dict=True)["input_ids"]
        for chat in request["chats"]
    ]
    model = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32).eval()
    last_logits(model, request["ids"], request["compared"]).numpy().tofile(os.path.join(folder, "logits.f32"))
    replies = [reply(model, ids, request) for ids in request["ids"][: request["greedy"]]]
    adapted = PeftModel.from_pretrained(model, os.path.join(folder, "adapter")).eval()
    last_logits(adapted, request["ids"], request["compared"]).numpy().tofile(os.path.join(folder, "adapted.f32"))
    different = sum(list(a) != b for a, b in zip(theirs, request["ids"]))
    print(json.dumps({"differentIds": different, "replies": replies}))


if __name__ == "__main__":
    main(*sys.argv[1:])
