"""What a test of a host shows, with the faults that would make it show more."""

from __future__ import annotations

import pytest

from grainline.flow import hosts
from grainline.flow.builtin import builtin
from grainline.flow.reading import read, together
from grainline.model.relations import Verdict
from helpers.flows import flows_of

HEAD = """
import os, requests
from urllib.parse import urlsplit
from flask import Flask, request, redirect
app = Flask(__name__)
def known(host): return host == "shop.example"
@app.route("/")
def go():
    url = request.args["url"]
"""


def safe(body, models=None):
    """The kinds that a test makes harmless in a handler."""
    lines = "".join(f"    {line}\n" for line in body)
    found = flows_of({"app.py": HEAD + lines}, models).paths
    return sorted(each.kind for each in found if each.verdict is Verdict.NO_PATH)


@pytest.mark.parametrize("take", ["urlsplit(url).netloc"])
def test_what_was_taken_is_tested_for_itself(monkeypatch, take):
    body = [f"part = {take}", 'if part == "a":', "    os.system(part)"]
    assert safe(body) == ["command"]
    assert safe([*body[:2], "    os.system(url)"]) == []
    monkeypatch.setattr(hosts, "piece", lambda origin, *_: origin)
    assert safe(body) == []


EVERYWHERE = ("os.system(url)", "requests.get(url)", "redirect(url)")


def behind(test):
    return [f"if {test}:", *(f"    {each}" for each in EVERYWHERE)]


@pytest.mark.parametrize(
    ("test", "kinds"),
    [
        ('urlsplit(url).netloc == "shop.example"', ["redirect", "ssrf"]),
        ('urlsplit(url).netloc.endswith(".shop.example")', ["redirect", "ssrf"]),
        ('urlsplit(url).netloc == ""', ["redirect"]),
        ("not urlsplit(url).netloc", ["redirect"]),
        ("urlsplit(url).netloc == request.host", ["redirect"]),
        ("known(urlsplit(url).netloc)", ["redirect", "ssrf"]),
        ('urlsplit(url).netloc.endswith("shop.example")', []),
        ("urlsplit(url).netloc", []),
        ('urlsplit("https://shop.example/" + url).netloc == "shop.example"', []),
        ('known(urlsplit(f"https://shop.example/{url}").netloc)', []),
        ('urlsplit("https://shop.example/%s" % url).netloc == "shop.example"', []),
        ('urlsplit("https://shop.example/{}".format(url)).netloc == "shop.example"', []),
        ('urlsplit(url).scheme == "https"', []),
        ('url == "https://shop.example/"', ["command", "redirect", "ssrf"]),
    ],
)
def test_a_host_says_where_an_address_leads_and_nothing_else(test, kinds):
    assert safe(behind(test)) == kinds


@pytest.mark.parametrize(
    ("name", "fault", "test"),
    [
        ("of_host", lambda kinds: kinds, 'urlsplit(url).netloc == "shop.example"'),
        ("of_host", lambda kinds: kinds, "known(urlsplit(url).netloc)"),
        ("is_composed", lambda run, trail: False, 'urlsplit("https://a/" + url).netloc == "a"'),
        ("_below", bool, 'urlsplit(url).netloc.endswith("shop.example")'),
        ("is_own", lambda run, value: True, 'urlsplit(url).netloc == request.args["host"]'),
    ],
)
def test_each_fault_shows_more_than_is_so(monkeypatch, name, fault, test):
    before = safe(behind(test))
    monkeypatch.setattr(hosts, name, fault)
    if name == "of_host":
        monkeypatch.setattr("grainline.flow.applying.of_host", fault)
    assert len(safe(behind(test))) > len(before)


INSIDE = [
    ("_inside", lambda run, taint, kinds: kinds, "os.path.abspath(url).startswith('/srv/')"),
    ("own_part", lambda *args, **options: (), "os.path.basename(url) == url"),
    ("nothing", lambda *args, **options: (), "{'a': 'b'}.get(url) is not None"),
]


@pytest.mark.parametrize(("name", "fault", "test"), INSIDE)
def test_a_path_is_inside_and_a_key_is_one_of_the_list(monkeypatch, name, fault, test):
    body = [f"if {test}:", "    open(url)"]
    assert safe(body) == ["path"]
    monkeypatch.setattr(hosts, name, fault)
    assert safe(body) == []


def test_a_test_of_a_part_shows_nothing_of_the_whole(monkeypatch):
    body = ['if url.split(".").pop() == "txt":', "    open(url)"]
    assert safe(body) == []
    monkeypatch.setattr(hosts, "piece", lambda origin, *_: origin)
    monkeypatch.setattr(hosts, "taken", lambda trail: "")
    assert safe(body) == ["path"]


def test_a_row_of_a_user_says_what_is_a_host():
    text = b"""
languages = ["python"]
[[address]]
names = ["shop_sdk.site_of()"]
of = 0
gives = "host"
"""
    models = {**builtin(), "python": together([builtin()["python"], read("x", text)[1]])}
    body = ["import shop_sdk", *behind('shop_sdk.site_of(url) == "shop.example"')]
    assert safe(body, models) == ["redirect", "ssrf"]
