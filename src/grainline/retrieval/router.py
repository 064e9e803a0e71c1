"""What a question is: names, places, literals, patterns, pasted code, traces, words, intent.

Pure: a question in, a `Route` out; whether a name or a path exists is asked later, inside a scope.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from grainline.model.position import Citation, parse_citation, unquote_path
from grainline.retrieval.intents import Intent, find_intents
from grainline.retrieval.traces import Frame, split_trace
from grainline.text.identifiers import STOP_WORDS
from grainline.text.lazy import lazy_pattern

MAX_QUERY = 32_768
"""Characters of a question that are looked at."""

MAX_NAMED = 64
"""Names, paths or literals of each sort that one question may bring."""


MAX_TEXT = 400
"""Characters of a quoted text that stands beside other words and is looked for as it stands."""

MAX_WHOLE = 1000
"""Characters of a question that can be one exact thing."""

MAX_WORD = 256
"""Longer words (data, minified code) are no names; patterns may go over a word many times."""


class QueryKind(StrEnum):
    """What was recognised in a question; a question may be several."""

    CITATION = "citation"
    LOCATION = "location"
    TRACE = "trace"
    REGEX = "regex"
    LITERAL = "literal"
    SYMBOL = "symbol"
    PATH = "path"
    ERROR_CODE = "error_code"
    CODE = "code"
    TEXT = "text"


class Location(NamedTuple):
    """Lines of a file, from 1, both ends included."""

    path: bytes
    start: int
    end: int


class SymbolName(NamedTuple):
    """A symbol as a question names it, e.g. `AppContext.pop` -> ("AppContext", "pop")."""

    text: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """What a question asks for.

    `exact` names the only kind when the whole question is one such thing (a bare name, a path, a
    quoted message, a regex, a citation); else None. `language` is en, zh, ja, ko or "" when there
    are no letters. `title` is the first line of a question of several lines, else all of it.
    `compounds` are words joined as names of headers, options and tasks are (`X-Forwarded-For`).
    `long_texts` counts quoted texts above `MAX_TEXT`: of those only the words are looked for.
    """

    query: str
    kinds: tuple[QueryKind, ...]
    exact: QueryKind | None
    symbols: tuple[SymbolName, ...]
    paths: tuple[bytes, ...]
    locations: tuple[Location, ...]
    citations: tuple[Citation, ...]
    error_codes: tuple[str, ...]
    compounds: tuple[str, ...]
    literals: tuple[str, ...]
    regexes: tuple[str, ...]
    code: tuple[str, ...]
    frames: tuple[Frame, ...]
    language: str
    intents: frozenset[Intent]
    title: str
    long_texts: int


def route(query: str) -> Route:
    """What `query` asks for. Never raises; only the first `MAX_QUERY` characters are looked at."""
    text = unicodedata.normalize("NFC", query[:MAX_QUERY]).strip()
    whole = _whole(text) if len(text) <= MAX_WHOLE else None
    if whole is not None:
        return whole
    frames, rest = split_trace(text)
    code, prose = _split_code(rest)
    prose = _without_long_words(prose)
    literals = _literals(prose)
    apart = _scripts_apart(prose)
    citations = _citations(apart)
    locations = _locations(apart)
    known = {place.path for place in locations}
    paths = _paths(apart, known)
    if apart is not prose:  # a path may hold both scripts
        paths = tuple(dict.fromkeys((*paths, *_paths(prose, known))))[:MAX_NAMED]
    symbols = _symbols(apart, paths)
    codes = _error_codes(apart)
    found = {
        QueryKind.CITATION: citations,
        QueryKind.LOCATION: locations,
        QueryKind.TRACE: frames,
        QueryKind.LITERAL: literals,
        QueryKind.SYMBOL: symbols,
        QueryKind.PATH: paths,
        QueryKind.ERROR_CODE: codes,
        QueryKind.CODE: code,
    }
    kinds = [kind for kind, values in found.items() if values]
    if _has_prose(prose):
        kinds.append(QueryKind.TEXT)
    return _route(
        text,
        kinds=tuple(kinds) or (QueryKind.TEXT,),
        symbols=symbols,
        paths=paths,
        locations=locations,
        citations=citations,
        error_codes=codes,
        compounds=_compounds(apart, paths),
        literals=literals,
        code=code,
        frames=frames,
        intents=find_intents(prose, failure=bool(frames or codes)),
        long_texts=_count_long(prose),
    )


_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_BORDER = lazy_pattern(
    rf"(?<=[{_CJK}])(?=[\w$@<`~]|--\w)(?=[^{_CJK}])|(?<=[\w$>)`])(?<=[^{_CJK}])(?=[{_CJK}])"
)


def _scripts_apart(text: str) -> str:
    """`text` with a space between a word of Chinese, Japanese or Korean and one of another script.

    Nobody has to write one there. Signs that join (`文档/v2.md`) stay: a path may hold both scripts.
    """
    return text if text.isascii() else _BORDER.sub(" ", text)


def _without_long_words(text: str) -> str:
    return re.sub(rf"\S{{{MAX_WORD},}}", " ", text)


def _route(
    text: str,
    *,
    kinds: tuple[QueryKind, ...],
    exact: QueryKind | None = None,
    symbols: tuple[SymbolName, ...] = (),
    paths: tuple[bytes, ...] = (),
    locations: tuple[Location, ...] = (),
    citations: tuple[Citation, ...] = (),
    error_codes: tuple[str, ...] = (),
    compounds: tuple[str, ...] = (),
    literals: tuple[str, ...] = (),
    regexes: tuple[str, ...] = (),
    code: tuple[str, ...] = (),
    frames: tuple[Frame, ...] = (),
    intents: frozenset[Intent] = frozenset(),
    long_texts: int = 0,
) -> Route:
    return Route(
        query=text,
        kinds=kinds,
        exact=exact,
        symbols=symbols,
        paths=paths,
        locations=locations,
        citations=citations,
        error_codes=error_codes,
        compounds=compounds,
        literals=literals,
        regexes=regexes,
        code=code,
        frames=frames,
        language=language_of(text),
        intents=intents,
        title=text.split("\n", 1)[0].strip(),
        long_texts=long_texts,
    )


# --------------------------------------------------------------------------- the whole question


_REGEX = lazy_pattern(r"/(?P<body>(?:[^/\\\n]|\\.|/)+)/(?P<flags>[ims]{0,3})", re.DOTALL)
_QUOTED = lazy_pattern(
    r'"(?P<double>[^"\n]+)"|'
    r"'(?P<single>[^'\n]+)'|`(?P<tick>[^`\n]+)`|“(?P<curly>[^”\n]+)”|「(?P<corner>[^」\n]+)」|『(?P<white>[^』\n]+)』"
)
_QUOTES = ('"', "'", "`", "“", "「", "『")
_META = lazy_pattern(r"[\\^$.|?*+()\[\]{}]")


def is_empty_literal(query: str) -> bool:
    """Whether all of a question is a pair of quotes with nothing between them."""
    return query.strip() in {'""', "''", "“”", "「」", "『』"}


def torn_regex(query: str) -> str:
    """Why a question that was meant as a regex is none, "" when it is one or was not meant so.

    Paths and routes begin with a slash, too: only what no path holds tells that a regex was meant.
    """
    text = query.strip()
    if not text.startswith("/") or text.startswith("//") or len(text) > MAX_WHOLE:
        return ""
    if re.search(r"\s", text) or route(text).exact is not None:
        return ""
    flagged = re.fullmatch(r"/((?:[^/\\]|\\.)+)/([a-zA-Z]{1,3})", text)
    if flagged is not None and _META.search(flagged[1].replace(".", "")):
        return f"{flagged[2]!r} are no flags of it"
    plain = re.sub(r"\\.", "", text)
    if any(plain.count(left) != plain.count(right) for left, right in ("()", "[]", "{}")):
        return "it does not end with a slash"
    return ""


def _whole(text: str) -> Route | None:
    """The route of a question that is one exact thing and nothing else."""
    citation = parse_citation(text) if "@" in text and "\n" not in text else None
    if citation is not None:
        return _route(
            text, kinds=(QueryKind.CITATION,), exact=QueryKind.CITATION, citations=(citation,)
        )
    regex = _REGEX.fullmatch(text) if text.startswith("/") else None
    if regex is not None and _is_regex(regex["body"]):
        flags = "".join(sorted(set(regex["flags"])))
        pattern = f"(?{flags}){regex['body']}" if flags else regex["body"]
        return _route(text, kinds=(QueryKind.REGEX,), exact=QueryKind.REGEX, regexes=(pattern,))
    quoted = _QUOTED.fullmatch(text) if text.startswith(_QUOTES) else None
    if quoted is not None and quoted.lastgroup != "tick":
        return _route(
            text,
            kinds=(QueryKind.LITERAL,),
            exact=QueryKind.LITERAL,
            literals=(quoted[quoted.lastgroup or 0],),
        )
    mixed = _scripts_apart(text) != text  # `看src/app.py`: perhaps a sentence without spaces
    return (None if mixed else _whole_place(text)) or _whole_symbol(text)


def _is_regex(body: str) -> bool:
    """`/usr/lib/` is a path, `/foo/` and `/a.*b/` are patterns."""
    return "/" not in body or _META.search(body.replace(".", "")) is not None


def _whole_place(text: str) -> Route | None:
    locations = _locations(text)
    if len(locations) == 1 and _LOCATION.fullmatch(text):
        return _route(
            text, kinds=(QueryKind.LOCATION,), exact=QueryKind.LOCATION, locations=locations
        )
    quoted = unquote_path(text) if text.startswith('"') else None
    paths = (quoted,) if quoted is not None else _paths(text, set())
    if len(paths) == 1 and (quoted is not None or re.fullmatch(r"\S+", text)):
        return _route(text, kinds=(QueryKind.PATH,), exact=QueryKind.PATH, paths=paths)
    return None


def _whole_symbol(text: str) -> Route | None:
    name = parse_symbol(text.strip("`"))
    if name is None:
        return None
    return _route(
        text,
        kinds=(QueryKind.SYMBOL,),
        exact=QueryKind.SYMBOL,
        symbols=(name,),
        error_codes=_error_codes(text),
        intents=frozenset(),
    )


# --------------------------------------------------------------------------- symbol names


_WORD = r"[^\W\d][\w$]*[?!]?|[$@]{1,2}[^\W\d]\w*|~[^\W\d]\w*|<[a-z]+>"
_JOINT = r"(?:\.|::|#|->|/(?=[^\W\d]))"
_NAME = lazy_pattern(rf"(?:{_WORD})(?:(?:\.|::|#|->)(?:{_WORD}))*(?:\(\))?[?!]?")
_SPLIT = lazy_pattern(r"\.|::|#|->")
_SCRIPT = lazy_pattern(rf"[{_CJK}]")


def parse_symbol(text: str) -> SymbolName | None:
    """`text` as a symbol name, or None: `pop`, `AppContext.pop`, `Foo::bar`, `Class#method()`.

    Java's `Outer$Inner` stays one part. CJK text is not taken for a name (identifiers in such
    scripts are found by words).
    """
    text = text.strip()
    if len(text) > 400 or _SCRIPT.search(text) or not _NAME.fullmatch(text):
        return None
    bare = text.removesuffix("()")
    parts = tuple(part for part in _SPLIT.split(bare) if part)
    return SymbolName(text, parts) if parts else None


def is_dotted(name: SymbolName) -> bool:
    """Whether a name is written as settings are: `max.poll.interval.ms`."""
    return len(name.parts) > 1 and name.text.count(".") == len(name.parts) - 1


_IN_TEXT = lazy_pattern(
    r"(?<![\w$.:/#\\@-])"
    r"(?P<name>[^\W\d][\w$]*(?:(?:\.|::|\#|->)~?[^\W\d][\w$]*)*)"
    r"(?P<call>\(\))?"
    r"(?![\w$])"
)
_TICKED_NAME = lazy_pattern(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_CAMEL = lazy_pattern(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]")
_NOT_NAMES = frozenset(
    {"e.g", "i.e", "etc", "vs", "a.k.a", "node.js", "vue.js", "next.js", "d3.js"}
)
_BRANDS = frozenset(
    {
        "github",
        "javascript",
        "typescript",
        "postgresql",
        "mysql",
        "iphone",
        "macos",
        "gitlab",
        "youtube",
        "openai",
        "graphql",
        "oauth",
        "ios",
    }
)


def _symbols(text: str, paths: tuple[bytes, ...]) -> tuple[SymbolName, ...]:
    spelled = {path.decode("utf-8", "replace") for path in paths}
    names: dict[tuple[str, ...], SymbolName] = {}
    for tick in _TICKED_NAME.finditer(text) if "`" in text else ():
        name = parse_symbol(tick[1])
        if name is not None and name.text not in spelled:
            names.setdefault(name.parts, name)
    # no name holds white space, so words that cannot be one are left out before names are matched
    words = [word for word in text.split() if not _is_plain(word)]
    for match in _IN_TEXT.finditer(" ".join(words)) if words else ():
        word = match["name"]
        if word in spelled or not _looks_like_symbol(word, called=match["call"] is not None):
            continue
        parts = tuple(part for part in _SPLIT.split(word) if part)
        names.setdefault(parts, SymbolName(word, parts))
    return tuple(names.values())[:MAX_NAMED]


@lru_cache(maxsize=1 << 14)
def _is_plain(word: str) -> bool:
    """Whether a word is letters with no hump between punctuation that names nothing."""
    if word.isascii() and word.isalpha() and word.islower():
        return True
    bare = word.strip(".,;:!?\"'").lstrip("(").rstrip(")")
    return bare.isalnum() and (len(bare) == 1 or bare[1:].islower())


@lru_cache(maxsize=1 << 14)
def _looks_like_symbol(word: str, *, called: bool) -> bool:
    """Whether a word of a sentence is written as code is: joined, humped, snaked or called."""
    if _SCRIPT.search(word) or word.lower() in _NOT_NAMES or word.lower() in _BRANDS:
        return False
    if called or "::" in word or "#" in word or "->" in word:
        return len(word) > 1
    if "." in word:
        parts = word.split(".")
        return all(len(part) > 1 for part in parts[-1:]) and parts[-1].lower() not in _DOMAINS
    return (
        ("_" in word.strip("_"))
        or (word.startswith("__") and word.endswith("__") and len(word) > 4)
        or _CAMEL.search(word) is not None
    )


_DOMAINS = frozenset({"com", "org", "net", "io", "dev", "html", "htm"})


# --------------------------------------------------------------------------- places


_SUFFIXES = (
    "py|pyi|pyx|js|jsx|mjs|cjs|ts|tsx|mts|cts|java|kt|kts|go|rs|c|h|cc|cpp|cxx|hh|hpp|hxx|cs|rb|php|swift|"
    "scala|sc|sh|bash|sql|html|htm|css|scss|less|json|yaml|yml|toml|xml|md|rst|txt|ini|cfg|conf|gradle|"
    "properties|proto|graphql|vue|svelte|ipynb|lock|mod|sum|mk|cmake|bat|ps1|tf|csv|pdf|docx|lua|pl|r|m|mm|"
    "ex|exs|erl|hs|ml|clj|groovy|dart|zig|nim|jl"
)
_FILE = rf"[\w.+@~\-]*[\w+@~\-]\.(?:{_SUFFIXES})"
_PATH = lazy_pattern(
    r"(?<![\w/.:@%&=?#-])"
    r"(?P<path>"
    rf"(?:\.{{0,2}}[/\\]|[A-Za-z]:\\)?(?:[\w.+@~\-\[\]()]+[/\\])+(?:{_FILE}|[\w.+@~\-\[\]]+)?"
    rf"|{_FILE}"
    r"|(?:Makefile|Dockerfile|Jenkinsfile|Gemfile|Rakefile|CMakeLists\.txt|\.gitignore|\.env\w*)"
    r")(?!\.?\w|\()"
)
_LOCATION = lazy_pattern(
    r"(?<![\w/.:@-])(?P<path>(?:\.{0,2}/)?(?:[\w.+@~\-\[\]()]+[/\\])*[\w.+@~\-]+\.\w{1,10}|[\w.+@~\-\[\]]+(?:/[\w.+@~\-\[\]]+)+)"
    r"(?::(?P<a>\d{1,9})(?:[-:](?P<b>\d{1,9}))?|\#L(?P<c>\d{1,9})(?:-L?(?P<d>\d{1,9}))?)(?![\w.@-])"
)
_URL = lazy_pattern(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\"']+")
_AT_LINE = lazy_pattern(r":\d|#L\d")


def _without_urls(text: str) -> str:
    return _URL.sub(" ", text) if "://" in text else text


def _locations(text: str) -> tuple[Location, ...]:
    found: dict[Location, None] = {}
    if _AT_LINE.search(text) is None:
        return ()
    for match in _LOCATION.finditer(_without_urls(text)):
        path = clean_path(match["path"])
        start = int(match["a"] or match["c"])
        second = match["b"] if match["a"] else match["d"]
        column = match["b"] is not None and match[0][match.start("b") - match.start() - 1] == ":"
        end = int(second) if second and not column else start
        if path and start >= 1 and not re.fullmatch(rb"[\d.]+", path):
            found[Location(path, start, max(start, end))] = None
    return tuple(found)[:MAX_NAMED]


_PATH_SIGN = lazy_pattern(r"[/\\]|\.\w|file")


def _paths(text: str, known: set[bytes]) -> tuple[bytes, ...]:
    found: dict[bytes, None] = {}
    # no path holds white space: words without what every path has are left out before
    words = [*filter(_PATH_SIGN.search, _without_urls(text).split())]
    if not words:
        return ()
    for match in _PATH.finditer(" ".join(words)):
        spelled = match["path"]
        if not _plausible(spelled):
            continue
        path = clean_path(spelled)
        if path and path not in known:
            found[path] = None
    return tuple(found)[:MAX_NAMED]


def _plausible(spelled: str) -> bool:
    """`and/or`, `1/2` and `read/write` are words; `src/app/` and `src/util.py` are paths."""
    if re.fullmatch(rf"{_FILE}|Makefile|Dockerfile|Jenkinsfile|Gemfile|Rakefile|\.\w+", spelled):
        return spelled.lower() not in _NOT_NAMES
    parts = [part for part in re.split(r"[/\\]", spelled) if part]
    if spelled.startswith(("./", "../", "/")) or spelled.endswith("/"):
        return any(re.search(r"[^\W\d]", part) for part in parts)
    if re.search(rf"\.(?:{_SUFFIXES})$", spelled):
        return True
    return len(parts) >= 3 and all(re.search(r"[^\W\d]", part) for part in parts)


def clean_path(spelled: str) -> bytes:
    """A path as a repository spells it: forward slashes, nothing in front."""
    text = re.sub(r"^(?:[A-Za-z]:)?[/\\]+|^(?:\.{1,2}[/\\])+", "", spelled)
    return text.replace("\\", "/").encode("utf-8", "surrogateescape")


_DIGIT_AT = lazy_pattern(r"\d@")


def _citations(text: str) -> tuple[Citation, ...]:
    found: dict[str, Citation] = {}
    if _DIGIT_AT.search(text) is None:
        return ()
    for word in re.findall(
        r"[^\s\"'`<>()\uff08\uff09\uff0c\u3002]+:\d{1,9}(?:-\d{1,9})?@[\w:]+", text
    ):
        citation = parse_citation(word)
        if citation is not None:
            found[word] = citation
    return tuple(found.values())[:MAX_NAMED]


# --------------------------------------------------------------------------- literals and codes


def _literals(text: str) -> tuple[str, ...]:
    """Quoted messages in the order of the text: what no name or path could be."""
    found: list[tuple[int, str]] = []
    quoted = not _MARKS.isdisjoint(text)
    for match in _MESSAGE.finditer(text) if quoted else ():
        value = match[match.lastgroup or 0]
        if re.search(r"\w", value):
            found.append((match.start(), value))
    for match in _TICKED.finditer(text) if "`" in text else ():
        if parse_symbol(match[1]) is None and not _PATH.fullmatch(match[1]):
            found.append((match.start(), match[1]))
    literals = dict.fromkeys(value for _, value in sorted(found))
    return tuple(literals)[:MAX_NAMED]


def _count_long(text: str) -> int:
    """How many quoted texts are above `MAX_TEXT`, which `_literals` leaves out."""
    if len(text) <= MAX_TEXT:
        return 0
    return sum(len(each[0]) - 2 > MAX_TEXT for each in _IN_QUOTES.finditer(text))


_MARKS = frozenset("\"'\u201c\u300c")
_MESSAGE = lazy_pattern(
    rf"(?<![\w\"])\"(?P<double>[^\"\n]{{3,{MAX_TEXT}}})\"(?!\w)"
    rf"|\u201c(?P<curly>[^\u201d\n]{{3,{MAX_TEXT}}})\u201d|\u300c(?P<corner>[^\u300d\n]{{2,{MAX_TEXT}}})\u300d"
    rf"|(?<![\w'])'(?P<single>[^'\n ]{{1,200}} [^'\n]{{2,{MAX_TEXT}}})'(?!\w)"
)
_TICKED = lazy_pattern(rf"(?<!`)`([^`\n]{{3,{MAX_TEXT}}})`(?!`)")
_IN_QUOTES = lazy_pattern(
    # of any length, so that none begins where another one ends; linear: no mark stands inside
    r"(?<![\w\"])\"[^\"\n]+\"(?!\w)|\u201c[^\u201c\u201d\n]+\u201d|\u300c[^\u300c\u300d\n]+\u300d"
    r"|(?<![\w'])'[^'\n]+'(?!\w)|(?<!`)`[^`\n]+`(?!`)"
)

_CODES = lazy_pattern(
    r"(?<![\w-])("
    r"[A-Z]{1,5}[-_]?\d{3,6}"  # E0308, CS1002, TS2345, SQLSTATE-like ORA-00942, HTTP codes excluded
    r"|E[A-Z]{4,15}"  # ECONNREFUSED
    r"|[A-Z]{2,12}(?:_[A-Z0-9]{2,20})+"  # ERR_MODULE_NOT_FOUND
    r"|0x[0-9A-Fa-f]{4,16}"
    r"|SQLSTATE\[?\w{5}\]?"
    r")(?![\w-])"
)
_NOT_CODES = frozenset({"UTF-8", "UTF_8", "ISO-8859", "SHA-256", "SHA256", "SHA512", "RFC"})


def _error_codes(text: str) -> tuple[str, ...]:
    if text == text.lower() and "0x" not in text:
        return ()
    # no code holds white space, and each has a capital or is a number in base 16
    words = [word for word in text.split() if not word.islower() or "0x" in word]
    found = {
        match[1]: None for match in _CODES.finditer(" ".join(words)) if match[1] not in _NOT_CODES
    }
    return tuple(found)[:MAX_NAMED]


_OPENS, _CLOSES = r"(?<![\w$./\\@#:=-])(?P<word>", r")(?![\w$/\\:-]|\.\w)"
_COMPOUNDS = (
    r"--[A-Za-z][\w-]*\w"  # --dry-run
    r"|[A-Za-z]\w*(?:-[A-Za-z]\w*){2,}"  # x-forwarded-for
    r"|[A-Z]\w*-[A-Z]\w*"  # Cache-Control
    r"|[A-Za-z]\w*(?::[A-Za-z][\w-]*)+"  # db:migrate
)
_COMPOUND = lazy_pattern(f"{_OPENS}{_COMPOUNDS}{_CLOSES}")
_COMPOUND_AMONG_OTHERS = lazy_pattern(
    # among words of another script no hyphen is one of English prose: dry-run
    rf"{_OPENS}{_COMPOUNDS}|[A-Za-z]\w*-[A-Za-z]\w*{_CLOSES}"
)
_JOINS = lazy_pattern(r"\w[:-][A-Za-z]|--[A-Za-z]")


def _compounds(text: str, paths: tuple[bytes, ...]) -> tuple[str, ...]:
    """Words that only a program joins so; `end-to-end` and `up-to-date` are English."""
    words = [word for word in _without_urls(text).split() if _JOINS.search(word)]
    if not words:
        return ()
    spelled = {path.decode("utf-8", "replace") for path in paths}
    joined = _COMPOUND if _SCRIPT.search(text) is None else _COMPOUND_AMONG_OTHERS
    found = [match["word"] for match in joined.finditer(" ".join(words))]
    kept = [word for word in found if word not in spelled and not _is_english(word)]
    return tuple(dict.fromkeys(map(_bare, kept)))[:MAX_NAMED]


def _bare(word: str) -> str:
    """An option as programs name it, with or without dashes in front: `dry-run`."""
    bare = word.lstrip("-")
    return bare if "-" in bare else word


def _is_english(word: str) -> bool:
    """Whether a hyphenated word has a function word inside."""
    inner = word.lower().split("-")[1:-1] if not word.startswith("--") else []
    return any(part.encode() in STOP_WORDS for part in inner)


# --------------------------------------------------------------------------- pasted code


_FENCE = lazy_pattern(
    r"^ {0,3}(```+|~~~+)[^\n]*\n(?P<body>.*?)(?:^ {0,3}\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE
)
_CODE_LINE = lazy_pattern(
    r"^\s*(?:def |class |async |function |func |fn |pub |import |from \S+ import|package |return\b|if ?\(|for ?\(|while ?\("
    r"|else\b|elif |try\b|catch|except\b|const |let |var |public |private |protected |static |@\w+|#include|\}|\{|//|/\*|\* )"
    r"|[;{}]\s*$|^\s*[\w.\[\]\"']+ ?(?:=|\+=|:=) ?\S|^\s*[\w.]+\([^)]*\)[;:]?\s*$|=> ?[{(]|^\s*(?:if|for|while|with)\b.*:\s*$"
)


def _is_statement(line: str) -> bool:
    """Whether a word stands before a character that ends or opens something."""
    last = max(map(line.rfind, ";{}()="))
    return last > 0 and re.search(r"\w", line[:last]) is not None


def _split_code(text: str) -> tuple[tuple[str, ...], str]:
    """(pasted code, the rest). Fenced blocks, else a question whose lines are mostly code."""
    fenced = "```" in text or "~~~" in text
    blocks = [match["body"].strip("\n") for match in _FENCE.finditer(text)] if fenced else []
    blocks = [block for block in blocks if block.strip()]
    if blocks:
        return tuple(blocks[:MAX_NAMED]), _FENCE.sub("\n", text)
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) == 1 and not (_is_statement(lines[0]) and _dense(text)):
        return (), text
    marks = [_CODE_LINE.search(line) is not None for line in lines]
    if sum(marks) * 2 > len(lines):
        return (text,), ""
    return (), text


def _dense(text: str) -> bool:
    """Punctuation of code at more than one mark per ten characters."""
    return len(re.findall(r"[;{}()=\[\]<>:.,]", text)) * 10 > len(text)


def _has_prose(text: str) -> bool:
    return re.search(r"[^\W\d_]{2,}\s+[^\W\d_]{2,}", text) is not None or bool(_SCRIPT.search(text))


# --------------------------------------------------------------------------- language


_LATIN = lazy_pattern(r"[A-Za-z]")


def language_of(text: str) -> str:
    """zh, ja, ko where a tenth of the letters is in that script; en for other letters; else ""."""
    if text.isascii():
        return "en" if _LATIN.search(text) else ""
    kana = len(re.findall(r"[\u3040-\u30ff]", text))
    hangul = len(re.findall(r"[\uac00-\ud7af\u1100-\u11ff]", text))
    han = len(re.findall(r"[\u3400-\u9fff\uf900-\ufaff]", text))
    latin = len(re.findall(r"[A-Za-z\u00c0-\u024f]", text))
    asian = kana + hangul + han
    if asian and asian * 10 >= latin:
        if hangul >= max(kana, han):
            return "ko"
        return "ja" if kana * 8 >= han and kana else "zh"
    return "en" if latin else ""
