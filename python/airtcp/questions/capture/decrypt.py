"""Decrypts captures of 802.11 with tshark, for their analysis.

tshark shows decrypted frames but does not write them. airtcp takes the bytes that tshark shows, and
puts them behind the 802.11 headers of a copy of the capture. The analysis then sees a network
without encryption, with all its frames, times and rates. The copy and the keys are in a folder that
only the user can read, and are removed after the analysis. No command line has the keys.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Final, cast

from airtcp import _core
from airtcp.data.plain import printable

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

_KEY: Final = re.compile(r'^"(wep|wpa-pwd|wpa-psk|tk|msk)",".+"$')
_ACCEPTED: Final = '"wpa-pwd","PASSPHRASE:SSID"'
_PANE: Final = re.compile(rb"^Decrypted \w+ data \(\d+ bytes\):")
_INSTALL: Final = (
    "--decrypt-with needs tshark, which was not found; install it (Debian, Ubuntu: apt install "
    "tshark; Fedora: dnf install wireshark-cli; macOS: brew install wireshark)"
)
_ENABLED: Final = ("-n", "-o", "wlan.enable_decryption:TRUE")
_DAMAGE: Final = re.compile("cut short|damaged or corrupt")
_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_TYPE, _DATA, _PROTECTED, _BOTH_WAYS = 0x0C, 0x08, 0x40, 0x03
"""Bits of the frame control field: type, data, protected, to and from the distribution system."""
_RADIO: Final = {105: 0, 127: 1, 192: 1}
"""Link types of 802.11 whose radio header is known: whether it begins with its length."""


@dataclass(frozen=True)
class Decrypted:
    """A decrypted copy of a capture."""

    path: str
    """The copy."""
    name: str
    """The capture."""
    frames: int
    """Frames that were decrypted."""
    protected: int
    """Encrypted data frames of the capture."""
    stopped: bool
    """Whether tshark stopped at damage; what follows is not in the copy."""


@contextmanager
def decrypted(
    files: Sequence[str], keys: Path
) -> Generator[tuple[list[str], list[Decrypted]], None, None]:
    """Decrypt the captures of 802.11 among files.

    Args: files: The captures. keys: A file with keys, as Wireshark stores them in `80211_keys`.

    Yields: The files to analyse in place of the given ones, in their order, and what was decrypted.

    Raises: TraceError: If tshark is not installed or fails, or if the file holds no keys.
    """
    lines = _keys(keys)
    program = shutil.which("tshark")
    if program is None:
        raise _core.TraceError(_INSTALL)
    if "-" in files:
        message = "--decrypt-with reads a capture twice: give a file instead of standard input"
        raise _core.TraceError(message)
    with TemporaryDirectory(prefix="airtcp-", ignore_cleanup_errors=True) as home:
        settings = Path(home, "settings")
        settings.mkdir(mode=0o700)
        stored = settings / "80211_keys"
        stored.touch(mode=0o600)
        stored.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        shark = _Tshark(program, settings)
        found = [
            shark.decrypt(name, Path(home, f"{number}.pcapng")) for number, name in enumerate(files)
        ]
        paths = [
            name if copy is None else copy.path for name, copy in zip(files, found, strict=True)
        ]
        yield paths, [copy for copy in found if copy is not None]


def _keys(path: Path) -> list[str]:
    """Read the keys of a file. An error does not repeat them."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        message = f"--decrypt-with {printable(str(path))}: {reason}"
        raise _core.TraceError(message) from None
    found: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        key = line.strip()
        if not key or key.startswith("#"):
            continue
        if not _KEY.match(key):
            where = f"--decrypt-with {printable(str(path))}: line {number}"
            message = f"{where} is no key; expected lines of Wireshark's 80211_keys, as {_ACCEPTED}"
            raise _core.TraceError(message)
        found.append(key)
    if not found:
        message = f"--decrypt-with {printable(str(path))}: no key; expected lines as {_ACCEPTED}"
        raise _core.TraceError(message)
    return found


@dataclass(frozen=True)
class _Tshark:
    """tshark with settings of its own."""

    program: str
    settings: Path
    damaged: set[str] = field(default_factory=set[str])
    """Captures at whose damage it stopped."""

    @contextmanager
    def _output(self, name: str, *arguments: str) -> Generator[IO[bytes], None, None]:
        """Run tshark on a capture; its output.

        Raises: TraceError: If it fails.
        """
        command = [self.program, "-r", str(Path(name).absolute()), *_ENABLED, *arguments]
        environment = os.environ | {"WIRESHARK_CONFIG_DIR": str(self.settings)}
        log = self.settings / f"log{arguments[0]}"
        with (
            log.open("wb") as errors,
            subprocess.Popen(  # noqa: S603, the program is tshark, and no shell reads the arguments
                command, stdout=subprocess.PIPE, stderr=errors, env=environment
            ) as process,
        ):
            yield cast("IO[bytes]", process.stdout)
        if process.returncode:
            said = log.read_text("utf-8", "replace").strip().splitlines() or ["no message"]
            if _DAMAGE.search(said[-1]):
                self.damaged.add(name)
                return
            message = f"{printable(name)}: tshark: {printable(said[-1].removeprefix('tshark: '))}"
            raise _core.TraceError(message)

    def decrypt(self, name: str, copy: Path) -> Decrypted | None:
        """Write a decrypted copy of a capture. None if no frame of it is of 802.11."""
        shown = ("-Y", "wlan.fc.protected == 1 && llc && !(radiotap.flags.datapad == 1)")
        columns = ("-P", "-x", "-o", 'gui.column.format:"N","%m"')
        with ExitStack() as stack:
            # The first call also tells whether tshark can read the file.
            blocks = _blocks(stack.enter_context(self._output(name, "-F", "pcapng", "-w", "-")))
            plain = _plain(stack.enter_context(self._output(name, *shown, *columns)))
            with copy.open("wb") as out:
                found = _merge(blocks, plain, out)
        if found is None:
            return None
        frames, protected = found
        shown_name = os.fsencode(name).decode("utf-8", "replace")
        return Decrypted(str(copy), shown_name, frames, protected, name in self.damaged)


