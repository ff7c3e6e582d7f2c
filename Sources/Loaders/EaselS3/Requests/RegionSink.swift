import EaselCore
import EaselHTTP

/// Passes a response on, unless its head says that the bucket is in another region.
final class RegionSink: HeadCheckingSink {
  let sink: any LoadSink
  private let region: String

  init(_ sink: any LoadSink, region: String) {
    self.sink = sink
    self.region = region
  }

  func check(_ head: ResponseHead) throws {
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
