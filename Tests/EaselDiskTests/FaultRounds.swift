import FoundationEssentials

/// The number of rounds of tests with faults: `usual`, unless the environment asks for more.
func faultRounds(_ usual: Int) -> Int {
  let factor = ProcessInfo.processInfo.environment["EASEL_FAULT_FACTOR"].flatMap { Int($0) } ?? 1
  return usual * max(1, factor)
}
