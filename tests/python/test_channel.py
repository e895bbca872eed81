"""gapless.channel: layouts between real processes on this machine, and what a process does with itself."""

from __future__ import annotations

import contextlib
import gc
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import extension_needed
import numpy as np
import pytest
from gapless.channel import Channel, library
from gapless.errors import GaplessError
from gapless.paths import build_folder

HERE = Path(__file__).parent
END_S = 60


def why_not_built() -> str:
    """Return why this build has no libgapless_fabric, or nothing: then a library that is not there is a failure."""
    if os.environ.get("GAPLESS_FABRIC_LIBRARY"):
        return ""
    try:
        cache = (build_folder() / "CMakeCache.txt").read_text(encoding="utf-8")
    except OSError:
        return f"nothing is built in {build_folder()}"
    missing = re.findall(r"^GAPLESS_(LIBFABRIC|SODIUM)_LIBRARY:\w+=.*-NOTFOUND$", cache, re.MULTILINE)
    return f"no libgapless_fabric: {', '.join(missing).lower()} is not installed" if missing else ""


extension_needed.need_extension()
if why_not_built():
    pytest.skip(why_not_built(), allow_module_level=True)


def free_place() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"


def environment() -> dict[str, str]:
    kept = {"GAPLESS_FABRIC_LIBRARY", "GAPLESS_BUILD_DIR"}
    return {k: v for k, v in os.environ.items() if k in kept or not k.startswith("GAPLESS_")} | {
        "GAPLESS_JOB_SECRET": "of a test"
    }


SCENARIOS = [
    "views", "datatypes", "prefix", "too_long", "counters", "many", "secret", "late", "alone", "ends", "closes",
]  # fmt: skip


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_two_processes(scenario: str) -> None:
    place = free_place()
    with contextlib.ExitStack() as stack:
        ranks = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-W", "error", str(HERE / "rank_channel.py"), scenario, str(rank), "2", place],
                    env=environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )  # fmt: skip
            )
            for rank in range(2)
        ]
        for process in ranks:
            stack.callback(process.kill)
        printed = [process.communicate(timeout=END_S)[0] for process in ranks]
    assert [process.returncode for process in ranks] == [0, 0], "\n".join(printed)
    # Of `ends` rank 1 ends without a word.
    assert printed == ["passed\n", "" if scenario == "ends" else "passed\n"]


@pytest.fixture
def alone() -> Iterator[Channel]:
    """A job of one process, which sends to itself."""
    with Channel(rank=0, processes=1, secret="of a test", timeout=20) as channel:
        yield channel


def test_a_process_sends_to_itself(alone: Channel) -> None:
    matrix, back = np.arange(1200.0).reshape(30, 40), np.zeros((40, 30))
    receive = alone.receive(back[::-1].T, 0)
    assert alone.send(matrix, 0).wait() == receive.wait() == matrix.nbytes
    assert (matrix == back[::-1].T).all()
    longer = alone.receive(np.zeros(10), 0)
    send = alone.send(matrix[0], 0)
    for transfer in (longer, send):
        with pytest.raises(GaplessError, match="320 bytes"):
            transfer.wait()
    counters = alone.counters
    assert (counters.bytes, counters.eager, counters.host, counters.endpoints) == (0, 0, 0, 1)


def test_a_channel_says_what_it_is(alone: Channel) -> None:
    assert repr(alone) == f"<gapless.channel.Channel: rank 0 of 1, {alone.provider}>"
    alone.close()
    assert repr(alone) == "<gapless.channel.Channel: rank 0 of 1, closed>"


def test_memory_is_kept_until_it_was_waited_for(alone: Channel) -> None:
    send = alone.send(np.full(50_000, 3.0), 0)
    gc.collect()
    filler = [np.full(50_000, -1.0) for _ in range(5)]
    got = np.zeros(50_000)
    alone.receive(got, 0).wait()
    assert (got == 3.0).all() and send.wait() == got.nbytes and filler


