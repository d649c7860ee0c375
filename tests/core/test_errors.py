from rig.core.errors import (
    DataError,
    LockError,
    LockTamperedError,
    ModelError,
    RigError,
    UsageError,
    did_you_mean,
)


def test_exit_codes_are_those_of_the_contract() -> None:
    codes = [
        error.exit_code
        for error in (RigError, ModelError, UsageError, DataError, LockError, LockTamperedError)
    ]
    assert codes == [1, 1, 2, 2, 3, 4]


def test_did_you_mean_names_the_nearest_and_all() -> None:
    assert did_you_mean("ngarm", ["uniform", "ngram"]) == "Did you mean 'ngram'? Known: ngram, uniform."
    assert did_you_mean("zzz", ["a"]) == "Known: a."
    assert did_you_mean("zzz", []) == "Known: none."
