"""Coherent generation: does a parser find in the model's own text what it finds in human text?

Each prompt is continued by sampling, and prompt and continuation together are one text: the parser splits it
into sentences and parses them, the prompt's words with the rest. `rig.parsers.parse_quality` holds the rules.
Two controls stand beside the rate: the test split's own text, and the generated sentences with their words
shuffled, both through the same parser.
"""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, final

import numpy as np

from rig.core.errors import ConfigError, DataError, ModelError
from rig.core.items import Item
from rig.core.seeding import stream
from rig.core.sentences import Sentence
from rig.data.annotations import Annotations
from rig.models.base import AbstractLanguageModel, Generates
from rig.parsers.base import AbstractParser
from rig.parsers.catalog import build_parser, plausibility_path
from rig.parsers.parse_quality import (
    ParseJudge,
    SentenceVerdict,
    Unscored,
    describe_rates,
    split_terminal,
)
from rig.parsers.plausibility import HeadAutomaton
from rig.parsers.tree_depth import DepthByLength
from rig.tasks import generation_items as columns_of
from rig.tasks.base import AbstractTask, TaskColumn, TaskData, TaskResult
from rig.tasks.generation_automaton import fitted_automaton
from rig.tasks.generation_options import GenerationOptions, read_prompts

_N_SAMPLES = 3
_FIT_DOCUMENTS = 1_000


