import EaselCore

/// Passes a response on, unless its head says that the bucket is in another region.
final class RegionSink: LoadSink {
  private let sink: any LoadSink
  private let region: String

  init(_ sink: any LoadSink, region: String) {
    self.sink = sink
    self.region = region
  }

  func beginAtOnce(_ head: ResponseHead) throws -> Bool {
    try check(head)
    return try sink.beginAtOnce(head)
  }

  func begin(_ head: ResponseHead) async throws {
    try check(head)
    try await sink.begin(head)
  }

  func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand { sink.append(bytes) }

  func restart(at offset: Int) { sink.restart(at: offset) }

  var receivedBytes: ImageBytes? { sink.receivedBytes }

  func whenReady(_ resume: @escaping @Sendable () -> Void) { sink.whenReady(resume) }

  private func check(_ head: ResponseHead) throws {
    guard let status = head.status, [301, 307, 400].contains(status),
      let other = head.headers["x-amz-bucket-region"], other != region, Self.isRegion(other)
    else { return }
    throw RegionRedirect(region: other)
  }

  /// True for a text that can be part of a host name.
  private static func isRegion(_ text: String) -> Bool {
    (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || $0 == UInt8(ascii: "-")
      }
  }
}
