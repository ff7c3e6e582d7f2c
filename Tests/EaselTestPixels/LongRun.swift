import FoundationEssentials

/// The long run of tests, which tries all of what others try in turn.
package enum LongRun {
  /// True when `$EASEL_LONG_RUN` is set, as `script/test --rounds damage` does.
  package static let isOn = ProcessInfo.processInfo.environment["EASEL_LONG_RUN"] != nil
}
