"""Runs of a reproduction take places on the processor."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from threading import Barrier, Event

from airtcp_papers.places import Places

# Limits a wait.
PATIENCE_S = 120


def test_small_runs_go_side_by_side_and_large_ones_alone() -> None:
    places = Places(2)
    in_place, held = Barrier(3, timeout=PATIENCE_S), Event()

    def small() -> None:
        with places.taken(places.fit(1)):
            in_place.wait()
            held.wait(PATIENCE_S)

    def large() -> bool:
        with places.taken(places.fit(None)):
            return held.is_set()

    with ThreadPoolExecutor(3) as pool:
        first = [pool.submit(small) for _ in range(2)]
        in_place.wait()
        last = pool.submit(large)
        assert not wait([last], 0.05).done
        held.set()
        assert last.result(PATIENCE_S)
        assert [one.result(PATIENCE_S) for one in first] == [None, None]