def _plain(output: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield numbers and decrypted bodies of frames, as tshark prints them."""
    number, body = 0, bytearray()
    is_body = False
    for line in output:
        text = line.strip()
        if text.isdigit():
            if body:
                yield number, bytes(body)
            number, body, is_body = int(text), bytearray(), False
        elif text.endswith(b"bytes):"):
            is_body = not body and _PANE.match(line) is not None
        elif is_body and text:
            # Offset, two blanks, and 16 bytes in hexadecimal.
            body += bytes.fromhex(line[6:54].decode("ascii", "replace"))
    if body:
        yield number, bytes(body)


def _blocks(output: IO[bytes]) -> Iterator[bytearray]:
    """Yield the blocks of a pcapng file."""
    order = "<"
    while len(head := output.read(8)) == len(b"12345678"):
        rest = b""
        if head[:4] == _SECTION.to_bytes(4, "little"):
            rest = output.read(4)
            order = "<" if rest == b"\x4d\x3c\x2b\x1a" else ">"
        (length,) = struct.unpack(f"{order}I", head[4:])
        yield bytearray(head + rest + output.read(length - len(head) - len(rest)))


def _merge(
    blocks: Iterator[bytearray], plain: Iterator[tuple[int, bytes]], out: IO[bytes]
) -> tuple[int, int] | None:
    """Write blocks with decrypted bodies; frames that were decrypted and that were encrypted.

    None if no interface is of 802.11.
    """
    order = "<"
    links: dict[int, int] = {}
    number = frames = protected = 0
    waiting = next(plain, None)
    for found in blocks:
        block = found
        kind = int.from_bytes(block[:4], "little" if order == "<" else "big")
        if bytes(block[:4]) == _SECTION.to_bytes(4, "little"):
            order = "<" if bytes(block[8:12]) == b"\x4d\x3c\x2b\x1a" else ">"
            links = {}
        elif kind == _INTERFACE:
            links[len(links)] = int.from_bytes(block[8:10], "little" if order == "<" else "big")
        elif kind == _PACKET:
            number += 1
            interface, captured = struct.unpack_from(f"{order}I8xI", block, 8)
            frame = bytes(block[28 : 28 + captured])
            start = _header(frame, links.get(interface, -1))
            is_protected = start is not None and _is_protected(frame, start)
            protected += is_protected
            if waiting is not None and waiting[0] == number:
                if start is not None and is_protected:
                    frames += 1
                    block = _packet(block, order, _without_encryption(frame, start, waiting[1]))
                waiting = next(plain, None)
        out.write(block)
    # What tshark still prints has no place; its output must be read to the end all the same.
    for _ in plain:
        pass
    return (frames, protected) if any(link in _RADIO for link in links.values()) else None


def _header(frame: bytes, link: int) -> int | None:
    """Return the place of the 802.11 header, if there is one."""
    if link not in _RADIO:
        return None
    start = int.from_bytes(frame[2:4], "little") if _RADIO[link] else 0
    return start if len(frame) >= start + 24 else None


def _is_protected(frame: bytes, start: int) -> bool:
    """Return whether a frame is data with a body that is encrypted."""
    return frame[start] & _TYPE == _DATA and frame[start + 1] & _PROTECTED != 0


def _without_encryption(frame: bytes, start: int, body: bytes) -> bytes:
    """Put a decrypted body behind the headers of a frame."""
    control, flags = frame[start], frame[start + 1]
    length = 24 + (6 if flags & _BOTH_WAYS == _BOTH_WAYS else 0)
    if control & 0x80:
        length += 6 if flags & 0x80 else 2
    header = bytearray(frame[: start + length])
    header[start + 1] &= ~_PROTECTED
    return bytes(header) + body


def _packet(block: bytearray, order: str, frame: bytes) -> bytearray:
    """Return a packet's block with other bytes; its length on the wire stays."""
    padded = frame + bytes(-len(frame) % 4)
    length = 32 + len(padded)
    head = bytearray(block[:28])
    struct.pack_into(f"{order}I", head, 4, length)
    struct.pack_into(f"{order}I", head, 20, len(frame))
    return head + padded + struct.pack(f"{order}I", length)
