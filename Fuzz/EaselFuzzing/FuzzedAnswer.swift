import EaselSandbox

/// Reads answers of a sandbox's child that somebody else wrote.
@_cdecl("easel_fuzz_answer")
public func fuzzAnswer(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
  let message = Array(UnsafeBufferPointer(start: bytes, count: count))
  guard let again = rewrittenSandboxAnswer(message) else { return }
  // What was read can be written, and is then read as the same.
  precondition(rewrittenSandboxAnswer(again) == again, "An answer changes when it is written again.")
}
