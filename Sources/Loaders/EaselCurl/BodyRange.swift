import CEaselCurl
import EaselCore
import EaselHTTP
import EaselSupport
import FoundationEssentials

/// Requests the rest of a body whose beginning has arrived.
struct BodyRange {
  /// The meaning of a response to the range request.
  enum Verdict {
    /// The rest of the body follows.
    case rest
    /// The whole body follows.
    case whole
    /// The server now has another body, so the whole body must be requested.
    case other
    /// The server sends neither the rest nor the whole.
    case neither
  }

  let start: Int
  let length: Int
  let validator: String
  let head: ResponseHead

  init(start: Int, length: Int, validator: String, head: ResponseHead) {
    self.start = start
    self.length = length
    self.validator = validator
    self.head = head
  }

  /// Creates the request for the rest of a kept body.
  init(_ partial: PartialBody) {
    self.init(
      start: partial.bytes.count, length: partial.length, validator: partial.validator, head: partial.head)
  }

  var lines: [String] { fields.fields.map { "\($0.name): \($0.value)" } }

  /// The fields by which the rest is requested.
  var fields: HTTPHeaders {
    ["Range": "bytes=\(start)-", "If-Range": validator, "Accept-Encoding": "identity"]
  }

  func verdict(on lines: ResponseLines, from url: URL?) -> Verdict {
    switch lines.status {
    case 206: isRest(lines, from: url) ? .rest : .other
    case 200: .whole
    // The server may refuse the fields for ranges; a request for the whole body does not have these.
    case 400..<500: .other
    default: .neither
    }
  }

  /// True when the response contains the requested range of the same version of the body.
  private func isRest(_ lines: ResponseLines, from url: URL?) -> Bool {
    let range = "bytes \(start)-\(length - 1)/\(length)"
    guard ByteComparison.isSame(lines.headers["Content-Range"], range), lines.packing == nil,
      lines.announcedLength == nil || lines.announcedLength == length - start,
      // Multipart responses have additional lines between the parts.
      lines.headers["Content-Type"]?.lowercased().hasPrefix("multipart/byteranges") != true,
      let url, ByteComparison.isSame(url.absoluteString, head.url?.absoluteString)
    else { return false }
    // A server must repeat the validators. A server that ignores If-Range would send a range of its present version.
    guard ByteComparison.isSame(lines.headers["ETag"], head.headers["ETag"]) else { return false }
    return validator.hasPrefix("\"") || ByteComparison.isSame(lines.headers["Last-Modified"], validator)
  }

  /// The head of the whole body: the original head, with newer fields from the head of the rest.
  func joined(_ rest: ResponseHead) -> ResponseHead {
    var headers = head.headers
    var newer = rest.headers
    newer["Content-Range"] = nil
    newer["Content-Length"] = nil
    headers.merge(newer)
    headers["Content-Length"] = String(length)
    var whole = ResponseHead(url: rest.url, status: 200, headers: headers, expectedLength: length)
    whole.redirects = rest.redirects
    whole.sentFields = rest.sentFields
    return whole
  }

  /// A validator that guarantees equal bytes; nil when there is none, or when the server accepts no ranges.
  static func strongValidator(of head: ResponseHead) -> String? {
    guard head.status == 200, head.headers["Content-Encoding"] == nil else { return nil }
    if let ranges = head.headers["Accept-Ranges"], ranges.lowercased() == "none" { return nil }
    if let tag = head.headers["ETag"] {
      // An empty ETag identifies no version.
      return EntityTag.isOne(tag) && !EntityTag.isWeak(tag) && tag.utf8.count > 2 ? tag : nil
    }
    // A date identifies a version only if the body cannot have changed again within the same second.
    guard let changed = head.headers["Last-Modified"], let date = head.headers["Date"] else { return nil }
    let (change, now) = (curl_getdate(changed, nil), curl_getdate(date, nil))
    let canBeSent = changed.isFieldText && changed.utf8.allSatisfy { $0 < 128 }
    return change > 0 && now - change >= 60 && canBeSent ? changed : nil
  }
}

/// The beginning of a cut body, with the data that shows whether the rest still belongs to it.
struct PartialBody: Sendable {
  let bytes: ImageBytes
  /// The head that arrived with the beginning.
  let head: ResponseHead
  /// A strong validator: an ETag, or a date.
  let validator: String
  /// The length of the whole body.
  let length: Int
}