@final
class GenerationTask(AbstractTask):
    """The task `generation`. Its file is `data.prompts`; its reference text is the test split."""

    name: ClassVar[str] = "generation"

    def __init__(self, options: Mapping[str, Any], data: TaskData) -> None:
        self._options = GenerationOptions.read(options)
        if "prompts" not in data.files:
            raise ConfigError(
                "the task 'generation' needs prompts, but `data.prompts` is not set; "
                "give the path of a text file with one sentence beginning a line"
            )
        self._prompts = read_prompts(data.files["prompts"], self._options.n_prompts)
        self._data = data

    def columns(self) -> tuple[TaskColumn, ...]:
        """`tree_valid_rate`, `parse_rate`, `tree_depth`."""
        return (
            TaskColumn(
                name="tree_valid_rate",
                statistic=columns_of.tree_valid_rate,
                unit="share",
                direction="higher",
                definition=(
                    "Share of scored sentences whose parse is one tree; 1 for any statistical parser, "
                    "so a check and not a measure of quality."
                ),
            ),
            TaskColumn(
                name="parse_rate",
                statistic=columns_of.parse_rate,
                unit="share",
                direction="higher",
                definition=(
                    "Share of scored sentences that pass five conditions: a well-formed tree, licit "
                    "relations, a finite verb, agreement, a plausible tree; human text stays below 1."
                ),
            ),
            TaskColumn(
                name="tree_depth",
                statistic=columns_of.tree_depth,
                unit="nodes",
                direction="none",
                definition=(
                    "Mean number of words on the longest path from a sentence's root; it grows with length "
                    "and is higher for word salad, so it describes and never ranks."
                ),
            ),
        )

    def run(self, model: AbstractLanguageModel, *, seed: int) -> TaskResult:
        """Generate, parse, judge, and judge the two controls.

        Raises:
            ModelError: The model gave another number of texts than it was asked for.
            DataError: The parser's model or table is wrong, or the test split has no sentence.
        """
        if not isinstance(model, Generates):
            why = f"{type(model).__name__} can't continue a text: it has no method `generate`"
            return TaskResult(items=(), reasons={column.name: why for column in self.columns()})
        parser = build_parser(self._options.parser)
        automaton, automaton_source = self._automaton(parser)
        judge = ParseJudge(
            automaton=automaton, min_words=self._options.min_words, max_words=self._options.max_words
        )
        reference = self._reference(parser, judge)
        continuations = self._generate(model, seed)
        outputs = [
            _judge_output(prompt, continuation, parser, judge)
            for prompt, continuation in zip(self._prompts, continuations, strict=True)
        ]
        shuffled = [
            verdict
            for index, output in enumerate(outputs)
            for verdict in _judge_shuffled(
                output.scored_sentences, parser, judge, rng=stream(seed, self.name, "shuffle", index)
            )
        ]
        items = _items(outputs, reference, shuffled)
        facts = {
            "parser": {
                "name": parser.name,
                "version": parser.version,
                "model_sha256": parser.model_sha256,
                "plausibility": automaton_source,
                "plausibility_threshold": automaton.threshold,
                "plausibility_sentences": automaton.n_sentences,
            },
            "text_parsed": "prompt and continuation together",
            "past_the_context": "the last tokens slide after BOS",
            **_facts(outputs, reference, shuffled, items),
        }
        samples = tuple(output.text for output in outputs[:_N_SAMPLES])
        return TaskResult(items=items, facts=facts, samples=samples, reasons=_reasons(items))

    def _generate(self, model: Generates, seed: int) -> list[str]:
        continuations = model.generate(
            self._prompts,
            n_tokens=self._options.n_tokens,
            temperature=self._options.temperature,
            top_p=self._options.top_p,
            rngs=[stream(seed, self.name, index) for index in range(len(self._prompts))],
        )
        if len(continuations) != len(self._prompts):
            raise ModelError(
                f"the model was given {len(self._prompts)} prompts and continued {len(continuations)}; "
                "`generate` must answer each prompt once, in order"
            )
        return continuations

    def _automaton(self, parser: AbstractParser) -> tuple[HeadAutomaton, str]:
        path = plausibility_path(self._options.parser)
        if path is None:
            automaton = fitted_automaton(
                parser, self._data.annotations, n_documents=_FIT_DOCUMENTS, shared=self._data.shared
            )
            return automaton, f"fitted on parsed train text, at most {_FIT_DOCUMENTS} documents"
        automaton = HeadAutomaton.read(path)
        if automaton.model_sha256 != parser.model_sha256:
            raise DataError(
                f"plausibility table '{path.name}' was made with another model than the one beside it; "
                "make both again with `rig parser train`"
            )
        return automaton, "the table beside the model, from its training treebank"

    def _reference(self, parser: AbstractParser, judge: ParseJudge) -> list[tuple[str, SentenceVerdict]]:
        """Verdicts on the first sentences of the test split, each with its document's id."""
        documents = Annotations.open(self._data.annotations).documents("test")
        verdicts = (
            (document.doc_id, verdict)
            for document in documents
            for verdict in judge.judge(parser.parse([document.text])[0], may_be_cut=False)
            if isinstance(verdict, SentenceVerdict)
        )
        reference = list(islice(verdicts, self._options.n_reference_sentences))
        if not reference:
            raise DataError(
                "the test split has no sentence that could be scored, so parse_rate has no ceiling; "
                "give the data set a test split with sentences"
            )
        return reference


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    """One prompt's text and what was said of its sentences."""

    text: str
    is_empty: bool
    sentences: tuple[Sentence, ...]
    verdicts: tuple[SentenceVerdict | Unscored, ...]

    @property
    def scored(self) -> list[tuple[int, SentenceVerdict]]:
        """Index of each scored sentence, and its verdict."""
        return [(i, v) for i, v in enumerate(self.verdicts) if isinstance(v, SentenceVerdict)]

    @property
    def scored_sentences(self) -> list[Sentence]:
        return [self.sentences[index] for index, _ in self.scored]


def _judge_output(prompt: str, continuation: str, parser: AbstractParser, judge: ParseJudge) -> _Output:
    text = unicodedata.normalize("NFC", prompt + continuation)
    if not continuation.strip():
        return _Output(text=text, is_empty=True, sentences=(), verdicts=())
    sentences = parser.parse([text])[0]
    verdicts = tuple(judge.judge(sentences, may_be_cut=True))
    return _Output(text=text, is_empty=False, sentences=sentences, verdicts=verdicts)


def _judge_shuffled(
    sentences: Sequence[Sentence], parser: AbstractParser, judge: ParseJudge, *, rng: np.random.Generator
) -> list[SentenceVerdict]:
    texts = [shuffled_text(sentence, rng=rng) for sentence in sentences]
    verdicts = (v for parsed in parser.parse(texts) for v in judge.judge(parsed, may_be_cut=False))
    return [verdict for verdict in verdicts if isinstance(verdict, SentenceVerdict)]


