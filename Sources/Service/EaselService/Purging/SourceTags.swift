import EaselCore

/// The tags that a source has given its picture.
struct SourceTags: Sendable {
  /// The tags in the order of the fields.
  var names: [String] = []
  /// The number of the newest purge of a tag that was known when the source was asked.
  var newestPurge: UInt64 = 0

  /// The fields in which sources and their caches name tags.
  static let fields = ["Cache-Tag", "Surrogate-Key"]
  /// The field in which the newest purge of a tag is kept with the response.
  private static let stamp = "X-Easel-Newest-Tag-Purge"

  static let most = 100
  private static let longest = 256

  init() {}

  /// Reads the tags of the response in a record.
  init(_ record: CacheRecord) {
    guard let headers = record.response?.headers else { return }
    names = Self.names(in: headers)
    if !names.isEmpty { newestPurge = headers[Self.stamp].flatMap { UInt64($0) } ?? 0 }
  }

  private static func names(in headers: HTTPHeaders) -> [String] {
    var names: [String] = []
    for field in fields {
      for value in headers.values(of: field) {
        for word in value.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
          let name = String(word)
          if names.count < most, isTag(name), !names.contains(name) { names.append(name) }
        }
      }
    }
    return names
  }

  /// True for a tag: visible ASCII without commas, as all caches take them.
  static func isTag(_ text: String) -> Bool {
    (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C }
  }

  /// The head of a source's response, with the newest purge of a tag at the time of the request if it has tags.
  static func stamped(_ head: ResponseHead, for request: LoadRequest) -> ResponseHead {
    var head = head
    let hasTags = fields.contains { head.headers[$0] != nil }
    head.headers[stamp] = hasTags ? "\(request.context[.newestTagPurge] ?? 0)" : nil
    return head
  }
}
