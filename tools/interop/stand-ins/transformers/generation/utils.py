"""See transformers/__init__.py."""


class GenerateOutput:
    pass
