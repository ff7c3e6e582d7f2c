#!/usr/bin/env python3
"""Runs the tests of a build, judges each failure, and says what a reader must know.

usage: runner.py BUNDLE FOLDER [--strict] [--costs] [--filter REGEX]... [--kind computing|alone] [--idle SECONDS]

  BUNDLE          the program with all tests
  FOLDER          the folder for logs and figures
  --strict        forgive nothing: a test that fails once fails the run
  --costs         run all tests one by one, and print which of them cost most processor time; costs.tsv has all of them
  --filter REGEX  run only tests whose Target.Suite/test matches; may be repeated
  --kind KIND     run only tests of this kind
  --idle SECONDS  how long idle processes may do nothing; two minutes by default

Tests that compute run side by side. Tests of suites with the tag `.alone`, which start processes, listen on ports or look at
the whole process, run after them, one by one.

A test that fails is run again three times, with nothing beside it. If it fails again, the run fails. Otherwise it is named in
a line `unsteady: NAME: what failed`, and more than three such tests fail the run. A process that crashes fails it at once.

A run stands still if no test begins or ends for two minutes while its processes need no processor time, or for ten minutes in
any case. That fails it, and is not forgiven: no load makes idle processes wait, but a lost wake-up does. Tests that ran side by
side then run again one by one, so that the one that hangs is named.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import costs

MOST_UNSTEADY = 3
# Tests that stand still cost minutes, so a few of them say enough.
MOST_STUCK = 4
REPETITIONS = 3
# After so many failures there is no doubt.
MOST_JUDGED = 5
# Seconds without an event: of idle processes, and of busy ones. A test that runs again has a third of it.
IDLE, BUSY = 120, 600
# The tests that a table of costs names.
MOST_COSTLY = 30


class Test:
    def __init__(self, identifier):
        self.id = identifier
        self.ended = False
        # The time of its cases; a test as a whole also waits for its turn.
        self.seconds = 0.0
        self.began = 0.0
        self.cases = {}
        self.issues = []
        self.stood_still = False
        self.skipped = None

    @property
    def name(self):
        return name_of(self.id)

    @property
    def failed(self):
        return bool(self.issues)


def name_of(identifier):
    """`Target.Suite/test()`, without the place in the file behind it."""
    return re.sub(r"/[^/]+\.swift:\d+:\d+$", "", identifier)


class Run:
    """One process that runs tests."""

    def __init__(self, bundle, folder, name, options, idle, costs=None):
        self.idle, self.costs, self.is_one_by_one = idle, costs, "--no-parallel" in options
        self.log = folder / f"{name}.log"
        self.events = folder / f"{name}.events"
        self.tests = {}
        self.faults = []
        self.listed = []
        self.events.unlink(missing_ok=True)
        self.command = [str(bundle), "--testing-library", "swift-testing", "--event-stream-version", "0",
                        "--event-stream-output-path", str(self.events), *options]
        self.began = time.monotonic()
        before = os.times()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                self.status = self.follow()
            except BaseException:
                # They have a session of their own, which no signal to this one reaches.
                self.end_all()
                raise
        after = os.times()
        self.seconds = time.monotonic() - self.began
        self.processor = after.children_user + after.children_system - before.children_user - before.children_system
        self.judge_end()

    def follow(self):
        """Reads events until the process has ended or stands still; returns its status, or None if it had to be ended."""
        position, rest = 0, b""
        last_event, looked, last_time = time.monotonic(), None, 0.0
        while True:
            status = self.process.poll()
            chunk = b""
            if self.events.exists():
                with open(self.events, "rb") as file:
                    file.seek(position)
                    chunk = file.read()
                position += len(chunk)
            if chunk:
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self.take(json.loads(line))
                if self.costs:
                    self.costs.look(self.processor_times())
                last_event, looked = time.monotonic(), None
            if status is not None and not chunk:
                return status
            if status is None and not chunk:
                now = time.monotonic()
                # Looking at all processes takes a while, and most events come sooner than that could tell anything.
                if looked is None and now - last_event > self.idle / 20:
                    looked, last_time = now, self.processor_time()
                elif looked is not None and now - looked > self.idle:
                    # Those that work have more time, however little a busy machine leaves them.
                    works = self.processor_time() - last_time > 0.02 * (now - looked)
                    if not works or now - last_event > BUSY:
                        return self.give_up(now - last_event)
                time.sleep(0.02 if self.costs else 0.1)

    def processes(self):
        """The numbers of the run's processes that live, with what the system tells of each behind its name."""
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == self.process.pid:
                yield int(path.parent.name), fields

    def processor_times(self):
        """The processor time of these processes and of those that they have waited for, of programs and of the system."""
        times = [[int(fields[index]) + int(fields[index + 2]) for index in (11, 12)] for _, fields in self.processes()]
        return [sum(column) / os.sysconf("SC_CLK_TCK") for column in zip(*times)] or [0.0, 0.0]

    def processor_time(self):
        return sum(self.processor_times())

    def give_up(self, quiet):
        for test in self.unfinished():
            test.stood_still = True
            test.issues.append(f"had not ended when nothing had happened for {quiet:.0f} s")
        self.end_all()
        return None

    def end_all(self):
        """Ends the process and those that it has started."""
        for number, _ in self.processes():
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()

    def take(self, record):
        payload = record["payload"]
        if record["kind"] == "test":
            self.listed.append(payload)
            return
        kind, identifier = payload["kind"], payload.get("testID")
        texts = [message["text"] for message in payload.get("messages", [])]
        if kind == "issueRecorded" and payload.get("issue", {}).get("isKnown"):
            return
        if identifier is None:
            if kind == "issueRecorded":
                self.faults.append("\n".join(texts))
            return
        test = self.tests.setdefault(identifier, Test(identifier))
        instant = payload["instant"]["absolute"]
        case = json.dumps(payload.get("_testCase"))
        if self.costs and test.name.endswith(")") and kind in ("testStarted", "testEnded"):
            (self.costs.begin if kind == "testStarted" else self.costs.end)(test.name, instant)
        if kind == "testStarted":
            test.began = instant
        elif kind == "testCaseStarted":
            test.cases[case] = instant
        elif kind == "testCaseEnded":
            test.seconds += instant - test.cases.pop(case, instant)
        elif kind == "testEnded":
            test.ended = True
            # Of a test without arguments the stream tells no case.
            if self.is_one_by_one and not test.seconds:
                test.seconds = instant - test.began
        elif kind == "testSkipped":
            test.skipped = " ".join(texts) or "without a reason"
            test.ended = True
        elif kind == "issueRecorded":
            place = payload.get("issue", {}).get("sourceLocation", {})
            where = f"{place['fileID']}:{place['line']}: " if place else ""
            test.issues.append(where + "\n".join(texts))

    def unfinished(self):
        return [test for test in self.functions() if not test.ended]

    def functions(self):
        """The tests proper, without the suites around them."""
        return [test for test in self.tests.values() if test.name.endswith(")")]

    def judge_end(self):
        # Suites that fail by themselves, such as in a trait, are no tests that could run again.
        for test in self.tests.values():
            if test.failed and not test.name.endswith(")"):
                self.faults.append(f"{test.name}: {test.issues[0]}")
        if self.status is None or self.status == 0 and not self.unfinished():
            return
        if self.unfinished() or self.status not in (0, 1):
            how = f"signal {signal.Signals(-self.status).name}" if self.status < 0 else f"status {self.status}"
            running = ", ".join(test.name for test in self.unfinished()) or "none"
            self.faults.append(f"the process ended with {how}; these tests ran: {running}\n{self.last_words()}")
        elif not any(test.failed for test in self.tests.values()):
            self.faults.append(f"the process ended with status {self.status}, and no test says why\n{self.last_words()}")

    def last_words(self):
        """The end of the log, without the lines about tests that begin, end or pass."""
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join([line for line in lines if not re.match(r"[◇✔➜]", line)][-60:])

    def closing_line(self):
        for line in reversed(self.log.read_text(errors="replace").splitlines()):
            if "Test run with" in line:
                return line
        return f"no closing line: {len(self.functions())} tests had begun"


