"""Packages that are imported although nothing of them is used as models know it."""

from __future__ import annotations

import pytest

from helpers.flows import flows_of

NOTHING = [
    ("a.py", "import subprocess\nsubprocess.nothing([])\n", "python_os.toml: subprocess"),
    ("a.py", "from yaml import nodes\nnodes.nothing()\n", "python_data.toml: yaml"),
    ("a.js", "import got from 'got';\ngot.nothing();\n", "javascript_libraries.toml: got"),
    ("a.go", 'package a\nimport "os/exec"\nfunc f() { exec.Nothing() }\n', "go.toml: os/exec"),
]
USED = [
    ("a.py", "import subprocess\nsubprocess.run('ls')\n"),
    ("a.py", "from subprocess import run as go\ngo('ls')\n"),
    ("a.py", "import yaml\ndef f(x):\n    return yaml.load(x)\n"),
    ("a.js", "import got from 'got';\nexport const f = (x) => got(x);\n"),
    ("a.js", "import axios from 'axios';\nexport const f = (x) => axios.get(x);\n"),
    ("a.go", 'package a\nimport "os/exec"\nfunc f(x string) { exec.Command(x).Run() }\n'),
    (
        "a.js",
        "import ejs from 'ejs';\nexport const f = (app) => app.engine('html', ejs.__express);\n",
    ),
    ("a.js", "export const f = async (x) => (await import('pug')).default.compile(x);\n"),
    ("a.py", "import connexion\napp = connexion.App('a').app\n"),
    (
        "a.py",
        "import ssl\ndef f(x):\n    return ssl.create_default_context()\n",
    ),  # rows know faults
    ("a.py", "import subprocesses\nsubprocesses.nothing([])\n"),  # another name
    ("a.py", "def f():\n    return subprocess.nothing([])\n"),  # not imported
]


@pytest.mark.parametrize(("path", "text", "told"), NOTHING)
def test_a_package_of_which_nothing_known_is_used_is_reported(path, text, told):
    found = flows_of({path: text}).unmatched
    assert found == (told,)


@pytest.mark.parametrize(("path", "text"), USED)
def test_one_that_is_used_as_models_know_it_is_not(path, text):
    assert flows_of({path: text}).unmatched == ()


def test_a_package_that_is_in_the_code_itself_is_none_from_outside():
    files = {"subprocess.py": "def nothing(x):\n    return x\n",
             "a.py": "import subprocess\nsubprocess.nothing([])\n"}  # fmt: skip
    assert flows_of(files).unmatched == ()
