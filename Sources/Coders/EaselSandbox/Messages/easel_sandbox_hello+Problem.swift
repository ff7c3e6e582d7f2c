import CEaselSandbox

extension easel_sandbox_hello {
  /// Creates the first message of a worker that cannot begin, with the reason.
  init(problem text: String) {
    self.init()
    version = UInt32(EASEL_SANDBOX_VERSION)
    // The last byte remains zero, to end the text.
    withUnsafeMutableBytes(of: &problem) { $0.copyBytes(from: text.utf8.prefix($0.count - 1)) }
  }

  /// The reason why the worker cannot begin; empty if it can.
  var problemText: String {
    withUnsafeBytes(of: problem) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
