/// Random numbers that depend only on the seed.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Gives the same numbers for the same seed.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  public mutating func next() -> UInt64 {
    // A counter and a mixing function (SplitMix64): every seed is good, even zero.
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to `bound - 1`, cheap in a debug build; its slight bias does not matter to tests.
  package mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 1) % bound }

  /// A positive number whose magnitude is drawn first, so that small and huge numbers are equally likely.
  package mutating func magnitude(upToBits bits: Int) -> Int {
    let width = below(bits) + 1
    return max(1, Int(truncatingIfNeeded: next() & (UInt64.max >> UInt64(64 - width))))
  }

  package mutating func element<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}
