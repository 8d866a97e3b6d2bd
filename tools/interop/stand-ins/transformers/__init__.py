"""Stands in for transformers where AgentGym's package is imported for its clients alone: names, and nothing behind them."""


class GenerationConfig:
    pass


class PreTrainedModel:
    pass


class PreTrainedTokenizerBase:
    pass