def pattern(names, all_names):
    """A regular expression that matches these tests and no others: whole suites where it can."""
    def suite(name):
        return name.rpartition("/")[0]

    wanted = set(names)
    others = {suite(name) for name in all_names if name not in wanted}
    parts = sorted({name if suite(name) in others else suite(name) + "/" for name in wanted})
    return f"^({'|'.join(map(re.escape, parts))})"


def indented(text):
    return text.replace("\n", "\n    ")


class Session:
    def __init__(self, arguments):
        self.bundle, self.folder, self.strict, self.idle = arguments.bundle, arguments.folder, arguments.strict, arguments.idle
        self.failures, self.unsteady, self.closing, self.ran, self.skips = [], [], [], [], {}
        self.measures, self.costs = arguments.costs, {}
        self.tests = self.list()
        self.chosen = [name for name in self.tests
                       if not arguments.filter or any(re.search(each, name) for each in arguments.filter)]

    def process(self, name, options, idle=None, costs=None):
        return Run(self.bundle, self.folder, name, options, idle or self.idle, costs)

    def list(self):
        """All tests of the build: name -> whether it runs alone."""
        found = self.process("list", ["--list-tests"])
        if found.status != 0:
            sys.exit(f"test: the tests cannot be listed: {found.last_words()}")
        alone = [each["id"] for each in found.listed if ".alone" in each.get("_tags", [])]
        names = [each["id"] for each in found.listed if each["kind"] == "function"]
        # A tag of a suite is one of all its tests.
        return {name_of(name): any(name == each or name.startswith(each + "/") for each in alone) for name in names}

    def run(self, kind):
        """Runs the tests of a kind, and those behind a test that stands still in another process."""
        rest = [name for name in self.chosen if self.tests[name] == (kind == "alone")]
        one_by_one = kind == "alone" or self.measures
        number, stuck = 0, 0
        while rest and stuck <= MOST_STUCK:
            options = ["--filter", pattern(rest, self.tests)] + (["--no-parallel"] if one_by_one else [])
            run = self.process(
                f"{kind}-{number}" if number else kind, options, costs=costs.Costs() if self.measures else None)
            if run.costs:
                self.costs |= run.costs.of_tests
            number += 1
            unfinished = [test.name for test in run.unfinished()]
            begun = {test.name for test in run.functions()}
            stands_still = run.status is None
            if stands_still and not one_by_one:
                # Most of these only waited for their turn; one by one, the one that hangs shows itself.
                self.stall(kind, unfinished)
                run.tests = {key: test for key, test in run.tests.items() if test.ended}
                begun -= set(unfinished)
                one_by_one = True
            else:
                stuck += len(unfinished)
            self.note(kind, run)
            rest = [name for name in rest if name not in begun]
            if not stands_still or one_by_one and not begun and number > 1:
                if rest:
                    self.failures.append(f"{kind}: {len(rest)} tests did not run, such as {rest[0]}")
                break

    def stall(self, kind, unfinished):
        first = ", ".join(unfinished[:5])
        what = f"{kind}: nothing happened for {self.idle:g} s, and {len(unfinished)} tests had not ended, such as {first}"
        print(f"✘ {what}\n    they run again, one by one", flush=True)
        self.failures.append(what)

    def note(self, kind, run):
        functions = run.functions()
        self.ran += functions
        for test in functions:
            if test.skipped is not None:
                self.skips.setdefault(test.skipped, []).append(test.name)
        print(f"{kind}: {len(functions)} tests, {run.seconds:.0f} s, processor time {run.processor:.0f} s", flush=True)
        for fault in run.faults:
            print(f"✘ {indented(fault)}", flush=True)
        self.failures += run.faults
        self.closing.append(run.closing_line())
        for test in functions:
            if test.failed:
                self.judge(test)

    def judge(self, test):
        print(f"✘ {test.name}", flush=True)
        for issue in test.issues[:5]:
            print(f"    {indented(issue)}", flush=True)
        may_be_chance = not (self.strict or test.stood_still)
        if may_be_chance and len(self.failures) <= MOST_JUDGED and self.passes_alone(test):
            self.unsteady.append(f"{test.name}: {test.issues[0].splitlines()[0]}")
        else:
            self.failures.append(test.name)

    def passes_alone(self, test):
        for number in range(1, REPETITIONS + 1):
            again = self.process(f"again-{number}", ["--no-parallel", "--filter", f"^{re.escape(test.name)}"], self.idle / 3)
            ended = [each for each in again.functions() if each.ended]
            if again.status != 0 or not ended:
                print(f"    again, alone, try {number} of {REPETITIONS}: failed", flush=True)
                for each in again.functions():
                    for issue in each.issues[:2]:
                        print(f"      {indented(issue)}", flush=True)
                return False
        print(f"    again, alone: passed {REPETITIONS} times", flush=True)
        return True

    def finish(self):
        for reason, names in sorted(self.skips.items()):
            print(f"skipped {len(names)}: {reason} ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})")
        with open(self.folder / "tests.tsv", "w") as file:
            for test in self.ran:
                file.write(f"{test.name}\t{test.seconds:.3f}\n")
        if self.measures:
            print("\n".join(costs.table(self.costs, MOST_COSTLY)))
            (self.folder / "costs.tsv").write_text(
                "".join(f"{name}\t{user:.3f}\t{system:.3f}\n" for name, (user, system) in sorted(self.costs.items())))
        (self.folder / "closing-lines.txt").write_text("".join(f"{line}\n" for line in self.closing))
        most = 0 if self.strict else MOST_UNSTEADY
        if len(self.unsteady) > most:
            self.failures.append(f"{len(self.unsteady)} tests are unsteady, and at most {most} may be")
        if not any(test.skipped is None for test in self.ran):
            self.failures.append("no test ran to its end")
        skipped = sum(map(len, self.skips.values()))
        failed = len({test.name for test in self.ran} & set(self.failures))
        report = [f"unsteady: {line}" for line in self.unsteady] + [f"failed: {indented(each)}" for each in self.failures]
        report += self.closing + [f"{len(self.ran) - failed - skipped} passed, {failed} failed, {skipped} skipped"]
        print("\n".join(report), flush=True)
        (self.folder / "report.txt").write_text("\n".join(report) + "\n")
        return 1 if self.failures else 0


def main():
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("bundle", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--costs", action="store_true")
    parser.add_argument("--filter", action="append", default=[])
    parser.add_argument("--kind", choices=["computing", "alone"])
    parser.add_argument("--idle", type=float, default=IDLE)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    session = Session(arguments)
    for kind in ("computing", "alone"):
        if arguments.kind in (None, kind):
            session.run(kind)
    sys.exit(session.finish())


if __name__ == "__main__":
    main()
