"""Intent words: what a question wants beside its subject; English, Chinese, Japanese, Korean."""

from __future__ import annotations

import re
from enum import StrEnum

from grainline.text.lazy import lazy_pattern


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
    DATA = "data"


SHORT = 240
"""Characters up to which every line of a question is searched for intent words. In a longer one (an
issue) "test" or "config" is mostly narrative, so only its title counts."""


def find_intents(text: str, *, failure: bool) -> frozenset[Intent]:
    """The intents of `text`; `failure` says that a trace or an error code stands in the question."""
    subject = text if len(text) <= SHORT else text.lstrip().split("\n", 1)[0][:SHORT]
    ascii_only = subject.isascii()
    found = {
        intent
        for intent, (latin, asian) in _WORDS.items()
        if latin.search(subject) or (not ascii_only and asian.search(subject))
    }
    if failure:
        found.add(Intent.FAILURE)
    return frozenset(found)


def _words(latin: str, asian: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Two patterns; the second one matches nothing in ASCII."""
    whole = rf"(?<![\w-])(?:{latin})(?![\w-])"
    return lazy_pattern(whole, re.IGNORECASE), lazy_pattern(asian, re.IGNORECASE)


_WORDS: dict[Intent, tuple[re.Pattern[str], re.Pattern[str]]] = {
    Intent.TEST: _words(
        r"tests?|tested|testing|unit ?tests?|test ?cases?|test suites?|testcases?|specs?|fixtures?|mocks?|benchmarks?",
        "测试|用例|单测|測試|テスト|フィクスチャ|테스트|픽스처",
    ),
    Intent.DOCS: _words(
        r"docs?|documentation|documented|readme|tutorials?|guides?|manual|changelog|release notes",
        "文档|说明书|教程|手册|指南|說明書|說明文件|手冊|教學文件|ドキュメント|説明書|マニュアル|チュートリアル"
        "|ガイド|リファレンス|문서|설명서|튜토리얼|가이드|매뉴얼",
    ),
    Intent.EXAMPLE: _words(
        r"examples?|demos?|samples?|usage examples?",
        "示例|例子|样例|演示|範例|範本|サンプル|使用例|実例|デモ|예제|예시|샘플|데모",
    ),
    Intent.CONFIG: _words(
        r"configs?|configuration|configured|settings?|environment variables?|env vars?|ya?ml|toml|ini file|manifest"
        r"|dependency versions?|ci pipeline|workflow file",
        "配置|设置项|环境变量|環境變數|組態|設定|環境変数|コンフィグ|설정|환경 ?변수|구성 ?파일",
    ),
    Intent.SECURITY: _words(
        r"vulnerabilit(?:y|ies)|vulnerable|injections?|xss|csrf|ssrf|rce|sqli|sanitiz\w+|escap(?:e|ed|ing)|untrusted"
        r"|authoriz\w+|authenticat\w+|permissions?|security|secure|insecure|exploit\w*|path traversal|cve-\d{4}-\d+",
        "漏洞|注入|安全|权限|越权|鉴权|授权|權限|授權|認證|脆弱性|セキュリティ|権限|認可|認証|インジェクション"
        "|취약점|보안|권한|인증(?!서)|인젝션",
    ),
    Intent.FAILURE: _words(
        r"errors?|exceptions?|tracebacks?|stack ?traces?|crash(?:es|ed|ing)?|fail(?:s|ed|ing|ure|ures)?|bugs?|broken"
        r"|panics?|panicked|hangs?|deadlocks?|segfaults?|leaks?|regressions?|wrong|incorrect(?:ly)?|doesn'?t work|not working",
        "报错|异常|错误|崩溃|失败|卡死|死锁|泄漏|不生效|无法|報錯|異常|錯誤|當掉|死結|洩漏|無法|エラー|例外|失敗|バグ"
        "|クラッシュ|デッドロック|リーク|不具合|動かない|動作しない|오류|예외|실패|에러|버그|크래시|교착|누수|작동하지 ?않|동작하지 ?않",
    ),
    Intent.HISTORY: _words(
        r"when was|when did|who (?:added|changed|wrote|introduced|removed)|history|commits?|committed|blame|introduced"
        r"|changed since|recently|last change|regressions?|why was .{1,60} (?:added|changed|removed)",
        "历史|提交记录|谁(?:改|加|写)|什么时候|何时|引入|最近(?:改|修)|歷史|提交紀錄|誰(?:改|加|寫)|履歴|いつ(?!も|か|でも)"
        "|誰が|이력|언제|누가|커밋 ?기록",
    ),
    Intent.VENDORED: _words(
        r"vendored|vendor(?:ed)? code|third[- ]party|bundled (?:copy|library)|node_modules",
        "第三方|内置库|サードパーティ|外部ライブラリ|서드 ?파티|외부 ?라이브러리",
    ),
    Intent.GENERATED: _words(
        r"generated (?:code|files?|sources?)|codegen|code generation",
        "生成的代码|自动生成|自動生成|自動產生|生成されたコード|자동 ?생성|생성된 ?코드",
    ),
    Intent.DATA: _words(
        r"(?:json|xml|csv|tsv|svg|txt|text|data|resource|layout|locale|translation) files?|datasets?|drawables?|layouts?|manifest"
        r"|translations?|translated (?:strings?|texts?|messages?)|string resources?",
        "数据文件|资源文件|布局|翻译|清单文件|資料檔|資源檔|版面|翻譯|データファイル|リソース|レイアウト|翻訳|데이터 ?파일|리소스|레이아웃|번역",
    ),
}
