"""Code around the code that is asked about: made here by a seed, or taken from the user's clones.

Made code reads like the code of some office: modules of a domain, functions of a verb and a noun
with a doc string, a loop, a lookup or a sum. Its words are everyday ones (token, order, key, queue
among them), as those of any large repository are; none of its functions does what is asked for.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from grainline.errors import GrainlineError
from grainline.lab.loose import Files
from grainline.languages.detect import detect
from grainline.model.snapshot import FlagName
from grainline.snapshots.repository import open_repository

SEED = 20240101
FUNCTIONS = (4, 11)  # of a module
MAX_BYTES = 1 << 18
NO_CODE = frozenset({FlagName.TEST, FlagName.DOCS, FlagName.CONFIG, FlagName.GENERATED})

_VERBS = """
add apply archive arrange assign balance batch build check choose clean clone close collect
compare convert copy count create decide describe detect divide draw enable estimate expand export
extract filter find fold format gather group handle import inspect join label limit link list load
mark match measure merge move normalise number open pack pair parse pick plan prepare prune
publish queue rank read record reduce refresh register release remove rename repair replace report
reset resolve restore route sample save scale schedule select send sort split start stop store
summarise swap sync tag track trim update validate verify watch weigh write
""".split()  # noqa: SIM905 - a list of 200 lines is harder to read
_NOUNS = """
account address agenda alarm album amount archive article asset award badge basket batch beacon
bill border branch bridge bucket budget building bundle cabin calendar camera card cargo catalog
channel chapter chart city claim cohort client clock cluster coach column comment contact contract
copy course crate crew customer cycle deadline delivery depot desk detail device discount district
document draft driver edition engine entry error event exhibit fabric factor farm field figure
filter fleet flight floor folder form frame freight gallery garden gate grade grid group guest
guide harbour harvest height hotel image index invoice item job journal journey key kitchen label
lane lease lesson letter level library line list lock machine map market match meal member memo
menu message metal meter module month museum name network node note notice number offer office
order outlet package page panel paper parcel part passenger patch path pattern phone photo plan
plant platform player pool port price printer product profile project prompt quarter queue quota
quote rack rate reading receipt recipe record region report request reserve result review ride
road role room route row rule salary sample scale scene schedule score screen season seat section
segment sensor series service session shape shelf shift ship shop signal site size slot song
source stage station status stock storage store stream street student subject supplier survey
table target task team tenant term ticket tier time timetable title token tool topic tour track
trade trail train transfer trip truck unit user value vehicle venue version visit visitor voucher
wage ward warehouse weather week weight window worker workshop zone
""".split()  # noqa: SIM905 - a list of 200 lines is harder to read
_DOMAINS = """
airport archive bakery brewery campus census choir cinema clinic court dairy depot embassy factory
ferry fishery forestry foundry gallery garage hospital hostel kennel laboratory laundry library
lottery mill mine museum nursery observatory office orchard orchestra pharmacy planetarium port
press quarry railway refinery registry rehearsal reservoir sawmill school shipyard stadium studio
tannery theatre vineyard zoo
""".split()  # noqa: SIM905 - a list of 200 lines is harder to read

_BODIES = (
    """    found = []
    for {item} in {items}:
        if {item}["{field}"] {test} {number}:
            found.append({item}["{other}"])
    return found
""",
    """    total = sum({item}["{field}"] for {item} in {items})
    return total / max(1, len({items}))
""",
    """    by_{field} = {{}}
    for {item} in {items}:
        by_{field}.setdefault({item}["{field}"], []).append({item})
    return by_{field}
""",
    """    {item} = dict({items}[0]) if {items} else {{}}
    {item}["{field}"] = {item}.get("{field}", {number}) + {number}
    {item}["{other}"] = "{word}"
    return {item}
""",
    """    ranked = sorted({items}, key=lambda {item}: ({item}["{field}"], {item}["{other}"]))
    return ranked[:{number}]
""",
    """    left = {number}
    for {item} in {items}:
        left -= {item}["{field}"]
        if left < 0:
            raise ValueError("{word}: too many {items}")
    return left