def test_memory_that_ends_is_forgotten_before_the_next_message(alone: Channel) -> None:
    for _ in range(3):
        receive = alone.receive(bytearray(80_000), 0)
        alone.send(np.zeros((100, 200))[:, ::2], 0).wait()
        receive.wait()
    del receive
    kept, used = len(alone._watched), len(alone._ended)
    assert kept <= 2 and used > 0
    array = np.zeros(4)
    alone.send(array, 0)
    assert len(alone._ended) == 0 and len(alone._watched) <= kept + 1
    alone.forget(array)
    alone.forget(array[::-2])
    alone.receive(array, 0).wait()


def test_one_layout_is_one_handle(alone: Channel) -> None:
    first, second = np.zeros((20, 30)), np.ones((20, 30))
    transfers = [alone.send(one, 0, *also) for one in (first, second) for also in ((), ("vector(20, 1, 30, double)",))]
    views, typed = alone._moving[transfers[0]].layout, alone._moving[transfers[1]].layout
    assert alone._moving[transfers[2]].layout is views and alone._moving[transfers[3]].layout is typed
    assert typed is not views


@pytest.mark.parametrize("timeout", [None, 50])
def test_ctrl_c_ends_a_wait_and_not_the_transfer(alone: Channel, timeout: float | None) -> None:
    got = np.zeros(5)
    transfer = alone.receive(got, 0)
    for _ in range(2):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            transfer.wait(timeout)
        assert time.monotonic() - began < 5
    alone.send(np.full(5, 2.0), 0).wait()
    assert transfer.wait() == 40 and got.tolist() == [2.0] * 5


def test_ctrl_c_ends_the_opening() -> None:
    program = "import sys; from gapless.channel import Channel; Channel(rank=0, processes=2, meeting=sys.argv[1])"
    with subprocess.Popen(
        [sys.executable, "-c", program, free_place()], env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        time.sleep(1.5)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        printed = process.communicate(timeout=END_S)[0]
    assert time.monotonic() - began < 10
    assert process.returncode == -signal.SIGINT and "KeyboardInterrupt" in printed, printed


def test_what_is_no_memory_is_refused(alone: Channel) -> None:
    numbers = np.zeros(10)
    read_only = numbers[:]
    read_only.flags.writeable = False
    for memory in (read_only, b"0123", memoryview(b"0123")):
        with pytest.raises(ValueError, match="read-only"):
            alone.receive(memory, 0)
    for memory in (np.array([None]), np.array([(1, None)], "i4, O")):
        with pytest.raises(TypeError, match="references to Python objects"):
            alone.send(memory, 0)
        with pytest.raises(TypeError, match="references to Python objects"):
            alone.send(memory, 0, "byte")
    with pytest.raises(TypeError, match="a NumPy array or another buffer is needed, not 'list'"):
        alone.send([1, 2], 0)  # type: ignore[arg-type]
    with pytest.raises(BufferError, match="gaps"):
        alone.send(memoryview(b"01234567")[::2], 0)
    with pytest.raises(ValueError, match="bytes swapped"):
        alone.send(np.zeros(3, ">f8"), 0)


def test_what_is_not_inside_the_memory_is_refused(alone: Channel) -> None:
    numbers = np.zeros(10)
    with pytest.raises(ValueError, match="2 elements take the bytes 8 to 88 of a buffer of 80"):
        alone.send(numbers, 0, "contiguous(5, double)", 2, offset=8)
    with pytest.raises(ValueError, match="take the bytes -8 to 0"):
        alone.receive(numbers, 0, "double", offset=-8)
    with pytest.raises(ValueError, match="take the bytes -8 to 24"):
        alone.send(numbers, 0, "resized(0, -8, struct([(2, 0, double)]))", 3, offset=8)
    for count in (-1, 2**63):
        with pytest.raises(ValueError, match="elements: a message has"):
            alone.send(numbers, 0, "double", count)
    with pytest.raises(ValueError, match="in one piece"):
        alone.send(numbers[::2], 0, "double")
    with pytest.raises(TypeError, match="count and offset are of a datatype"):
        alone.send(numbers, 0, count=2)
    assert not alone._moving


def test_arguments_that_are_none_are_refused(alone: Channel) -> None:
    numbers = np.zeros(10)
    for peer in (1, -1):
        with pytest.raises(GaplessError, match=f"rank {peer} is not one of the job's 1"):
            alone.send(numbers, peer)
    with pytest.raises(OverflowError, match="peer"):
        alone.send(numbers, 2**32)
    with pytest.raises(ValueError, match="a timeout is at least 0 s"):
        alone.send(numbers, 0).wait(-1)
    assert not any(message.count != 1 for message in alone._moving.values())
    for options, kind, text in (
        ({"way": "fast"}, GaplessError, "not adaptive, host, lists or segments"),
        ({"provider": "no such"}, GaplessError, "no such"),
        ({"secret": "a\0b"}, ValueError, "secret: a NUL character"),
        ({"processes": 2}, GaplessError, "no meeting"),
        ({"rank": 1}, GaplessError, "rank 1 is not one of the job's 1"),
        ({"processes": 2**32 + 1}, OverflowError, "processes"),
        ({"timeout": float("nan")}, ValueError, "timeout"),
    ):
        with pytest.raises(kind, match=text):
            Channel(**{"rank": 0, "processes": 1, "secret": "x", **options})


def test_a_closed_channel_is_used_no_more() -> None:
    with Channel(rank=0, processes=1, secret="x") as channel:
        transfer = channel.receive(np.zeros(4), 0)
    channel.close()
    for call in (lambda: channel.send(np.zeros(1), 0), lambda: channel.counters, transfer.wait):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_another_thread_or_process_is_refused(alone: Channel) -> None:
    transfer = alone.receive(np.zeros(4), 0)

    def wait() -> None:
        with contextlib.suppress(TimeoutError):
            transfer.wait(0.7)

    waiting = threading.Thread(target=wait)
    waiting.start()
    with pytest.raises(RuntimeError, match="one thread at a time"):
        while waiting.is_alive():  # nearly always in its call
            time.sleep(0.01)
            _ = alone.counters
    waiting.join()
    alone.send(np.ones(4), 0)
    assert transfer.wait() == 32
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            alone.close()  # does nothing
            with pytest.raises(RuntimeError, match="forked"):
                _ = alone.counters
            status = 0
        os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert alone.counters.endpoints == 1


def test_a_channel_that_nobody_closes_is_told_of() -> None:
    channel = Channel(rank=0, processes=1, secret="x")
    with pytest.warns(ResourceWarning, match="rank 0 of 1, .* was never closed"):
        del channel
        gc.collect()


def python(program: str, settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], env=settings, capture_output=True, text=True, timeout=END_S, check=False
    )


