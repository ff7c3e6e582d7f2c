import CEaselCurl
import EaselCore
import FoundationEssentials

/// The rest of a body of which the beginning is there.
struct BodyRange {
  /// What a response means for it.
  enum Verdict {
    /// The rest follows.
    case goesOn
    /// The whole follows.
    case startsAgain
    /// It is of another body; the whole must be asked for.
    case isAnother
    /// Neither.
    case failed
  }

  let start: Int
  let length: Int
  let validator: String
  let head: ResponseHead

  var lines: [String] { ["Range: bytes=\(start)-", "If-Range: \(validator)", "Accept-Encoding: identity"] }

  func verdict(on lines: ResponseLines, from url: URL?) -> Verdict {
    switch lines.status {
    case 206: isRest(lines, from: url) ? .goesOn : .isAnother
    case 200: .startsAgain
    case 412, 416: .isAnother
    default: .failed
    }
  }

  /// Whether what follows is what was asked for, of the very version that the beginning is of.
  private func isRest(_ lines: ResponseLines, from url: URL?) -> Bool {
    let range = "bytes \(start)-\(length - 1)/\(length)"
    guard KeyText.isSame(lines.headers["Content-Range"], range), lines.packing == nil,
      lines.announcedLength == nil || lines.announcedLength == length - start,
      // Several parts lie between lines of their own.
      lines.headers["Content-Type"]?.lowercased().hasPrefix("multipart/byteranges") != true,
      let url, KeyText.isSame(url.absoluteString, head.url?.absoluteString)
    else { return false }
    // A server must repeat the validators, and one that knows nothing of If-Range would send whatever it has now.
    guard KeyText.isSame(lines.headers["ETag"], head.headers["ETag"]) else { return false }
    return validator.hasPrefix("\"") || KeyText.isSame(lines.headers["Last-Modified"], validator)
  }

  /// The head of the whole body, made of the one that it came with at first and what is newer in that of the rest.
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

  /// A validator that promises the same bytes; nil where there is none or the server takes no ranges.
  static func strongValidator(of head: ResponseHead) -> String? {
    guard head.status == 200, head.headers["Content-Encoding"] == nil else { return nil }
    if let ranges = head.headers["Accept-Ranges"], ranges.lowercased() == "none" { return nil }
    if let tag = head.headers["ETag"] {
      // One without anything in it names no version.
      return EntityTag.isOne(tag) && !EntityTag.isWeak(tag) && tag.utf8.count > 2 ? tag : nil
    }
    // A date tells two versions apart only when no second one can have been made within its second.
    guard let changed = head.headers["Last-Modified"], let date = head.headers["Date"] else { return nil }
    let (change, now) = (curl_getdate(changed, nil), curl_getdate(date, nil))
    let canBeSent = changed.isFieldText && changed.utf8.allSatisfy { $0 < 128 }
    return change > 0 && now - change >= 60 && canBeSent ? changed : nil
  }
}
