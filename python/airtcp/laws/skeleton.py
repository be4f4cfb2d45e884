"""The frame of a kernel's congestion control for a law of one's own.

Linux takes a congestion control written in eBPF (`struct_ops` of `tcp_congestion_ops`, since 5.6).
The frame has one function for each method that the law overrides, with the law's text in it as a
comment and the names of the kernel beside those of airtcp. Translation stays with the author: the
kernel has no floating point, and its window is in packets.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Final

from airtcp._core import LawBase
from airtcp.laws.check import METHODS, keys_of

if TYPE_CHECKING:
    from airtcp.laws.base import Law

_GROWTH: Final = """if (!tcp_is_cwnd_limited(sk)) return;
\tif (tcp_in_slow_start(tp)) {
\t\tacked = tcp_slow_start(tp, acked);
\t\tif (!acked) return;
\t}
\t"""
_CONTROL: Final = """void BPF_PROG({name}_cong_control, struct sock *sk, __u32 ack, int flag,
\t      const struct rate_sample *rs)"""
_TITLE: Final = """// SPDX-License-Identifier: GPL-2.0
/* The frame of {} as a congestion control of Linux.
 * What is to be translated stands in comments. */"""
_HOOKS: Final[dict[str, tuple[str, str, str]]] = {
    "start": ("init", "void BPF_PROG({name}_init, struct sock *sk)", ""),
    "avoid": (
        "cong_avoid",
        "void BPF_PROG({name}_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)",
        _GROWTH,
    ),
    "reduced": ("ssthresh", "__u32 BPF_PROG({name}_ssthresh, struct sock *sk)", ""),
    "on_ack": ("cong_control", _CONTROL, ""),
    "on_congestion": (
        "set_state",
        "void BPF_PROG({name}_set_state, struct sock *sk, __u8 new_state)",
        "",
    ),
    "on_spurious": ("undo_cwnd", "__u32 BPF_PROG({name}_undo_cwnd, struct sock *sk)", ""),
    "on_idle": (
        "cwnd_event",
        "void BPF_PROG({name}_cwnd_event, struct sock *sk, enum tcp_ca_event event)",
        "if (event != CA_EVENT_TX_START) return;\n\t",
    ),
}
"""Hook of the kernel, its declaration, and what comes first in it, by method."""
_NO_HOOK: Final = {
    "on_sent": "no hook is called for each segment that leaves",
    "on_lost": "no hook is called for each lost segment; rs->losses counts them in cong_control",
    "limit_cwnd": "the kernel limits the window itself",
    "raise_ssthresh": "the kernel sets the threshold itself",
}
FIELDS: Final = (
    ("self.cwnd / self.mss", "tp->snd_cwnd", "packets"),
    ("self.ssthresh / self.mss", "tp->snd_ssthresh", "packets"),
    ("self.mss", "tp->mss_cache", "bytes"),
    ("self.pacing_rate / 8", "sk->sk_pacing_rate", "bytes per second"),
    ("self.now", "bpf_ktime_get_ns()", "ns"),
    ("ack.acked / self.mss", "acked", "packets"),
    ("ack.delivered / self.mss", "rs->acked_sacked", "packets"),
    ("ack.lost / self.mss", "rs->losses", "packets"),
    ("ack.pipe / self.mss", "tcp_packets_in_flight(tp)", "packets"),
    ("ack.prior_pipe / self.mss", "rs->prior_in_flight", "packets"),
    ("ack.total_delivered / self.mss", "tp->delivered", "packets"),
    ("ack.total_lost / self.mss", "tp->lost", "packets"),
    ("ack.rtt", "rs->rtt_us", "us, -1 for none"),
    ("ack.srtt", "tp->srtt_us >> 3", "us"),
    ("ack.min_rtt", "tcp_min_rtt(tp)", "us, of the last minutes only"),
    ("ack.rate.bps", "rs->delivered * mss / rs->interval_us", ""),
    ("ack.rate.app_limited", "rs->is_app_limited", ""),
    ("ack.cwnd_limited", "tcp_is_cwnd_limited(sk)", ""),
    ("ack.in_recovery", "inet_csk(sk)->icsk_ca_state >= TCP_CA_Recovery", ""),
    ("c.kind", "inet_csk(sk)->icsk_ca_state: TCP_CA_Recovery, TCP_CA_Loss, TCP_CA_CWR", ""),
)
"""Names of airtcp, of the kernel, and the kernel's unit."""


