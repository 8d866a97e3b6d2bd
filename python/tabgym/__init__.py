"""Tabgym's worlds for Gymnasium and OpenEnv, and its element in a notebook.

`TextEnv` and `TextVectorEnv` are environments of Gymnasium, also as `gymnasium.make("tabgym/Text-v0", address=...,
world=...)` and `gymnasium.make_vec`. `OpenEnvClient` is the connection below them, and `serve` starts a server. `Widget` shows an agent that trains in a notebook's page.
"""

from importlib import import_module

import gymnasium

from .environment import TextEnv
from .openenv import OpenEnvClient, ServerError, StepResult, TabgymError
from .server import Server, serve
from .vector import TextVectorEnv

__version__ = "0.1.0"

_notebook = ["Widget", "preset"]

__all__ = ["OpenEnvClient", "Server", "ServerError", "StepResult", "TabgymError", "TextEnv", "TextVectorEnv", "serve"]
__all__ += _notebook

gymnasium.register("tabgym/Text-v0", entry_point=TextEnv, vector_entry_point=TextVectorEnv)


def __getattr__(name):
    # The widget's packages are optional, so it is loaded at its first use.
    if name in _notebook:
        return getattr(import_module(".widget", __name__), name)
    raise AttributeError(f"module 'tabgym' has no attribute '{name}'")