def shuffled_text(sentence: Sentence, *, rng: np.random.Generator) -> str:
    """A sentence's surface units in random order, joined by blanks; its terminal punctuation stays last."""
    body, terminal = split_terminal([unit.form for unit in sentence.units])
    return " ".join(body[index] for index in rng.permutation(len(body))) + "".join(terminal)


def _items(
    outputs: Sequence[_Output],
    reference: Sequence[tuple[str, SentenceVerdict]],
    shuffled: Sequence[SentenceVerdict],
) -> tuple[Item, ...]:
    human_depth = DepthByLength.of((verdict.n_words, verdict.depth) for _, verdict in reference)
    items: list[Item] = []
    for index, output in enumerate(outputs):
        prompt = f"prompt {index + 1}"
        if output.is_empty:
            items.extend(columns_of.failed_items(sentence=f"{prompt}, no text", prompt=prompt))
        for position, verdict in output.scored:
            sentence = f"{prompt}, sentence {position + 1}"
            items.extend(
                columns_of.sentence_items(verdict, sentence=sentence, prompt=prompt, human_depth=human_depth)
            )
    controls = [(columns_of.REFERENCE, doc_id, verdict) for doc_id, verdict in reference]
    controls += [(columns_of.SHUFFLED, columns_of.SHUFFLED, verdict) for verdict in shuffled]
    for index, (cell, cluster, verdict) in enumerate(controls, start=1):
        name = f"control {index}"
        items.append(columns_of.pass_item(verdict.is_parsed, sentence=name, cluster=cluster, cell=cell))
    return tuple(items)


def _facts(
    outputs: Sequence[_Output],
    reference: Sequence[tuple[str, SentenceVerdict]],
    shuffled: Sequence[SentenceVerdict],
    items: Sequence[Item],
) -> dict[str, Any]:
    verdicts = [verdict for output in outputs for _, verdict in output.scored]
    unscored = [v for output in outputs for v in output.verdicts if isinstance(v, Unscored)]
    n_empty = sum(output.is_empty for output in outputs)
    depth_items = [item for item in items if item.cell == columns_of.DEPTH]
    return {
        "generated": describe_rates(verdicts, n_failed=n_empty),
        "reference": describe_rates(verdict for _, verdict in reference),
        "shuffled": describe_rates(shuffled),
        "parse_rate_ref": columns_of.mean_of(items, columns_of.REFERENCE),
        "parse_rate_shuffled": columns_of.mean_of(items, columns_of.SHUFFLED),
        "n_prompts": len(outputs),
        "n_empty_outputs": n_empty,
        "n_unscored": dict(sorted(Counter(sentence.reason for sentence in unscored).items())),
        "unscored_examples": [sentence.text for sentence in unscored[:_N_SAMPLES]],
        "tree_depth": columns_of.tree_depth(items),
        "tree_depth_of_human_text_of_equal_length": (
            sum(item.gold for item in depth_items) / len(depth_items) if depth_items else None
        ),
    }


def _reasons(items: Sequence[Item]) -> dict[str, str]:
    nothing = "no generated sentence could be scored: all were cut by the token limit or too short"
    reasons = {
        name: nothing
        for name, statistic in (
            ("tree_valid_rate", columns_of.tree_valid_rate),
            ("parse_rate", columns_of.parse_rate),
            ("tree_depth", columns_of.tree_depth),
        )
        if statistic(items) is None
    }
    separation = columns_of.control_separation(items)
    if columns_of.mean_of(items, columns_of.PARSED) is not None and "parse_rate" in reasons:
        if separation is None:
            reasons["parse_rate"] = "no shuffled sentence could be scored, so the parser can't be checked"
        else:
            reasons["parse_rate"] = (
                f"the parser is unfit: human text and shuffled words differ by {separation:.3f} in "
                f"parse rate, less than {columns_of.MIN_SEPARATION}"
            )
    return reasons
