import Synchronization

/// Makes the numbers of traces and spans, which must differ, and are no secrets.
///
/// The system's generator would take longer than all else of a span. These are the numbers of SplitMix64, from a random
/// beginning.
package enum TraceNumbers {
  private static let state = Atomic<UInt64>(.random(in: 0 ... .max))

  /// A number that is not zero.
  package static func next() -> UInt64 {
    while true {
      var number = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
      number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
      number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
      number ^= number >> 31
      if number != 0 { return number }
    }
  }
}