def test_where_there_is_no_library_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "python").symlink_to(build_folder() / "python")  # the extension alone
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GAPLESS_")}
    for settings, text in (
        ({"GAPLESS_FABRIC_LIBRARY": "/nowhere/lib.so"}, "GAPLESS_FABRIC_LIBRARY=/nowhere/lib.so cannot be loaded"),
        ({"GAPLESS_BUILD_DIR": str(tmp_path)}, f"no libgapless_fabric.so in {tmp_path}/src, .*apt install libfabric"),
    ):
        done = python("from gapless.channel.library import fabric; fabric()", clean | settings)
        assert done.returncode == 1 and re.search(f"GaplessError: .*{text}", done.stderr), done.stderr


def test_loading_the_library_leaves_signals_alone() -> None:
    """Debian's libfabric loads libinfinipath, which has SIGINT, SIGTERM and SIGSEGV end the process its own way."""
    done = python(
        "import faulthandler, os, signal\n"
        "faulthandler.enable()\n"
        "signal.signal(signal.SIGTERM, lambda *_: print('term', flush=True))\n"
        "from gapless.channel.library import fabric\n"
        "fabric()\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n"
        "os.kill(os.getpid(), signal.SIGSEGV)\n",
        environment(),
    )
    assert (done.returncode, done.stdout) == (-signal.SIGSEGV, "term\n"), done.stderr
    assert "Fatal Python error: Segmentation fault" in done.stderr


def test_the_library_lies_in_the_folder_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = tmp_path / library.NAME
    named.symlink_to(library.fabric()._name)
    monkeypatch.delenv("GAPLESS_FABRIC_LIBRARY", raising=False)
    monkeypatch.setenv("GAPLESS_LIBDIR", str(tmp_path))
    assert library._load()._name == str(named)
