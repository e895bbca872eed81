"""Two nodes made of this one machine: two network namespaces with a virtual cable, so that ranks must send over TCP.

A process holds each namespace, and lives as long as a pipe from us is open; the namespaces have no names. So two
runs cannot collide, and no namespace can stay behind: whatever ends us, even SIGKILL, the kernel removes the namespaces
when the last process in them has ended.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from gapless.deferred_signals import deferred_signals
from gapless.errors import GaplessError
from gapless.launch.launcher import Launcher, launcher_version, recognise
from gapless.launch.temporary import temporary_folder
from gapless.targets.libraries import RANKS, Library, intel_fabric

HOSTS = ("nodeA", "nodeB")
ADDRESSES = ("10.99.0.1", "10.99.0.2")
INTERFACE = "ve0"
END_S = 5
LINK_S = 10
TOOLS = {"ip": "iproute2", "nsenter": "util-linux", "unshare": "util-linux", "hostname": "hostname"}
REMEDY = "it takes root and the right to make namespaces (a container needs --privileged); or leave out --two-nodes"
TRANSPORT = "tcp over two network namespaces of this machine (no real network)"
# MPICH chooses between UCX and libfabric when it is built; left alone, both would find shared memory across namespaces.
TCP_ONLY = {
    "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": INTERFACE, "FI_PROVIDER": "tcp", "FI_TCP_IFACE": INTERFACE
}  # fmt: skip
# Libraries find the interfaces in /sys, which shows those of the namespace that it was mounted in.
ENTER = """#!/bin/sh
pid=$1
shift
exec nsenter -t "$pid" -n -u unshare -m sh -c 'mount -t sysfs sysfs /sys 2>/dev/null; exec "$@"' sh "$@"
"""
# Called as launchers call ssh: options, a host, the words of a command for its shell.
SHELL = """#!/bin/sh
while [ $# -gt 0 ]; do case "$1" in -[lpoFi]) shift 2;; -*) shift;; *) break;; esac; done
case "$1" in
  {addresses[0]}|{hosts[0]}) pid={pids[0]};;
  {addresses[1]}|{hosts[1]}) pid={pids[1]};;
  *) echo "gapless: unknown node $1" >&2; exit 1;;
