import EaselCore
import FoundationEssentials

/// An object in a bucket.
package struct S3Location: Hashable {
  package let bucket: String
  /// The name of the object.
  package let key: String

  init(bucket: String, key: String) {
    self.bucket = bucket
    self.key = key
  }

  /// Reads `s3://bucket/key`, or the same with another scheme; nil for anything else.
  package init?(_ url: URL, scheme: String = "s3") {
    let text = url.absoluteString
    let start = scheme + "://"
    guard text.prefix(start.count).lowercased() == start else { return nil }
    let rest = text.dropFirst(start.count).prefix { $0 != "?" && $0 != "#" }
    guard let slash = rest.firstIndex(of: "/") else { return nil }
    let bucket = String(rest[..<slash])
    guard Self.isBucket(bucket), let bytes = S3Escaping.unescaped(rest[rest.index(after: slash)...]),
      (1...Self.longestKey).contains(bytes.count), let key = String(validating: bytes, as: UTF8.self)
    else { return nil }
    self.init(bucket: bucket, key: key)
  }

  /// The longest name that S3 allows.
  private static let longestKey = 1024

  /// True for a name that S3 allows, so that nothing else becomes part of a host name.
  static func isBucket(_ name: String) -> Bool {
    (3...63).contains(name.utf8.count) && !name.hasPrefix(".") && !name.hasSuffix(".") && !name.contains("..")
      && name.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
