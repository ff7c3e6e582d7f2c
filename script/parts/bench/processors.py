"""The processor time of programs under measurement, with all their processes, and of the whole machine."""

import os

TICKS = os.sysconf("SC_CLK_TCK")


def machine():
    """The processor time that the machine has used so far, in seconds."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, interrupts, soft_interrupts = map(int, file.readline().split()[1:8])
    return (user + nice + system + interrupts + soft_interrupts) / TICKS


def own():
    """The processor time that this program and the children that it has waited for have used."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def family(roots):
    """The living processes of sessions, by number, with the ticks that each and its ended children have used.

    A process belongs to a session or to one of its processes as a child, whichever thread has started it, and stays in
    the session when its parent ends.
    """
    living = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        living[int(name)] = (int(fields[1]), int(fields[3]), sum(map(int, fields[11:15])))
    members = {pid for pid, (_, session, _) in living.items() if session in roots or pid in roots}
    while more := {pid for pid, (parent, _, _) in living.items() if parent in members} - members:
        members |= more
    return {pid: living[pid][2] for pid in members}


class Account:
    """A control group, whose count has all processes in it, also those that have ended; only root can make one."""

    # Of the first version of control groups, and of the second.
    PLACES = [("/sys/fs/cgroup/cpuacct", "cpuacct.usage"), ("/sys/fs/cgroup", "cpu.stat")]

    count = 0

    def __init__(self):
        self.folder = None
        Account.count += 1
        for place, name in Account.PLACES:
            folder = f"{place}/easel-bench-{os.getpid()}-{Account.count}"
            try:
                os.mkdir(folder)
            except OSError:
                continue
            if os.path.exists(f"{folder}/{name}") and os.path.exists(f"{folder}/cgroup.procs"):
                self.folder, self.file = folder, f"{folder}/{name}"
                return
            os.rmdir(folder)

    def enter(self):
        """Puts this process into the group; a program's first call after the fork."""
        if self.folder:
            with open(f"{self.folder}/cgroup.procs", "w") as file:
                file.write(str(os.getpid()))

    def seconds(self):
        """The processor time of the group; None if there is none."""
        if not self.folder:
            return None
        with open(self.file) as file:
            text = file.read()
        if self.file.endswith("cpuacct.usage"):
            return int(text) / 1e9
        return int(dict(line.split() for line in text.splitlines())["usage_usec"]) / 1e6

    def close(self):
        """Removes the group, whose processes have ended."""
        if self.folder:
            try:
                os.rmdir(self.folder)
            except OSError:
                pass
