"""Files of models: what they say is understood, or refused."""

from __future__ import annotations

import pytest

from grainline.errors import BadInput
from grainline.flow.builtin import builtin
from grainline.flow.reading import read

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


def test_numbers_stay_dangerous_where_texts_do_not():
    row = models('[[sanitizer]]\nnames = ["f"]\nkinds = ["text"]').steps["f"]
    whole = models(
        '[[sanitizer]]\nnames = ["f"]\nkinds = ["text", "number", "division", "resource"]'
    )
    assert row.clean != whole.steps["f"].clean
    assert whole.steps["f"].clean == models('[[sanitizer]]\nnames = ["f"]').steps["f"].clean
