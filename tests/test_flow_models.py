"""Files of models: what they say is understood, or refused."""

from __future__ import annotations

import pytest

from grainline.errors import BadInput
from grainline.flow.builtin import builtin, with_files
from grainline.flow.reading import read, united

ROW = '[[sink]]\nkind = "sql"\nnames = ["f"]\n'


def models(text):
    return read("x.toml", f'languages = ["java"]\n{text}'.encode())[1]


def test_every_file_of_the_project_is_read():
    assert {"go", "java", "php", "python"} <= builtin().keys()


@pytest.mark.parametrize(
    "condition",
    ["0=md5|sha1", "given:1", "has:2=secure", "program:receiver", "field:1=A:x|y"],
)
def test_a_condition_is_kept_as_it_is_written(condition):
    assert models(f'{ROW}when = ["{condition}"]').sinks["f"][0].when == (condition,)


@pytest.mark.parametrize("condition", ["keyed:2", "given:1=x", "constant", "has:2", "field:1"])
def test_a_condition_that_says_nothing_is_refused(condition):
    with pytest.raises(BadInput, match="is no condition"):
        models(f'{ROW}unless = ["{condition}"]')


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ('[[sink]]\nnames = ["f"]\nkind = "sqli"', "[[sink]] 1 (f): 'sqli' is no kind; allowed: "),
        ('[[sink]]\nnames = ["f"]\nkind = 3', "[[sink]] 1 (f): 3 is no kind; allowed: "),
        (f'{ROW}[[sink]]\nnames = ["g"]', "[[sink]] 2 (g) has no 'kind'"),
        ('[[sink]]\nkind = "sql"', "[[sink]] 1 has no 'names'"),
        ('[[sink]]\nkind = "sql"\nnames = "f"', "[[sink]] 1: `names` is 'f', not a list of"),
        ('[[sink]]\nkind = "sql"\nnames = ["a..b"]', "[[sink]] 1 (a..b): 'a..b' is no dotted name"),
        ('[[source]]\nnames = [""]', "'' is no dotted name"),
        ('[[source]]\nnames = ["f", 3]', "[[source]] 1 (f): 3 is no dotted name"),
        (f'{ROW}severity = "awful"', "'awful' is no severity; allowed: critical, high"),
        (f"{ROW}severity = 3", "3 is no severity; allowed: critical, high"),
        (f'{ROW}ports = ["0[x]"]', "[[sink]] 1 (f): '0[x]' is no port"),
        (f"{ROW}ports = 0", "[[sink]] 1 (f): "),
        ('[[source]]\nnames = ["f"]\nkinds = ["sqli"]', "'sqli' is no kind; allowed: *, code"),
        ('[[sanitizer]]\nnames = ["f"]\nkinds = ["x"]', "[[sanitizer]] 1 (f): 'x' is no kind"),
        ('[[sanitizer]]\nnames = ["f"]\nsays = ["x"]', "'x' is no text; allowed: "),
        ('[[step]]\nnames = ["f"]\nreturns = "x"', "'x' is no result of a call"),
        ('[[step]]\nnames = ["f"]\ncontainer = "x"', "'x' is no container's doing; allowed: "),
        ('[[guard]]\nnames = ["f"]\ntext = "x"', "'x' is no test of a text; allowed: "),
        ('[[entry]]\nnames = ["f"]\nresult = "x"', "[[entry]] 1 (f): 'x' is no kind; allowed: "),
        ('[[pattern]]\nnames = ["f"]\nkind = "x"', "[[pattern]] 1 (f) has no 'cwe'"),
        ('[[mark]]\nnames = ["f"]', "[[mark]] 1 (f) has no 'mark'"),
        ('[[authorization]]\nnames = ["f"]\ndoes = "x"', "doing; allowed: base, decorator"),
        ('[[operation]]\nnames = ["f"]', "[[operation]] 1 (f) has no 'what'"),
        ('[[resource]]\nnames = ["f"]\ndoes = "x"', "doing; allowed: acquire, borrow"),
        ('[[address]]\nnames = ["f"]\ngives = "x"', "no part of an address; allowed: host, own"),
        ("[[credential]]\nnames = 3", "[[credential]] 1: `names` is 3"),
        ("sink = 3", "sink is 3, not rows that begin with [[sink]]"),
        ("sink = [3]", "[[sink]] 1: 3 is no row"),
    ],
)
def test_a_row_that_is_not_understood_is_named_with_what_is_allowed(rows, said):
    """Seeded fault: `tuple.index(x): x not in tuple`, a KeyError's bare word."""
    with pytest.raises(BadInput) as caught:
        models(rows)
    assert caught.value.message.startswith("x.toml: ")
    assert said in caught.value.message


def test_numbers_stay_dangerous_where_texts_do_not():
    row = models('[[sanitizer]]\nnames = ["f"]\nkinds = ["text"]').steps["f"]
    whole = models(
        '[[sanitizer]]\nnames = ["f"]\nkinds = ["text", "number", "division", "resource"]'
    )
    assert row.clean != whole.steps["f"].clean
    assert whole.steps["f"].clean == models('[[sanitizer]]\nnames = ["f"]').steps["f"].clean


def test_two_rows_of_a_name_hold_at_once():
    row = '[[sanitizer]]\nnames = ["f"]\n'
    one, other = models(f'{row}kinds = ["sql"]'), models(f'{row}kinds = ["xss"]\npart = true')
    both = models(f'{row}kinds = ["sql", "xss"]\npart = true').steps
    assert united([one, other]).steps == united([other, one]).steps == both
    assert models(f'{row}kinds = ["sql"]\n{row}kinds = ["xss"]\npart = true').steps == both


def test_two_rows_of_a_name_that_say_different_things_are_refused():
    row = '[[step]]\nnames = ["f"]\ntakes = '
    with pytest.raises(BadInput, match="'f' has two rows, and `takes` is "):
        models(f"{row}[0]\n{row}[1]")
    with pytest.raises(ValueError, match="'f' has two rows, and `takes` is "):
        united([models(f"{row}[0]"), models(f"{row}[1]")])


def test_rows_of_the_user_go_before_those_that_are_built_in():
    text = b'languages = ["php"]\n[[step]]\nnames = ["sha1"]\ntakes = []\n'
    assert not with_files([("mine", text)])["php"].steps["sha1"].takes
