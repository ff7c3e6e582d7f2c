import EaselSupport
import Glibc
import Testing

struct CPUBudgetTests {
  @Test func thereIsAtLeastOneProcessorAndNoMoreThanTheMachineHas() {
    #expect((1...max(1, sysconf(Int32(_SC_NPROCESSORS_CONF)))).contains(CPUBudget.processors))
  }

  @Test(arguments: [
    ("Name:\teasel\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n", 2),
    ("Cpus_allowed:\tff\n", 8),
    ("Cpus_allowed:\t00000001,80000000\n", 2),
    ("Cpus_allowed:\tffffffff,ffffffff\n", 64),
    ("Cpus_allowed_list:\t0-7\n", nil),
    ("Cpus_allowed:\t0\n", nil),
    ("Cpus_allowed:\n", nil),
    ("", nil),
  ])
  func theMaskOfAProcessIsCounted(status: String, expected: Int?) {
    #expect(CPUBudget.processors(allowedIn: status) == expected)
  }

  @Test(arguments: [
    ("0.52 0.48 0.31 1/104 25557\n", 2, true),
    ("0.52 0.48 0.31 2/104 25557\n", 2, false),
    ("0.52 0.48 0.31 3/104 25557\n", 2, false),
    ("0.52 0.48 0.31 7/104 25557\n", 8, true),
    ("0.52 0.48 0.31\n", 8, false),
    ("0.52 0.48 0.31 many/104 25557\n", 8, false),
    ("", 8, false),
  ])
  func aProcessorIsIdleIfFewerThreadsRun(load: String, count: Int, expected: Bool) {
    #expect(CPUBudget.hasIdleProcessor(of: count, load: load) == expected)
  }

  @Test(arguments: [
    ("200000 100000\n", 2),
    ("150000 100000\n", 2),
    ("50000 100000\n", 1),
    ("100001 100000", 2),
    ("max 100000\n", nil),
    ("-1 100000\n", nil),
    ("100000 0\n", nil),
    ("100000\n", nil),
    ("", nil),
  ])
  func theQuotaOfAControlGroupIsRoundedUp(text: String, expected: Int?) {
    #expect(CPUBudget.processors(inQuota: text) == expected)
  }
}
