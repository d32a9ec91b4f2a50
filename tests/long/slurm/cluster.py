"""A real SLURM on this machine for the duration of the tests: daemons, accounting and two small nodes.

Needs root and Debian's slurm-wlm, munge, slurmdbd and mariadb-server. Every daemon is a child of this process and is
stopped with it, except a munged that was running before. The configuration has to be /etc/slurm/slurm.conf, because the
executor removes SLURM_CONF from its jobs' environment. An existing file is restored afterwards.
"""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ETC = Path("/etc/slurm")
CONFIGURATION = ("slurm.conf", "gres.conf", "slurmdbd.conf")
PROGRAMS = ("munged", "slurmctld", "slurmd", "slurmdbd", "mariadbd", "mariadb-install-db", "sbatch", "sacct")
PATIENCE = 90
"""Seconds that a daemon may take to answer on a busy machine."""

# Other ports than SLURM's defaults, in case this machine belongs to a cluster. A requeued job waits until its
# credential expires (cred_expire), by default for two minutes.
SLURM_CONF = """
ClusterName=jvgn
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=16817
CommunicationParameters=NoInAddrAny
AuthType=auth/munge
CredType=cred/munge
AuthInfo=cred_expire=5
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=0
MinJobAge=300
KillWait=30
{accounting}
GresTypes=gpu
NodeName=jvgn[1-2] NodeHostname={host} NodeAddr=127.0.0.1 Port=[16821-16822] CPUs=16 RealMemory=40000 Gres=gpu:2
PartitionName=main Nodes=jvgn[1-2] MaxTime=2-00:00:00 State=UP
"""

# SLURM schedules GPUs as device files; any device file will do.
GRES_CONF = "NodeName=jvgn[1-2] Name=gpu File=/dev/zero,/dev/full\n"

ACCOUNTING = """
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=16819
AccountingStorageTRES=gres/gpu
AccountingStorageEnforce=associations
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
"""

NO_ACCOUNTING = """
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
"""

SLURMDBD_CONF = """
AuthType=auth/munge
DbdHost=localhost
DbdPort=16819
SlurmUser=root
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=13307
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct_db
"""


def missing_programs() -> list[str]:
    return [name for name in PROGRAMS if not shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")]


class Cluster:
    """Start and stop the daemons, with or without accounting."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.children: list[subprocess.Popen] = []

    def configure(self, accounting: bool) -> None:
        chosen = ACCOUNTING if accounting else NO_ACCOUNTING
        host = socket.gethostname().partition(".")[0]
        (ETC / "slurm.conf").write_text(SLURM_CONF.format(host=host, folder=self.folder, accounting=chosen))
        (ETC / "gres.conf").write_text(GRES_CONF)
        (ETC / "slurmdbd.conf").write_text(SLURMDBD_CONF.format(folder=self.folder))
        (ETC / "slurmdbd.conf").chmod(0o600)

    def start(self, accounting: bool) -> None:
        self.configure(accounting)
        (self.folder / "state").mkdir(exist_ok=True)
        if not answers("munge", "-n"):
            self.start_munge()
        if accounting:
            self.start_database()
            self.spawn("slurmdbd", "-D")
            until(lambda: answers("sacctmgr", "-n", "show", "cluster"), "slurmdbd")
            for added in (["cluster", "jvgn"], ["account", "lab"], ["user", "root", "Account=lab"]):
                run("sacctmgr", "-i", "add", *added)
        self.spawn("slurmctld", "-D", "-c")
        for number in (1, 2):
            self.spawn("slurmd", "-D", "-N", f"jvgn{number}")
        until(lambda: output("sinfo", "-h", "-p", "main", "-o", "%T %D") == "idle 2", "the nodes")

    def start_munge(self) -> None:
        if not Path("/etc/munge/munge.key").exists():
            run("mungekey", "--create")
            shutil.chown("/etc/munge/munge.key", "munge", "munge")
        run("install", "-d", "-o", "munge", "-g", "munge", "-m", "0755", "/run/munge")
        self.spawn("setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "/usr/sbin/munged", "-F", "--force")
        until(lambda: answers("munge", "-n"), "munged")

    def start_database(self) -> None:
        data, at = self.folder / "mariadb", self.folder / "mariadb.sock"
        run("mariadb-install-db", "--no-defaults", f"--datadir={data}", "--user=root", "--skip-test-db",
            "--auth-root-authentication-method=normal")  # fmt: skip
        self.spawn("mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={at}", "--user=root", "--port=13307",
                   "--bind-address=127.0.0.1", "--innodb-flush-log-at-trx-commit=0")  # fmt: skip
        database = ("mariadb", "--no-defaults", f"--socket={at}", "--user=root")
        until(lambda: answers(*database, "--execute", "select 1"), "mariadbd")
        say = "create database slurm_acct_db; grant all on slurm_acct_db.* to slurm@127.0.0.1 identified by 'slurm'"
        run(*database, "--execute", say)

    def spawn(self, *command: str) -> None:
        with (self.folder / f"{Path(command[0]).name}.out").open("a") as log:
            self.children.append(subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True))

    def stop(self) -> None:
        """End all jobs, then the daemons, even if a job does not end."""
        try:
            if answers("scontrol", "ping"):
                subprocess.run(["scancel", "--user=root"], check=False, timeout=PATIENCE)
                until(lambda: not output("squeue", "-h"), "the end of all jobs")
        finally:
            self.stop_daemons()

    def stop_daemons(self) -> None:
        for child in reversed(self.children):
            child.terminate()
            try:
                child.wait(timeout=20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        self.children.clear()


@contextmanager
def running_cluster(accounting: bool = True) -> Iterator[Cluster]:
    """Run a cluster until the block ends."""
    ETC.mkdir(exist_ok=True)
    put_aside()
    with tempfile.TemporaryDirectory(prefix="jvgn-slurm-", dir="/tmp") as folder:
        cluster = Cluster(Path(folder))
        try:
            cluster.start(accounting)
            yield cluster
        except BaseException:
            for log in sorted(Path(folder).glob("*.log")) + sorted(Path(folder).glob("*.out")):
                print(f"--- {log.name}", *log.read_text(errors="replace").splitlines()[-15:], sep="\n")
            raise
        finally:
            try:
                cluster.stop()
            finally:
                put_back()


def put_aside() -> None:
    """Rename existing configuration, which keeps its permissions: slurmdbd.conf holds a password."""
    for name in CONFIGURATION:
        if (ETC / name).exists() and not aside(name).exists():  # an existing backup is from a killed run
            (ETC / name).rename(aside(name))


def put_back() -> None:
    for name in CONFIGURATION:
        (ETC / name).unlink(missing_ok=True)
        if aside(name).exists():
            aside(name).rename(ETC / name)


def aside(name: str) -> Path:
    return ETC / f"{name}.before-jvgn"


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE).stdout.strip()


def answers(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE).returncode == 0


def until(holds: Callable[[], bool], what: str, patience: float = PATIENCE, pause: float = 0.2) -> None:
    """Wait until a condition holds."""
    ends = time.monotonic() + patience
    while not holds():
        if time.monotonic() > ends:
            raise TimeoutError(f"waited {patience:.0f} s for {what}")
        time.sleep(pause)
