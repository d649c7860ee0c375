from pathlib import Path

from rig.data.nano_pt import items, syntax
from rig.data.nano_pt.exact import INITIAL, ExactModel


def test_regenerating_gives_the_committed_bytes(tmp_path: Path) -> None:
    items.write_task_files(tmp_path)
    committed = items.task_files()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(p.name for p in committed.values())
    for path in committed.values():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_prompts_are_possible_beginnings() -> None:
    grammar = syntax.test_grammar()
    model = ExactModel(grammar)
    prompts = items.task_files()["prompts"].read_text(encoding="utf-8").splitlines()
    assert len(set(prompts)) == len(prompts) == 50
    for prompt in prompts:
        units = prompt.replace(",", " ,").split()
        assert 2 <= len(units) <= 4
        assert units[-1] != ","
        first = units[0] if units[0] in grammar.surfaces else units[0][:1].lower() + units[0][1:]
        belief = INITIAL
        for unit in (first, *units[1:]):
            belief = model.read(belief, unit)
        assert sum(belief.values()) > 0, prompt
