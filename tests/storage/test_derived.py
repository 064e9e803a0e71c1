"""Derived values: found by kind and key, whole or not at all, in memory and in a folder."""

from __future__ import annotations

import pytest

from grainline.storage.derived import FolderDerived, MemoryDerived

KEY, OTHER = "a" * 32, "b" * 48


@pytest.fixture(params=["memory", "folder", "layered"])
def derived(request, tmp_path):
    if request.param == "folder":
        return FolderDerived(tmp_path / "derived")
    return MemoryDerived(MemoryDerived() if request.param == "layered" else None)


def test_a_value_is_found_by_kind_and_key(derived):
    assert derived.get("graph", KEY) is None
    assert derived.keys("graph") == frozenset()
    derived.put("graph", KEY, b"one")
    derived.put("ir", KEY, b"two")
    derived.put("graph", OTHER, b"")
    assert (derived.get("graph", KEY), derived.get("ir", KEY)) == (b"one", b"two")
    assert derived.get("graph", OTHER) == b""
    assert derived.keys("graph") == {KEY, OTHER}
    assert derived.has("graph", OTHER)
    assert not derived.has("ir", OTHER)
    assert derived.size() >= 6


def test_what_is_not_kept_is_gone(derived):
    for key in (KEY, OTHER):
        derived.put("graph", key, key.encode())
        derived.put("ir", key, key.encode())
    derived.keep("graph", {OTHER})
    assert derived.keys("graph") == {OTHER}
    assert derived.keys("ir") == {KEY, OTHER}


def test_another_instance_reads_what_was_put(tmp_path):
    FolderDerived(tmp_path / "d").put("graph", KEY, b"value")
    assert FolderDerived(tmp_path / "d").get("graph", KEY) == b"value"


@pytest.mark.parametrize("at", [0, 15, 16, 20])
def test_a_damaged_value_is_absent_and_told(tmp_path, at):
    derived = FolderDerived(tmp_path)
    derived.put("graph", KEY, b"value")
    derived.put("graph", OTHER, b"sound")
    path = tmp_path / f"graph-{KEY}"
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    assert derived.get("graph", KEY) is None
    assert derived.damaged() == (f"graph-{KEY}",)
    path.write_bytes(data[:at])
    assert derived.get("graph", KEY) is None
    derived.put("graph", KEY, b"value")
    assert derived.get("graph", KEY) == b"value"
    assert derived.damaged() == ()


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    derived = FolderDerived(tmp_path)

    def full(_):
        raise OSError(28, "no space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        derived.put("graph", KEY, b"value")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_goes_with_the_next_keep(tmp_path):
    derived = FolderDerived(tmp_path)
    derived.put("graph", KEY, b"value")
    (tmp_path / f"graph-{OTHER}.123.tmp").write_bytes(b"half")
    assert derived.keys("graph") == {KEY}
    derived.keep("graph", {KEY})
    assert [path.name for path in tmp_path.iterdir()] == [f"graph-{KEY}"]


def test_memory_above_a_store_keeps_the_last_used_and_never_writes_below(tmp_path, monkeypatch):
    monkeypatch.setattr("grainline.storage.derived.RECENT_BYTES", 2)
    below = FolderDerived(tmp_path)
    below.put("graph", KEY, b"below")
    above = MemoryDerived(below, most=2)
    for number in range(3):
        above.put("ir", f"{number:032x}", b"x")
    assert above.keys("ir") == {f"{number:032x}" for number in (1, 2)}
    assert above.get("graph", KEY) == b"below"
    assert below.keys("ir") == frozenset()
    above.keep("graph", ())
    assert below.get("graph", KEY) == b"below"