esac
shift
exec {enter} "$pid" sh -c "$*"
"""


class Nodes:
    """The two nodes, from the making of the object, or the beginning of a ``with`` block, to its end."""

    def __init__(self) -> None:
        self._holders: list[subprocess.Popen[str]] = []
        self._files = contextlib.ExitStack()
        self._folder: Path | None = None
        self._namespaces: set[str] = set()

    def __enter__(self) -> Nodes:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> None:
        """Make the nodes.

        Raises
        ------
        GaplessError
            If we are not root, or a tool is missing, or the kernel refuses.
        """
        if os.geteuid() != 0:
            raise GaplessError("two nodes cannot be made: we are not root", REMEDY)
        for tool, package in TOOLS.items():
            if shutil.which(tool) is None:
                raise GaplessError(f"two nodes cannot be made: no program '{tool}'", f"install the package {package}")
        atexit.register(self.close)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        self._folder = Path(self._files.enter_context(temporary_folder("gapless-nodes-")))
        for host in HOSTS:
            self._hold(host)
        a, b = self.pids
        _run(
            "ip", "link", "add", INTERFACE, "netns", str(a), "type", "veth", "peer", "name", INTERFACE, "netns", str(b)
        )
        for pid, address in zip(self.pids, ADDRESSES, strict=True):
            inside = ("nsenter", "-t", str(pid), "-n", "ip")
            _run(*inside, "link", "set", "lo", "up")
            # An IPv6 address of its own would be unusable for its first second, and libfabric would take it.
            _run(*inside, "link", "set", INTERFACE, "addrgenmode", "none")
            _run(*inside, "addr", "add", f"{address}/24", "dev", INTERFACE)
            _run(*inside, "link", "set", INTERFACE, "up")
        self._await_link()
        script = SHELL.format(addresses=ADDRESSES, hosts=HOSTS, pids=self.pids, enter=shlex.quote(str(self._enter)))
        self._script("enter", ENTER)
        self._script("shell", script)

    def _hold(self, host: str) -> None:
        """Start the process that holds a node; it tells when it is inside."""
        command = ["unshare", "-n", "-u", "sh", "-c", f"hostname {host} && echo inside && exec cat"]
        with deferred_signals():
            holder = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                start_new_session=True,
            )  # fmt: skip
            self._holders.append(holder)
        assert holder.stdout is not None and holder.stderr is not None
        if holder.stdout.readline().strip() != "inside":
            holder.wait()
            raise GaplessError(f"two nodes cannot be made ({holder.stderr.read().strip()})", REMEDY)
        self._namespaces.add(_namespace(holder.pid))

    def _await_link(self) -> None:
        """Wait until both ends are in use: the kernel says so a moment after they are up, and UCX looks for it."""
        until = time.monotonic() + LINK_S
        for pid in self.pids:
            while " state UP " not in _run("nsenter", "-t", str(pid), "-n", "ip", "-o", "link", "show", INTERFACE):
                if time.monotonic() > until:
                    raise GaplessError(f"two nodes cannot be made (the link is not up after {LINK_S} s)", REMEDY)
                time.sleep(0.02)

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that hold the nodes."""
        return tuple(holder.pid for holder in self._holders)

    @property
    def namespaces(self) -> frozenset[str]:
        """What the kernel calls the two network namespaces; known after the end too."""
        return frozenset(self._namespaces)

    @property
    def network(self) -> Path:
        """The first node's network, where the launcher is."""
        return Path(f"/proc/{self.pids[0]}/ns/net")

    @property
    def folder(self) -> Path:
        """Where the scripts are."""
        assert self._folder is not None, "the nodes are open"
        return self._folder

    @property
    def _enter(self) -> Path:
        return self.folder / "enter"

    @property
    def shell(self) -> Path:
        """What launchers take for ssh."""
        return self.folder / "shell"

    def _script(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def launcher(self, mpiexec: Path) -> Path:
        """Return a script that starts a launcher on the first node, and is called mpiexec, as launchers are."""
        text = f'#!/bin/sh\nexec {shlex.quote(str(self._enter))} {self.pids[0]} {shlex.quote(str(mpiexec))} "$@"\n'
        return self._script(f"{sum(1 for _ in self.folder.iterdir())}/mpiexec", text)

    def sent(self) -> tuple[int, ...]:
        """Return how many bytes each node has put on the cable."""
        path = "/proc/{}/net/dev"
        rows = [Path(path.format(pid)).read_text(encoding="utf-8").splitlines() for pid in self.pids]
        return tuple(
            int(row.partition(":")[2].split()[8]) for one in rows for row in one if row.strip().startswith(INTERFACE)
        )

    def processes(self) -> list[int]:
        """Return the processes in the nodes, other than those that hold them."""
        inside = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and int(folder.name) not in self.pids:
                with contextlib.suppress(OSError):
                    if _namespace(int(folder.name)) in self._namespaces:
                        inside.append(int(folder.name))
        return inside

    def close(self) -> None:
        """End what runs on the nodes, and the nodes."""
        atexit.unregister(self.close)
        until = time.monotonic() + END_S
        while self._namespaces and (left := self.processes()) and time.monotonic() < until:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        for holder in self._holders:
            holder.kill()
            holder.communicate()
        self._holders = []
        self._files.close()
        self._folder = None


def _namespace(pid: int) -> str:
    return os.readlink(f"/proc/{pid}/ns/net")


def _run(*command: str) -> str:
    answer = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if answer.returncode != 0:
        raise GaplessError(f"two nodes cannot be made ('{' '.join(command)}': {answer.stderr.strip()})", REMEDY)
    return answer.stdout


def on_two_nodes(library: Library, nodes: Nodes) -> Library:
    """Return a library whose ranks take turns on the two nodes, and must use TCP between them.

    Parameters
    ----------
    library : Library
        The library, as it runs on one node.
    nodes : Nodes
        The nodes, open.

    Raises
    ------
    GaplessError
        If its launcher is none that we know how to tell.
    """
    mpiexec = library.mpiexec
    kind = recognise(str(mpiexec))
    text = launcher_version(str(mpiexec))
    shell, environment = str(nodes.shell), dict(library.environment)
    if kind is Launcher.HYDRA:
        start, start_by = ("-launcher", "-launcher-exec")
        if "Intel(R) MPI Library" in text:
            start, start_by = ("-bootstrap", "-bootstrap-exec")
            environment |= {"I_MPI_FABRICS": "ofi", **intel_fabric(library.mpi_root)}
        environment |= TCP_ONLY
        options = [start, "ssh", start_by, shell, "-iface", INTERFACE, "-hosts", ",".join(ADDRESSES), "-ppn", "1"]
    elif kind is Launcher.OPEN_MPI:
        options = _open_mpi_options(shell, old="OpenRTE" in text)
    else:
        raise GaplessError(f"{mpiexec} cannot be told to use two nodes", "use mpiexec of MPICH, Intel MPI or Open MPI")
    started = nodes.launcher(mpiexec)
    words = (str(started), *options, "-n", RANKS)
    return replace(library, launcher=words, environment=environment, namespace=nodes.network)


def _open_mpi_options(shell: str, old: bool) -> list[str]:
    """Return the options of Open MPI's launcher; the daemons of version 5 are a project of their own, PRRTE."""
    options = ["--allow-run-as-root", "--bind-to", "none", "--map-by", "node"]
    options += ["--host", ",".join(f"{address}:{RANKS}" for address in ADDRESSES)]
    if old:
        options += ["--mca", "plm_rsh_agent", shell, "--mca", "oob_tcp_if_include", INTERFACE]
    else:
        options += ["--prtemca", "plm", "ssh", "--prtemca", "plm_ssh_agent", shell]
        options += ["--prtemca", "prte_if_include", INTERFACE]
    return [*options, "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", INTERFACE]
