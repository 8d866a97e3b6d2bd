"""See transformers/__init__.py."""
