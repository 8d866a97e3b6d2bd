"""Stands in for transformers when AgentGym's package is imported only for its clients: names without content."""


class GenerationConfig:
    pass


class PreTrainedModel:
    pass


class PreTrainedTokenizerBase:
    pass
