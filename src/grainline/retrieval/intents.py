"""Intent words: what a question wants beside its subject; English, Chinese, Japanese, Korean."""

from __future__ import annotations

import re
from enum import StrEnum


class Intent(StrEnum):
    """What a question wants to see."""

    TEST = "test"
    DOCS = "docs"
    EXAMPLE = "example"
    CONFIG = "config"
    SECURITY = "security"
    FAILURE = "failure"
    HISTORY = "history"
    VENDORED = "vendored"
    GENERATED = "generated"


SHORT = 240
"""Characters up to which every line of a question is searched for intent words. In a longer one (an
issue) "test" or "config" is mostly narrative, so only its title counts."""


def find_intents(text: str, *, failure: bool) -> frozenset[Intent]:
    """The intents of `text`; `failure` says that a trace or an error code stands in the question."""
    subject = text if len(text) <= SHORT else text.lstrip().split("\n", 1)[0][:SHORT]
    found = {intent for intent, pattern in _WORDS.items() if pattern.search(subject)}
    if failure:
        found.add(Intent.FAILURE)
    return frozenset(found)


def _words(latin: str, asian: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{latin})(?![\w-])|{asian}", re.IGNORECASE)


_WORDS: dict[Intent, re.Pattern[str]] = {
    Intent.TEST: _words(
        r"tests?|tested|testing|unit ?tests?|test ?cases?|test suites?|testcases?|specs?|fixtures?|mocks?|benchmarks?",
        "测试|用例|单测|テスト|테스트",
    ),
    Intent.DOCS: _words(
        r"docs?|documentation|documented|readme|tutorials?|guides?|manual|changelog|release notes",
        "文档|说明书|教程|手册|指南|ドキュメント|문서",
    ),
    Intent.EXAMPLE: _words(
        r"examples?|demos?|samples?|usage examples?", "示例|例子|样例|演示|サンプル|예제"
    ),
    Intent.CONFIG: _words(
        r"configs?|configuration|configured|settings?|environment variables?|env vars?|ya?ml|toml|ini file|manifest"
        r"|dependency versions?|ci pipeline|workflow file",
        "配置|设置项|环境变量|設定|설정",
    ),
    Intent.SECURITY: _words(
        r"vulnerabilit(?:y|ies)|vulnerable|injections?|xss|csrf|ssrf|rce|sqli|sanitiz\w+|escap(?:e|ed|ing)|untrusted"
        r"|authoriz\w+|authenticat\w+|permissions?|security|secure|insecure|exploit\w*|path traversal|cve-\d{4}-\d+",
        "漏洞|注入|安全|权限|越权|鉴权|脆弱性|취약점|보안",
    ),
    Intent.FAILURE: _words(
        r"errors?|exceptions?|tracebacks?|stack ?traces?|crash(?:es|ed|ing)?|fail(?:s|ed|ing|ure|ures)?|bugs?|broken"
        r"|panics?|panicked|hangs?|deadlocks?|segfaults?|leaks?|regressions?|wrong|incorrect(?:ly)?|doesn'?t work|not working",
        "报错|异常|错误|崩溃|失败|卡死|死锁|泄漏|不生效|无法|エラー|例外|失敗|오류|예외|실패",
    ),
    Intent.HISTORY: _words(
        r"when was|when did|who (?:added|changed|wrote|introduced|removed)|history|commits?|committed|blame|introduced"
        r"|changed since|recently|last change|regressions?|why was .{1,60} (?:added|changed|removed)",
        "历史|提交记录|谁(?:改|加|写)|什么时候|何时|引入|最近(?:改|修)|履歴|いつ|이력|언제",
    ),
    Intent.VENDORED: _words(
        r"vendored|vendor(?:ed)? code|third[- ]party|bundled (?:copy|library)|node_modules",
        "第三方|内置库|サードパーティ",
    ),
    Intent.GENERATED: _words(
        r"generated (?:code|files?|sources?)|codegen|code generation",
        "生成的代码|自动生成|自動生成",
    ),
}
