"""See torch/__init__.py."""
