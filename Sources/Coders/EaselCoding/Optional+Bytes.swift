import FoundationEssentials

extension Optional<Data> {
  /// Calls `body` with the bytes as C takes them: the first one and their number, or nothing.
  package func withBytesForC<Result>(_ body: ((UnsafePointer<UInt8>?, Int)) -> Result) -> Result {
    (self ?? Data()).withUnsafeBytes { body(($0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count)) }
  }
}
