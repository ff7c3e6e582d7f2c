import EaselCore

/// A sink that passes a response on, unless its own look at the head of the response throws.
package protocol HeadCheckingSink: LoadSink {
  /// The sink behind this one.
  var sink: any LoadSink { get }

  /// Throws if the response must not go on.
  func check(_ head: ResponseHead) throws
}

extension HeadCheckingSink {
  package func beginAtOnce(_ head: ResponseHead) throws -> Bool {
    try check(head)
    return try sink.beginAtOnce(head)
  }

  package func begin(_ head: ResponseHead) async throws {
    try check(head)
    try await sink.begin(head)
  }

  package func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand { sink.append(bytes) }
  package func restart(at offset: Int) { sink.restart(at: offset) }
  package var receivedBytes: ImageBytes? { sink.receivedBytes }
  package func whenReady(_ resume: @escaping @Sendable () -> Void) { sink.whenReady(resume) }
}
