"""What each test of a run costs: its processor time, with that of the processes that it starts.

The runner tells when tests begin and end, and now and then the processor time of the whole run. That which passed between two
such looks is shared among the tests that ran meanwhile, by their time, so that only tests one by one are told apart.
"""

import time


class Costs:
    def __init__(self):
        # The processor time of each test, of programs and of the system.
        self.of_tests = {}
        # The tests that run, with the time from which on they have not been charged; how long others ran since the last look.
        self.running, self.ended = {}, {}
        self.last = (0.0, 0.0)

    def begin(self, name, instant):
        self.running[name] = instant

    def end(self, name, instant):
        self.ended[name] = instant - self.running.pop(name, instant)

    def look(self, processor_times):
        """Charges the tests since the last look with what passed since then."""
        now = time.monotonic()
        spans = dict(self.ended)
        for name, since in self.running.items():
            spans[name] = spans.get(name, 0) + max(now - since, 0)
            self.running[name] = now
        passed = [max(each - before, 0) for each, before in zip(processor_times, self.last)]
        whole = sum(spans.values())
        if whole <= 0:
            return
        self.last = tuple(map(max, processor_times, self.last))
        self.ended = {}
        for name, span in spans.items():
            costs = self.of_tests.setdefault(name, [0.0, 0.0])
            for index, each in enumerate(passed):
                costs[index] += each * span / whole


def table(costs, most):
    """The tests that cost most, and what all tests of each target cost: lines of text."""
    rows = sorted(costs.items(), key=lambda row: -sum(row[1]))
    targets = {}
    for name, (user, system) in rows:
        whole = targets.setdefault(name.partition(".")[0], [0.0, 0.0])
        whole[0] += user
        whole[1] += system
    lines = [f"{'processor':>10}{'of it system':>14}   test"]
    lines += [f"{sum(each):9.1f}s{each[1]:13.1f}s   {name}" for name, each in rows[:most]]
    lines += [f"{'processor':>10}{'of it system':>14}   all tests of a target"]
    lines += [f"{sum(each):9.1f}s{each[1]:13.1f}s   {name}" for name, each in sorted(targets.items(), key=lambda row: -sum(row[1]))]
    user, system = (sum(each[index] for each in costs.values()) for index in (0, 1))
    return lines + [f"{user + system:9.1f}s{system:13.1f}s   in all"]
