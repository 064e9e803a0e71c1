"""An endpoint of our own on the loopback: what is sent, what is believed, what is never told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from grainline.errors import BadInput, ResourceExhausted
from grainline.llm.base import Limits, Message
from grainline.llm.remote import MAX_BYTES, TRIES, Endpoint, Remote
from grainline.llm.scripted import Scripted

KEY = "sk-very-secret"
GOOD = {
    "choices": [{"message": {"content": "hello"}}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 1},
}


class Server(ThreadingHTTPServer):
    """Gives the answers it was told, in their order; the last one again and again."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[tuple[int, dict[str, str], bytes]] = []
        self.requests: list[tuple[str, dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def say(self, status: int, body: object, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        self.answers.append((status, named, data))


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.path, dict(self.headers), body))
        status, headers, data = self.server.answers[0]
        if len(self.server.answers) > 1:
            self.server.answers.pop(0)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Silent."""


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def remote(server: Server, waits: list[float] | None = None, key_env: str = "MY_KEY") -> Remote:
    endpoint = Endpoint(url=server.url, model="tiny", key_env=key_env)
    slept = waits if waits is not None else []
    return Remote(endpoint, environ={"MY_KEY": KEY}, sleep=slept.append)


def ask(model: Remote) -> str:
    return model.complete([Message("user", "hi")], limits=Limits(tokens=5, seconds=10)).text


def test_a_question_is_sent_as_the_protocol_has_it(server):
    server.say(200, GOOD)
    found = remote(server).complete([Message("user", "hi")], limits=Limits(tokens=5), seed=3)
    assert found == ("hello", 7, 1)
    ((path, headers, body),) = server.requests
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert json.loads(body) == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 5,
        "temperature": 0,
        "seed": 3,
    }


def test_no_key_is_sent_where_none_is_named(server):
    server.say(200, GOOD)
    ask(remote(server, key_env=""))
    assert "Authorization" not in server.requests[0][1]


def test_a_busy_endpoint_is_asked_again_when_it_says_so(server):
    waits: list[float] = []
    server.say(429, {}, Retry_After="7")
    server.say(503, {})
    server.say(200, GOOD)
    assert ask(remote(server, waits)) == "hello"
    assert waits == [7.0, 4.0]


@pytest.mark.parametrize("wanted", ["inf", "nan", "-5", "soon", "1e9"])
def test_a_wait_is_bounded_whatever_the_endpoint_asks_for(server, wanted):
    waits: list[float] = []
    server.say(429, {}, Retry_After=wanted)
    server.say(200, GOOD)
    ask(remote(server, waits))
    assert len(waits) == 1
    assert 0 < waits[0] <= 30


def test_an_endpoint_that_stays_busy_is_a_lack_of_resources(server):
    server.say(500, {})
    with pytest.raises(ResourceExhausted, match="500") as caught:
        ask(remote(server))
    assert len(server.requests) == TRIES
    assert caught.value.exit_code == 5


def test_one_that_is_not_there_is_a_lack_of_resources():
    gone = Server()
    gone.server_close()
    with pytest.raises(ResourceExhausted, match="cannot be reached"):
        ask(remote(gone))


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b"[]",
        b"{}",
        {"choices": []},
        {"choices": [{"message": {"content": None}}]},
        {"choices": [{"message": {"content": 3}}]},
        b"\xff\xfe",
        b" " * (MAX_BYTES + 1),
    ],
)
def test_an_answer_that_is_none_is_not_believed(server, body):
    server.say(200, body)
    with pytest.raises(ResourceExhausted, match="cannot be read"):
        ask(remote(server))
    assert len(server.requests) == 1, "asking again would change nothing"


def test_counts_that_make_no_sense_are_not_counted(server):
    server.say(200, {**GOOD, "usage": {"prompt_tokens": -4, "completion_tokens": "many"}})
    assert remote(server).complete([Message("user", "hi")]) == ("hello", 0, 0)


def test_a_key_is_never_told(server):
    server.say(401, {"error": f"no such key {KEY}"})
    with pytest.raises(BadInput, match="401") as caught:
        ask(remote(server))
    assert KEY not in repr(caught.value) + str(caught.value)
    assert KEY not in remote(server).name


def test_a_key_does_not_follow_a_redirect(server):
    other = Server()
    server.say(307, {}, Location=other.url)
    with pytest.raises(BadInput, match="redirects are not followed"):
        ask(remote(server))
    assert not other.requests
    other.server_close()


@pytest.mark.parametrize(
    ("url", "model", "environ", "said"),
    [
        ("ftp://host/v1", "m", {}, "http or https"),
        ("host/v1", "m", {}, "http or https"),
        ("file:///etc/passwd", "m", {}, "http or https"),
        ("https://host/v1", "", {}, "no model"),
        ("https://me:pass@host/v1", "m", {}, "password"),
        ("https://host/v1", "m", {"K": ""}, "not set or empty"),
    ],
)
def test_an_endpoint_that_cannot_be_meant_is_refused(url, model, environ, said):
    endpoint = Endpoint(url=url, model=model, key_env="K" if environ else "")
    with pytest.raises(BadInput, match=said) as caught:
        Remote(endpoint, environ=environ)
    assert "pass@" not in str(caught.value)


def test_a_scripted_model_says_what_it_was_told_and_remembers():
    model = Scripted(str.upper)
    assert (
        model.complete([Message("system", "be loud"), Message("user", "hi you")]).text == "HI YOU"
    )
    assert model.asked[0][1].text == "hi you"
