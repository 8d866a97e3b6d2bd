"""An episode of a Tabgym world as verl's agent loop. Written for verl 0.9.1; also accepts the name that verl's main branch gives one method.

Token-in-token-out: sampled tokens are reused for the context and the training, never encoded again. The response ends with the last sampled
token, because verl puts the reward on the last token of the response and estimators drop rewards on masked tokens.
"""

from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput
from verl.utils.profiler import simple_timer

from tabgym_world import WorldError, most_turns, open_world, return_of


class TabgymLoop(AgentLoopBase):
    """`horizon`: stages of {steps, turns | oracle_plus}, from the first step of this hand-off on; `rules`: returns by ending."""

    def __init__(self, *args, horizon, rules, max_tokens_per_turn, instructed=True, **kwargs):
        super().__init__(*args, **kwargs)
        self.horizon = [dict(stage) for stage in horizon]
        self.rules = dict(rules)
        self.max_tokens = max_tokens_per_turn
        self.instructed = instructed
        self.response_length = self.rollout_config.response_length

    async def run(self, sampling_params, **row):
        info = row["extra_info"]
        opening = [dict(message) for message in row["raw_prompt"]] if self.instructed else []
        # Validation after step N uses the horizon of step N. Validation before any training uses the horizon of step 1.
        step = max(1, int(row.get("global_steps") or 1))
        limit = most_turns(self.horizon, step, info.get("oracle_turns"))
        episode = Episode(self, sampling_params, opening, limit)
        try:
            await episode.play(info)
        except WorldError:
            if self.rules["world_failure"] == "drop":
                # verl then drops the whole group and plays another (sync_refill_failed_groups).
                raise
            await episode.fail(info)
        return episode.output(info)


class Episode:
    """The state of one episode: messages for the template, and tokens, mask and log-probabilities as they were sampled."""

    def __init__(self, loop, sampling_params, opening, limit):
        self.loop = loop
        self.params = sampling_params
        self.messages = opening
        self.limit = limit
        self.request_id = uuid4().hex
        self.ids, self.mask, self.logprobs = [], [], []
        self.turns, self.refused = 0, 0
        self.score, self.ending = 0.0, "horizon"
        self.metrics, self.extra = {"num_preempted": -1}, {}

    async def begin(self, observation):
        self.messages = [*self.messages, {"role": "user", "content": observation}]
        self.ids = list(await self.loop.ct_build_initial_tokens(self.messages))

    async def play(self, info):
        world = await open_world(info["url"])
        try:
            await self.begin(await world.reset(info["split"], info["task_index"]))
            while self.turns < self.limit:
                if not await self.turn(world):
                    return
        finally:
            await world.__aexit__()

    async def turn(self, world):
        """Plays one turn. Returns False if the episode is over."""
        reply = await self.sample_turn()
        if reply is None:
            self.ending = "context"
            return False
        with simple_timer("tool_calls", self.metrics):
            observation, self.score, done, valid = await world.step(reply)
        self.turns += 1
        self.refused += not valid
        if done:
            self.ending = "done"
            return False
        if not valid and self.loop.rules["invalid_action"] == "end":
            self.ending = "invalid-action"
            return False
        if self.turns < self.limit:
            await self.append_observation(reply, observation)
        return True

    async def sample_turn(self):
        """Samples a turn. Returns its text, or None if there is no room for it; such a turn is not trained on."""
        room = self.loop.response_length - len(self.mask)
        wanted = min(self.loop.max_tokens, room)
        if wanted < 1:
            return None
        with simple_timer("generate_sequences", self.metrics):
            out = await self.loop.server_manager.generate(
                request_id=self.request_id,
                prompt_ids=self.ids,
                sampling_params={**self.params, "max_tokens": wanted},
            )
        self.record_versions(out)
        cut = len(out.token_ids) >= wanted and out.token_ids[-1] != self.loop.tokenizer.eos_token_id
        # verl needs at least one response token, so the first turn is kept even if it was cut.
        if cut and wanted < self.loop.max_tokens and any(self.mask):
            return None
        with_logprobs = bool(out.log_probs)
        merged, self.mask, logprobs = await self.loop.ct_merge_assistant_token(
            self.ids,
            out.token_ids,
            self.mask,
            self.logprobs if with_logprobs else None,
            assistant_logprobs=out.log_probs if with_logprobs else None,
        )
        self.ids = merged.token_ids
        self.logprobs = logprobs if logprobs is not None else []
        return self.loop.tokenizer.decode(out.token_ids, skip_special_tokens=True)

    async def append_observation(self, reply, observation):
        before = [*self.messages, {"role": "assistant", "content": reply}]
        after = [*before, {"role": "user", "content": observation}]
        # The method is named ct_merge_context_msg up to verl 0.9.1, and ct_merge_non_assistant_msg on the main branch.
        merge = getattr(self.loop, "ct_merge_context_msg", None) or self.loop.ct_merge_non_assistant_msg
        merged, self.mask, logprobs = await merge(before, after, self.ids, self.mask, self.logprobs or None)
        self.ids, self.messages = merged.token_ids, after
        if self.logprobs:
            self.logprobs = logprobs or []

    def record_versions(self, out):
        """Records the versions of the sampling weights, which verl's trainer counts."""
        fields = dict(out.extra_fields or {})
        first = self.extra.get("min_global_steps")
        self.extra.update(fields)
        if first is not None:
            self.extra["min_global_steps"] = first

    async def fail(self, info):
        """Ends the episode with return 0 after a world failure. verl needs a response of at least one token."""
        self.score, self.ending = 0.0, "world-failure"
        if not self.ids:
            await self.begin(f"The world of {info['item']} cannot be reached.")
        if not any(self.mask):
            await self.sample_turn()

    def output(self, info):
        prompt = self.ids[: len(self.ids) - len(self.mask)]
        response = self.ids[len(prompt) :]
        last = max((i + 1 for i, trained in enumerate(self.mask) if trained), default=len(response))
        end = min(last, self.loop.response_length)
        reward = 0.0
        if self.ending != "world-failure":
            reward = return_of(self.score, self.ending, self.refused, end, self.loop.rules)
        # Names that this trainer's group filter and its validation read.
        extra_info = {
            "score": self.score,
            "success": float(self.score >= info["success_reward"]),
            "turns": self.turns,
            "truncated": float(self.ending in ("horizon", "context")),
        }
        return AgentLoopOutput(
            prompt_ids=prompt,
            response_ids=response[:end],
            response_mask=self.mask[:end],
            response_logprobs=self.logprobs[:end] if self.logprobs else None,
            reward_score=reward,
            num_turns=2 * self.turns + 1,
            metrics=self.metrics,
            extra_fields={
                **self.extra,
                "reward_extra_info": extra_info,
                "turn_scores": [],
                "tool_rewards": [],
            },
        )
