"""The parts of the tests that different Pythons run."""
from tests.parts import chosen

MANY = [f"test_all[{name}-{number}]" for name in "abc" for number in range(300)]
FEW = [f"test_few[{name}]" for name in "abc"]


def test_each_variant_of_many_is_in_one_part():
    parts = [chosen(MANY, f"{number}/3") for number in (1, 2, 3)]
    assert all(sum(found) == 1 for found in zip(*parts))


def test_a_part_has_variants_of_all_kinds():
    found = [test for test, is_chosen in zip(MANY, chosen(MANY, "2/3")) if is_chosen]
    assert 250 < len(found) < 350
    for name in "abc":
        assert 60 < sum(test.startswith(f"test_all[{name}") for test in found) < 140


def test_few_variants_all_run():
    assert all(chosen([*MANY, *FEW], "1/3")[len(MANY):])
