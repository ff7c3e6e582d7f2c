import FoundationEssentials

/// How often the tests of faults repeat: a few times, unless somebody asked for more.
func faultRounds(_ usual: Int) -> Int {
  let factor = ProcessInfo.processInfo.environment["EASEL_FAULT_FACTOR"].flatMap { Int($0) } ?? 1
  return usual * max(1, factor)
}
