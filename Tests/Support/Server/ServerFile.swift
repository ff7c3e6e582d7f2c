import EaselCore

/// A file as web servers offer it: with validators and ranges.
public struct ServerFile: Hashable, Sendable {
  /// The bytes.
  public var body: [UInt8]
  /// The media type.
  public var contentType: String
  /// The entity tag, quotes included.
  public var etag: String?
  /// The date of the last change in HTTP's form; conditions compare the text exactly.
  public var lastModified: String?
  /// True when ranges are offered; otherwise `Range` gets the whole file.
  public var offersRanges: Bool
  /// Further header fields, such as `Cache-Control`.
  public var headers: [HTTPHeaders.Field] = []

  /// Serves a body with validators, and with ranges if wanted.
  public init(
    _ body: [UInt8], contentType: String = "application/octet-stream", etag: String? = "\"first\"",
    lastModified: String? = nil, offersRanges: Bool = true
  ) {
    self.body = body
    self.contentType = contentType
    self.etag = etag
    self.lastModified = lastModified
    self.offersRanges = offersRanges
  }

  /// The answer to a request: the whole file, a part, 304, or 416.
  public func answer(to request: ServerRequest) -> ServerScript {
    if isUnchanged(for: request) { return .reply(304, headers: validators) }
    guard offersRanges, isRangeWanted(by: request), let wanted = request.headers["Range"] else {
      return reply(200, body, to: request)
    }
    switch range(wanted) {
    case .none: return reply(200, body, to: request)
    case .some(let range) where range.isEmpty:
      return .reply(416, headers: [("Content-Range", "bytes */\(body.count)")])
    case .some(let range):
      let place = ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)")
      return reply(206, Array(body[range]), [place], to: request)
    }
  }

  private func reply(
    _ status: Int, _ bytes: [UInt8], _ more: [(String, String)] = [], to request: ServerRequest
  ) -> ServerScript {
    var fields = [("Content-Type", contentType), ("Content-Length", "\(bytes.count)")]
    if offersRanges { fields.append(("Accept-Ranges", "bytes")) }
    return .reply(status, headers: fields + more + validators, body: request.method == "HEAD" ? [] : bytes)
  }

  private var validators: [(String, String)] {
    var fields = headers.map { ($0.name, $0.value) }
    if let etag { fields.append(("ETag", etag)) }
    if let lastModified { fields.append(("Last-Modified", lastModified)) }
    return fields
  }

  private func isUnchanged(for request: ServerRequest) -> Bool {
    if let known = request.headers["If-None-Match"] {
      let tags = known.split(separator: ",").map { HTTPHeaders.trimmed($0) }
      return tags.contains { tag in tag == "*" || etag.map { Self.strong($0) == Self.strong(tag) } ?? false }
    }
    return lastModified != nil && request.headers["If-Modified-Since"] == lastModified
  }

  /// True when the range is wanted; false when `If-Range` names another version of the file.
  private func isRangeWanted(by request: ServerRequest) -> Bool {
    guard let condition = request.headers["If-Range"] else { return true }
    return condition.hasPrefix("W/") ? false : condition == etag || condition == lastModified
  }

  private static func strong(_ tag: String) -> String { tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag }

  /// The requested range; empty if it is outside the file, nil if it is to be ignored.
  private func range(_ text: String) -> Range<Int>? {
    guard text.hasPrefix("bytes="), !text.contains(",") else { return nil }
    let ends = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    switch (Int(ends[0]), Int(ends[1])) {
    case (nil, let length?) where ends[0].isEmpty: return max(0, body.count - length)..<body.count
    case (let first?, nil) where ends[1].isEmpty: return min(first, body.count)..<body.count
    case (let first?, let last?) where first <= last: return min(first, body.count)..<min(last + 1, body.count)
    default: return nil
    }
  }
}
