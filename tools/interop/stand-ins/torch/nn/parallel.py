"""See torch/__init__.py."""


class DistributedDataParallel:
    pass
