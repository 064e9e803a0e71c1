"""Whether a program passes its tests: both run in a process of their own, which is ended at will.

Only programs that come with the lab are run, with what a writer wrote put into them. The process
starts without site packages (`-I -S`) in an empty folder, gets files and tests through its standard
input and imports them from memory. It limits its memory and time before it imports anything, can
write no file, and an audit hook refuses processes, sockets, foreign code and files outside of
Python's own library. That stops mistakes; it is no sandbox for somebody who means harm.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from grainline.indexing.workers import ENVIRONMENT, LAST_WORDS

ADDRESS_SPACE = 1 << 30  # bytes
CPU_SECONDS = 10
WALL_SECONDS = 30.0  # a net for what waits for nothing

# The whole command line program of the process.
BOOT = r"""
import resource, sys
def limit(kind, most):
    hard = resource.getrlimit(kind)[1]
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(kind, (most, most))
for kind, most in ((resource.RLIMIT_AS, int(sys.argv[1])), (resource.RLIMIT_CPU, int(sys.argv[2])),
                   (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_NOFILE, 32),
                   (resource.RLIMIT_NPROC, 0)):
    try:
        limit(kind, most)
    except (ValueError, OSError):
        pass  # macOS refuses some
import importlib.machinery, importlib.util, json, os
asked = json.loads(sys.stdin.buffer.read())
files, tests, word = asked["files"], asked["tests"], asked["word"]
own = [os.path.realpath(each) for each in {sys.prefix, sys.base_prefix, sys.base_exec_prefix, *sys.path} if each]
REFUSED = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.startfile", "os.remove", "os.rename",
           "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.kill", "os.utime",
           "os.setxattr", "os.removexattr", "subprocess.", "shutil.", "tempfile.", "socket.", "ctypes.", "pty.",
           "mmap.", "fcntl.", "resource.setrlimit", "resource.prlimit", "signal.", "syslog.", "webbrowser.")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
def refuse(event, found):
    if event.startswith(REFUSED):
        raise PermissionError(event)
    if event == "import" and found[0].partition(".")[0] in ("_ctypes", "ctypes", "_posixsubprocess"):
        raise PermissionError(event)
    if event == "sqlite3.connect" and found[0] != ":memory:":
        raise PermissionError(event)
    if event == "open" and not isinstance(found[0], int):
        place = os.path.realpath(os.fsdecode(found[0]))
        if found[2] & WRITING or not any(place.startswith(each + os.sep) for each in own):
            raise PermissionError(event)
class Memory:
    def find_spec(self, name, path=None, target=None):
        place = name.replace(".", "/")
        if place + ".py" in files:
            return importlib.util.spec_from_loader(name, self, origin=place + ".py")
        if any(each.startswith(place + "/") for each in files):
            found = importlib.machinery.ModuleSpec(name, None, is_package=True)
            found.submodule_search_locations = [place]
            return found
        return None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(compile(files[module.__spec__.origin], module.__spec__.origin, "exec"), module.__dict__)
import hashlib, hmac, secrets, sqlite3, traceback  # what loads libraries, before the hook
sys.meta_path.insert(0, Memory())
sys.addaudithook(refuse)
try:
    space = {"__name__": "tests"}
    exec(compile(tests, "tests", "exec"), space)
    for name, test in list(space.items()):
        if name.startswith("test_"):
            test()
except BaseException:
    sys.stdout.write(traceback.format_exc(limit=-3))
else:
    sys.stdout.write(word)
sys.stdout.flush()
os._exit(0)
"""


class Verdict(NamedTuple):
    """What became of the tests; `said` is what the process said last when they failed."""

    passed: bool
    said: str = ""


def passes(
    files: Mapping[bytes, bytes], tests: str, *, cpu: int = CPU_SECONDS, wall: float = WALL_SECONDS
) -> Verdict:
    """Whether every function `test_...` of `tests` returns, with `files` to be imported.

    A test may put fakes of packages into `sys.modules`. Equal programs are run once.
    """
    program = tuple(sorted((path.decode(), data.decode()) for path, data in files.items()))
    return _passes(program, tests, cpu, wall)


@lru_cache(maxsize=4096)
def _passes(files: tuple[tuple[str, str], ...], tests: str, cpu: int, wall: float) -> Verdict:
    word = secrets.token_hex(16)  # a program that ends early cannot say it
    asked = json.dumps({"files": dict(files), "tests": tests, "word": word}).encode()
    command = (sys.executable, "-I", "-S", "-c", BOOT, str(ADDRESS_SPACE), str(cpu))
    with (
        tempfile.TemporaryDirectory(prefix="grainline-lab-") as folder,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=ENVIRONMENT,
            start_new_session=True,
        ) as process,
    ):
        try:
            out, _ = process.communicate(asked, timeout=wall)
        except subprocess.TimeoutExpired:
            return Verdict(False, f"it took more than {wall:g} s")
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
    said = out.decode("utf-8", "replace")
    if said.endswith(word):
        return Verdict(True)
    return Verdict(False, said[-LAST_WORDS:] or f"it ended with {process.returncode}")
