import FoundationEssentials

extension Optional<Data> {
  /// Calls `body` with the bytes in the form for C: a pointer to the first byte and the count, or nil and 0.
  package func withBytesForC<Result>(_ body: ((UnsafePointer<UInt8>?, Int)) -> Result) -> Result {
    (self ?? Data()).withUnsafeBytes { body(($0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count)) }
  }
}