""",
    """    text = ", ".join(str({item}["{field}"]) for {item} in {items})
    return f"{word} {{text}} ({{len({items})}})"
""",
    """    pairs = zip({items}, {items}[1:])
    return [later["{field}"] - earlier["{field}"] for earlier, later in pairs]
""",
)
_DOCS = (
    "{Verb} the {noun} of every {domain} by {field}.",
    "{Verb} {nouns} whose {field} is {test_word} {number}.",
    "{Verb} what a {domain} knows of a {noun}: its {field} and its {other}.",
    "{Verb} the {nouns} of a {field} before the {other} closes.",
)
_TESTS = (("<", "below"), (">", "above"), ("==", "exactly"), (">=", "at least"))


def made(lines: int, seed: int = SEED) -> Files:
    """Modules of at least `lines` lines in all; the same ones for the same arguments."""
    return _until(lines, _modules(random.Random(seed)))


def taken(mirror: Path, lines: int) -> Files:
    """Source files of the clones in a folder, without tests: of each the same share of `lines`.

    Fewer lines where the clones hold no more. What is no clone is passed over.
    """
    clones = [*filter(None, map(_clone, sorted(mirror.iterdir())))]
    found: dict[bytes, bytes] = {}
    for clone in clones:
        found |= _until(-(-lines // len(clones)), _cloned(clone))
    return _until(lines, found.items())


def _clone(folder: Path) -> Path | None:
    found = folder / "repo" if (folder / "repo").is_dir() else folder
    is_clone = any((found / name).is_file() for name in ("HEAD", ".git/HEAD"))
    return found if is_clone else None


def _until(lines: int, files: Iterable[tuple[bytes, bytes]]) -> Files:
    found: dict[bytes, bytes] = {}
    left = lines
    for path, data in files:
        if left <= 0:
            break
        found[path] = data
        left -= data.count(b"\n")
    return found


def _modules(draw: random.Random) -> Iterator[tuple[bytes, bytes]]:
    for number in count():
        domain = _DOMAINS[number % len(_DOMAINS)]
        noun = draw.choice(_NOUNS)
        path = f"filler/{domain}/{noun}_{number // len(_DOMAINS)}.py"
        yield path.encode(), _module(draw, domain, noun).encode()


def _module(draw: random.Random, domain: str, noun: str) -> str:
    parts = [f'"""{noun.capitalize()}s of the {domain}."""\n']
    names: set[str] = set()
    for _ in range(draw.randint(*FUNCTIONS)):
        verb, about = draw.choice(_VERBS), draw.choice(_NOUNS)
        name = f"{verb}_{domain}_{about}"
        if name not in names:
            names.add(name)
            parts.append(_function(draw, domain, verb, about, name))
    return "\n\n".join(parts)


def _function(draw: random.Random, domain: str, verb: str, noun: str, name: str) -> str:
    field, other, word = draw.sample(_NOUNS, 3)
    test, test_word = draw.choice(_TESTS)
    words = {
        "Verb": verb.capitalize(),
        "noun": noun,
        "nouns": f"{noun}s",
        "domain": domain,
        "item": noun,
        "items": f"{noun}_list",
        "field": field,
        "other": other,
        "word": word,
        "test": test,
        "test_word": test_word,
        "number": draw.randint(2, 99),
    }
    doc = draw.choice(_DOCS).format(**words)
    body = draw.choice(_BODIES).format(**words)
    return f'def {name}({noun}_list):\n    """{doc}"""\n{body}'


def _cloned(clone: Path) -> Iterator[tuple[bytes, bytes]]:
    name = clone.parent.name if clone.name == "repo" else clone.name
    with open_repository(str(clone)) as repository:
        try:
            _, entries = repository.snapshot("HEAD")
        except GrainlineError:  # a clone without commits, or a damaged one
            return
        wanted = [
            entry
            for entry in entries
            if detect(entry.path, b"") and not any(flag.name in NO_CODE for flag in entry.flags)
        ]
        for entry, data, _ in repository.read(wanted):
            if isinstance(data, bytes) and len(data) <= MAX_BYTES:
                yield b"filler/" + name.encode() + b"/" + entry.path, data
