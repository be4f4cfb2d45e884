"""The extension module: documents as JSON text, tables as Arrow. Mirrors `crates/py/src/lib.rs`."""

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, Self, TypeAlias, final

_Path: TypeAlias = str | os.PathLike[str]
_Progress: TypeAlias = Callable[[int, int, str], object]

class _Watch(Protocol):
    """What is told of replications with laws."""

    def begins(self) -> None: ...
    def ends(self) -> None: ...

class _Crew(Protocol):
    """This process among others that share jobs: it leads, or follows (`airtcp.laws.crew`)."""

class AirtcpError(Exception):
    """An input or option that airtcp refuses."""

class ScenarioError(AirtcpError):
    """A scenario that cannot be run."""

class LawError(AirtcpError):
    """A congestion law that cannot be loaded, or that failed in a run."""

    result: Any | None
    """What was finished before, as the call returns it; `None` if nothing was."""
    kept: Any | None
    job: int | None

class TraceError(AirtcpError):
    """A trace that cannot be read or made."""

@final
class Table:
    """An immutable table of typed columns with the Arrow PyCapsule interface."""

    @property
    def column_names(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class CoreResult:
    """The result of a call."""

    @property
    def seed(self) -> int | None: ...
    @property
    def interrupted(self) -> bool: ...
    def json(self) -> str: ...
    def table_names(self) -> list[str]: ...
    def table(self, name: str) -> Table: ...

@final
class RunResult(CoreResult):
    """The result of a run, with what was recorded."""

    @property
    def recorded(self) -> bool: ...
    @property
    def lost(self) -> list[tuple[str, str]]: ...
    def timeline(self) -> tuple[float, float, bool] | None: ...

@final
class Kept:
    """Results that outlive a call.

    A comparison without a law that failed takes those of the others.
    """

    def __new__(cls) -> Kept: ...
    def __len__(self) -> int: ...

@final
class Points:
    """A scenario that runs at many points."""

    def __new__(
        cls,
        text: str,
        name: str,
        folder: _Path,
        measures: Sequence[str],
        laws: Laws | None = None,
    ) -> Points: ...
    def read(self, values: Sequence[tuple[str, str]]) -> None: ...
    def plan(self, values: Sequence[tuple[str, str]]) -> None: ...
    def point(self) -> Point: ...

@final
class Point:
    """A point, and its finished replications."""

    def run(
        self, values: Sequence[tuple[str, str]]
    ) -> tuple[int, list[tuple[str, str, list[float | None]]]]: ...

@final
class CaptureResult(CoreResult):
    """The result of an analysis of captures."""

    @property
    def counts(self) -> tuple[int, int, int]: ...
    def write_json(
        self, write: Callable[[str], object], connections: int | None = None
    ) -> None: ...
    def bottleneck(self, connection: int, sender: str, told: str) -> str: ...

_Kind: TypeAlias = Literal["fast-retransmit", "rto", "ecn", "persistent"]

@final
class Ack:
    """An acknowledgement, and the state of the sender after it. Sizes in bytes, times in s."""

    def __new__(
        cls,
        acked: int = 0,
        *,
        delivered: int | None = None,
        lost: int = 0,
        pipe: int = 0,
        prior_pipe: int = 0,
        total_delivered: int = 0,
        total_lost: int = 0,
        acked_up_to: int = 0,
        sent_up_to: int = 0,
        rtt: float | None = None,
        srtt: float | None = None,
        min_rtt: float | None = None,
        rate: Rate | None = None,
        cwnd_limited: bool = True,
        in_fast_recovery: bool = False,
        ends_recovery: bool = False,
        in_recovery: bool = False,
        ece: bool = False,
        marked: int = 0,
    ) -> Ack: ...
    @property
    def acked(self) -> int:
        """Bytes newly acknowledged cumulatively; 0 for a duplicate."""
    @property
    def delivered(self) -> int:
        """Bytes that the ACK is the first to acknowledge or SACK."""
    @property
    def lost(self) -> int:
        """Bytes newly judged lost."""
    @property
    def pipe(self) -> int:
        """Data in the network after this ACK (RFC 6675)."""
    @property
    def prior_pipe(self) -> int:
        """Data in the network before this ACK."""
    @property
    def total_delivered(self) -> int:
        """Bytes that the connection has delivered in total."""
    @property
    def total_lost(self) -> int:
        """Bytes that the connection has judged lost in total."""
    @property
    def acked_up_to(self) -> int:
        """Stream offset up to which everything is acknowledged."""
    @property
    def sent_up_to(self) -> int:
        """Stream offset up to which data was sent."""
    @property
    def rtt(self) -> float | None:
        """Round-trip time of the ACK; None if all it acknowledges was sent again."""
    @property
    def srtt(self) -> float | None:
        """Smoothed round-trip time (RFC 6298)."""
    @property
    def min_rtt(self) -> float | None:
        """Smallest round-trip time of the connection."""
    @property
    def rate(self) -> Rate | None:
        """Delivery rate, if the ACK has a valid sample."""
    @property
    def cwnd_limited(self) -> bool:
        """Whether the window limited sending. If not, it must not grow."""
    @property
    def in_fast_recovery(self) -> bool:
        """Whether the recovery sets the window, on the ACK that ends it too."""
    @property
    def ends_recovery(self) -> bool:
        """Whether the ACK ends a fast recovery."""
    @property
    def in_recovery(self) -> bool:
        """Whether the sender is still repairing losses."""
    @property
    def ece(self) -> bool:
        """Whether the ACK echoes a congestion mark: the window must not grow."""
    @property
    def marked(self) -> int:
        """Bytes newly reported as marked, with accurate ECN feedback (`accecn`); otherwise 0."""

@final
class Rate:
    """Delivery rate over about one round trip."""

    def __new__(
        cls,
        delivered: int,
        interval: float,
        *,
        prior_delivered: int = 0,
        app_limited: bool = False,
        tx_in_flight: int = 0,
        lost: int = 0,
    ) -> Rate: ...
    @property
    def bps(self) -> int | None:
        """The rate in b/s."""
    @property
    def delivered(self) -> int:
        """Bytes delivered in the interval."""
    @property
    def interval(self) -> float:
        """Length of the interval, s."""
    @property
    def prior_delivered(self) -> int:
        """Bytes that the connection had delivered when the interval began."""
    @property
    def app_limited(self) -> bool:
        """Whether the sender ran out of data in the interval."""
    @property
    def tx_in_flight(self) -> int:
        """Data in the network just after the acknowledged segment left."""
    @property
    def lost(self) -> int:
        """Bytes judged lost between then and now."""

@final
class Sent:
    """A data segment that left."""

    def __new__(cls, bytes: int, *, pipe: int = 0, retransmission: bool = False) -> Sent: ...  # noqa: A002
    @property
    def bytes(self) -> int:
        """Payload."""
    @property
    def pipe(self) -> int:
        """Data in the network including the segment."""
    @property
    def retransmission(self) -> bool:
        """Whether the segment was sent before."""

@final
class Lost:
    """A segment that was judged lost."""

    def __new__(
        cls,
        bytes: int,  # noqa: A002
        *,
        start: int = 0,
        tx_in_flight: int = 0,
        lost: int = 0,
        app_limited: bool = False,
        total_delivered: int = 0,
    ) -> Lost: ...
    @property
    def start(self) -> int:
        """Stream offset of its first byte."""
    @property
    def bytes(self) -> int:
        """Its sequence space."""
    @property
    def tx_in_flight(self) -> int:
        """Data in the network just after it left."""
    @property
    def lost(self) -> int:
        """Bytes judged lost since it left, itself included."""
    @property
    def app_limited(self) -> bool:
        """Whether it left after the sender had run out of data."""
    @property
    def total_delivered(self) -> int:
        """Bytes that the connection has delivered in total."""

@final
class Congestion:
    """A congestion episode."""

    def __new__(cls, kind: _Kind, flight: int, *, restart: bool = False) -> Congestion: ...
    @property
    def kind(self) -> _Kind:
        """Its cause."""
    @property
    def flight(self) -> int:
        """Outstanding data (FlightSize), bytes."""
    @property
    def restart(self) -> bool:
        """Whether the window restarts at one segment (Tahoe)."""

@final
class Idle:
    """The end of a pause."""

    def __new__(
        cls, idle: float, *, rto: float = 1.0, restart: bool = True, app_limited: bool = True
    ) -> Idle: ...
    @property
    def idle(self) -> float:
        """Time since the last data segment left, s."""
    @property
    def rto(self) -> float:
        """Present retransmission timeout, s."""
    @property
    def restart(self) -> bool:
        """Whether to restart from the initial window after a pause longer than that."""
    @property
    def app_limited(self) -> bool:
        """Whether the application had nothing to send."""

@final
class Params:
    """Parameters of a law at the start of a connection."""

    def __new__(
        cls,
        mss: int = 1000,
        initial_window: int = 10_000,
        *,
        initial_ssthresh: int | None = None,
        max_cwnd: int | None = None,
        abc_limit: int = 1,
        half_of_cwnd: bool = False,
        ssthresh_in_segments: bool = False,
        selective_acks: bool = True,
        srtt: float | None = None,
        seed: int = 1,
        paced: bool = False,
        slow_start: str = "standard",
        rules: str = "documents",
    ) -> Params: ...
    @property
    def mss(self) -> int:
        """Largest payload of a segment."""
    @property
    def initial_window(self) -> int:
        """Initial window."""
    @property
    def initial_ssthresh(self) -> int | None:
        """Initial threshold; None for none."""
    @property
    def max_cwnd(self) -> int | None:
        """Upper bound of the window; None for none."""
    @property
    def abc_limit(self) -> int:
        """Growth per ACK in slow start at most, segments."""
    @property
    def half_of_cwnd(self) -> bool:
        """Whether half of the window, not of FlightSize, is the threshold."""
    @property
    def ssthresh_in_segments(self) -> bool:
        """Whether the threshold is rounded down to segments."""
    @property
    def selective_acks(self) -> bool:
        """Whether SACK reports losses."""
    @property
    def srtt(self) -> float | None:
        """Smoothed round-trip time of the handshake."""
    @property
    def seed(self) -> int:
        """Seed of the law's random numbers."""
    @property
    def paced(self) -> bool:
        """Whether segments are paced without the law's asking."""
    @property
    def slow_start(self) -> str:
        """Which slow start."""
    @property
    def rules(self) -> str:
        """Rules: documents or linux."""

@final
class Random:
    """Random numbers of a law, which its connection's seed decides."""

    def random(self) -> float:
        """Uniform from 0 to below 1."""
    def uniform(self, low: float, high: float) -> float:
        """Uniform between two numbers."""
    def below(self, n: int) -> int:
        """A whole number from 0 to below `n`."""
    def exponential(self, mean: float) -> float:
        """Exponential with this mean."""
    def chance(self, p: float) -> bool:
        """True with probability `p`."""

@final
class Promises:
    """How a law differs from RFC 5681, for the conformance suite."""

    def __new__(
        cls,
        *,
        least_segments: int = 1,
        reduces_on_loss: bool = True,
        bounded_by_window: bool = True,
        restarts_on_timeout: bool = True,
        has_threshold: bool = True,
        grows_only_when_limited: bool = True,
        steady_in_recovery: bool = True,
    ) -> Promises: ...

class LawBase:
    """The base of a law: it owns window and threshold."""

    def __new__(cls, *args: object, **keys: object) -> Self: ...
    @property
    def cwnd(self) -> float:
        """Congestion window, bytes. Rounded down to whole bytes, and kept within its bounds."""
    @cwnd.setter
    def cwnd(self, value: float) -> None: ...
    @property
    def ssthresh(self) -> float:
        """Slow-start threshold, bytes; infinite while nothing has set it."""
    @ssthresh.setter
    def ssthresh(self, value: float) -> None: ...
    @property
    def pacing_rate(self) -> float | None:
        """Rate at which segments should leave, b/s; None if the window alone governs sending."""
    @pacing_rate.setter
    def pacing_rate(self, value: float | None) -> None: ...
    @property
    def bandwidth(self) -> float | None:
        """The law's estimate of the rate of the path, b/s, for the time series."""
    @bandwidth.setter
    def bandwidth(self, value: float | None) -> None: ...
    @property
    def send_quantum(self) -> float | None:
        """Bytes that leave in one burst under pacing."""
    @send_quantum.setter
    def send_quantum(self, value: float | None) -> None: ...
    @property
    def state(self) -> str:
        """A word for the state of the law, for the time series; None for the base's."""
    @state.setter
    def state(self, word: str | None) -> None: ...
    @property
    def mss(self) -> int:
        """Largest payload of a segment, bytes."""
    @property
    def now(self) -> float:
        """Time since the start of the run, s."""
    @property
    def params(self) -> Params:
        """The parameters of the connection."""
    @property
    def seed(self) -> int:
        """Seed of the connection's random numbers."""
    @property
    def random(self) -> Random:
        """Random numbers, the only ones that a law may use."""
    @property
    def bounded(self) -> int:
        """Windows that were set below a segment or above the largest, and bounded."""
    def begin(self, params: Params) -> None:
        """Begin with these parameters, as a sender does before it calls `start`: for tests."""
    def at(self, seconds: float) -> None:
        """Move the law to a time, as a sender does before each call: for tests."""
    def grow(self, size: float) -> None:
        """Raise the window, and carry fractions of a byte."""
    def slow_start(self, ack: Ack) -> bool:
        """Take an ACK in slow start; return whether the window is below the threshold."""
    def may_grow(self, ack: Ack) -> bool:
        """Whether the window may grow on an ACK."""
    def recovering(self, ack: Ack) -> bool:
        """Whether the recovery sets the window on this ACK."""
    def additive(self, ack: Ack) -> None:
        """Grow by a segment per round trip, as Reno."""
    def reduce(self, congestion: Congestion, size: float) -> None:
        """React to an episode that leaves a window of `size` bytes."""
    def start(self, params: Params) -> None:
        """A connection begins. The object is new for each start."""
    def on_sent(self, sent: Sent) -> None:
        """A data segment left."""
    def on_lost(self, lost: Lost) -> None:
        """A segment was judged lost."""
    def on_ack(self, ack: Ack) -> None:
        """An acknowledgement came: slow start, then `avoid`."""
    def avoid(self, ack: Ack) -> None:
        """Grow the window above the threshold; called only when it may grow."""
    def on_congestion(self, c: Congestion) -> None:
        """A congestion episode began: `reduced` says what it leaves of the window."""
    def reduced(self, c: Congestion) -> float:
        """Return the window after an episode, bytes."""
    def on_spurious(self) -> bool | None:
        """The last reaction was unnecessary; return whether it was reverted."""
    def on_idle(self, idle: Idle) -> bool | None:
        """Sending starts again; return whether the window was restarted."""
    def limit_cwnd(self, size: int) -> None:
        """Lower the window to at most `size` bytes."""
    def raise_ssthresh(self, size: int) -> None:
        """Raise the threshold to at least `size` bytes."""

@final
class Library:
    """A law of a shared library."""

    def __new__(cls, path: str) -> Library: ...
    @staticmethod
    def compiled(
        name: str, about: str, keys: str, flags: int, addresses: dict[str, int]
    ) -> Library: ...
    @property
    def name(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def keys(self) -> list[tuple[str, float]]: ...

_KeyValue: TypeAlias = bool | int | float | str

@final
class Laws:
    """The laws of a call: name, class or library, file and hash, defaults of the keys."""

    def __new__(
        cls,
        laws: Sequence[tuple[str, type[LawBase] | Library, str, str, dict[str, _KeyValue]]],
        watch: _Watch | None = None,
        limit_s: float | None = None,
    ) -> Laws: ...

def last_words_to(path: str) -> None: ...
def check_law(laws: Laws, cases: int, calls: int, seed: int) -> tuple[str, list[str]] | None: ...
def law_header() -> str: ...
def law_functions() -> dict[str, int]: ...
def cbrt(x: float) -> float: ...
def exp(x: float) -> float: ...
def log(x: float) -> float: ...
def pow(x: float, y: float) -> float: ...  # noqa: A001 - its name in mathematics

class LiveCapture:
    """A capture that is analysed while it is written."""

    def __init__(self, path: _Path, name: str, options: str) -> None: ...
    def wait(self, seconds: float) -> bool: ...
    def so_far(self) -> CaptureResult: ...
    def finish(self) -> CaptureResult: ...

def version() -> str: ...
def text_kind(name: str, start: bytes) -> tuple[str, bool] | None: ...
def quiet_panics() -> None: ...
def first_panic() -> str | None: ...
def registry(family: str | None = None) -> str: ...
def schema(kind: str) -> str: ...
def mean_interval(
    values: Sequence[float], weights: Sequence[float] | None = None
) -> tuple[float, float] | None: ...
def study(
    paths: Sequence[_Path], options: str, progress: _Progress | None = None
) -> CoreResult: ...
def compare(
    paths: Sequence[_Path],
    options: str,
    progress: _Progress | None = None,
    laws: Laws | None = None,
    crew: _Crew | None = None,
    kept: Kept | None = None,
) -> CoreResult: ...
def compare_schemes(
    options: str,
    progress: _Progress | None = None,
    laws: Laws | None = None,
    crew: _Crew | None = None,
) -> CoreResult: ...
def run(
    text: str,
    name: str,
    options: str,
    progress: _Progress | None = None,
    laws: Laws | None = None,
    crew: _Crew | None = None,
) -> RunResult: ...
def stopping() -> bool: ...
def parsable(text: str, name: str) -> None: ...
def warnings(text: str, name: str, options: str, laws: Laws | None = None) -> list[str]: ...
def fit_throughput(request: str, progress: _Progress | None = None) -> str: ...
def binary_kind(start: bytes) -> tuple[str, str] | None: ...
def capture(
    paths: Sequence[_Path], options: str, progress: _Progress | None = None
) -> CaptureResult: ...
def trace_stats(paths: Sequence[_Path], options: str, progress: _Progress | None = None) -> str: ...
def trace_models(
    paths: Sequence[_Path], options: str, progress: _Progress | None = None
) -> str: ...
def trace_synth(spec: str) -> str: ...
def trace_convert(
    paths: Sequence[_Path],
    folder: _Path,
    single: str | None,
    options: str,
    progress: _Progress | None = None,
) -> tuple[list[str | os.PathLike[str]], bool, list[tuple[str, list[str]]]]: ...