_ROOM: Final = 104
"""Bytes of `inet_csk_ca`, the memory of a congestion control in a connection."""
_LONGEST: Final = 15
"""Longest name of a congestion control in Linux."""
_RESULTS: Final = {
    "ssthresh": "\n\treturn max(tp->snd_cwnd / 2, 2U);",
    "undo_cwnd": "\n\treturn tcp_reno_undo_cwnd(sk);",
}
"""What a hook has to return: Reno's, until the law's own stands there."""
_HEAD: Final = """#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";
"""
_HELPERS: Final = """static inline struct tcp_sock *tcp_sk(const struct sock *sk)
{
\treturn (struct tcp_sock *)sk;
}

extern bool tcp_is_cwnd_limited(const struct sock *sk) __ksym;
extern __u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked) __ksym;
extern void tcp_cong_avoid_ai(struct tcp_sock *tp, __u32 w, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

#define max(a, b) ((a) > (b) ? (a) : (b))

static inline bool tcp_in_slow_start(const struct tcp_sock *tp)
{
\treturn tp->snd_cwnd < tp->snd_ssthresh;
}
"""


def bpf(law: type[Law]) -> str:
    """Write the frame of a `struct_ops` program.

    Args:
        law: The class.
    """
    name = law.__name__.lower()
    own = [method for method in METHODS if getattr(law, method) is not getattr(LawBase, method)]
    rows = [f" * {ours:<32}{kernel:<44}{unit}".rstrip() for ours, kernel, unit in FIELDS]
    parts = [
        _TITLE.format(law.__name__),
        _HEAD,
        "\n".join(["/* Names of airtcp, and of the kernel:", *rows, " */\n"]),
        *(
            f"/* The key {key} = {value!r}: a fraction, as the kernel has no floating point. */"
            for key, value in keys_of(law).items()
        ),
        f"/* The memory of a connection, at most {_ROOM} bytes (inet_csk_ca). */",
        f"struct {name} {{\n\t__u32 prior_cwnd;\n}};\n",
        _HELPERS,
    ]
    hooks: list[str] = []
    for method in own:
        if method in _NO_HOOK:
            why = f"{method} has no place in a kernel: {_NO_HOOK[method]}."
            parts.append(f"/* {why}\n{_text(law, method)} */\n")
            continue
        first = _HOOKS[method][2]
        parts.append(_function(name, method, f"{first}/* {method}:\n{_text(law, method)} */"))
        hooks.append(_HOOKS[method][0])
    for method in ("reduced", "on_spurious", "avoid"):
        hook = _HOOKS[method][0]
        if hook not in hooks and not (method == "avoid" and "cong_control" in hooks):
            grow = "tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);" if method == "avoid" else ""
            parts.append(_function(name, method, f"{_HOOKS[method][2]}{grow or '/* As Reno. */'}"))
            hooks.append(hook)
    parts += [
        f'SEC(".struct_ops")\nstruct tcp_congestion_ops {name} = {{',
        *(f"\t.{hook} = (void *){name}_{hook}," for hook in sorted(hooks)),
        f'\t.name = "{f"bpf_{name}"[:_LONGEST]}",',
        "};",
    ]
    return "\n".join(parts) + "\n"


def _function(name: str, method: str, body: str) -> str:
    hook, declared, _ = _HOOKS[method]
    head = f'SEC("struct_ops/{name}_{hook}")\n{declared.format(name=name)}\n{{'
    rest = _RESULTS.get(hook, "")
    return f"{head}\n\tstruct tcp_sock *tp = tcp_sk(sk);\n\n\t{body}{rest}\n}}\n"


def _text(law: type[Law], method: str) -> str:
    """Return the text of a method as the inside of a comment."""
    try:
        text = inspect.getsource(getattr(law, method))
    except (OSError, TypeError):
        return f"\t * {method}"
    lines = inspect.cleandoc(text.replace("*/", "* /")).splitlines()
    return "\n".join(f"\t * {line}".rstrip() for line in lines)
