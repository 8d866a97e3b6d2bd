"""Tabgym's worlds for Gymnasium and OpenEnv.

`TextEnv` and `TextVectorEnv` are environments of Gymnasium, also as `gymnasium.make("tabgym/Text-v0", address=...,
world=...)` and `gymnasium.make_vec`. `OpenEnvClient` is the connection below them, and `serve` starts a server.
"""

import gymnasium

from .environment import TextEnv
from .openenv import OpenEnvClient, ServerError, StepResult, TabgymError
from .server import Server, serve
from .vector import TextVectorEnv

__version__ = "0.1.0"

__all__ = ["OpenEnvClient", "Server", "ServerError", "StepResult", "TabgymError", "TextEnv", "TextVectorEnv", "serve"]

gymnasium.register("tabgym/Text-v0", entry_point=TextEnv, vector_entry_point=TextVectorEnv)
