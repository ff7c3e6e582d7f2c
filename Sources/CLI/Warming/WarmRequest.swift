import Easel
import EaselService
import EaselSupport
import FoundationEssentials

/// What is asked of each source.
struct WarmVariant: Hashable, Sendable {
  var options: String?
  var format: String?
  /// The field `Accept`.
  var accept: String?
}

/// A request for a variant of a picture.
struct WarmRequest: Hashable, Sendable {
  let index: Int
  let source: String
  /// The path at the server, signed if it has to be.
  let path: String
  let accept: String?
}

/// The lines of a list of sources.
enum WarmList {
  /// The lines that count; `-` is standard input.
  static func lines(of path: String) throws(ImageError) -> [String] {
    let bytes: ImageBytes
    if path == "-" {
      bytes = try InputReader.everything(ofStandardInputAs: "the list")
    } else {
      bytes = try ImageBytes(contentsOfFile: path)
    }
    let text: String
    do {
      text = try bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    } catch {
      throw ImageError.wrapping(error, as: .invalidRequest, "The list could not be read.", subject: path)
    }
    return SettingLine.lines(of: text).map(\.text)
  }
}

/// Makes the paths of requests.
struct WarmPaths {
  /// Signs paths; nil if they need no signatures.
  let work: SigningWork?

  /// The requests for a line of a list.
  func requests(for line: String, _ variants: [WarmVariant]) throws(UsageError) -> [WarmRequest] {
    var requests: [WarmRequest] = []
    // Options and formats are a part of a whole path already.
    var accepts: Set<String?> = []
    for variant in variants {
      if line.hasPrefix("/") {
        guard accepts.insert(variant.accept).inserted else { continue }
        requests.append(WarmRequest(index: Self.next(), source: line, path: line, accept: variant.accept))
      } else {
        requests.append(
          WarmRequest(index: Self.next(), source: line, path: try path(of: line, variant), accept: variant.accept))
      }
    }
    return requests
  }

  func path(of source: String, _ variant: WarmVariant) throws(UsageError) -> String {
    let work = work ?? SigningWork(settings: ServeSettings())
    let path = try work.path(of: source, options: variant.options, format: variant.format)
    return self.work == nil ? "/unsafe" + path : try work.signed(path, expires: nil, now: 0)
  }

  private static let numbers = Locked(0)

  private static func next() -> Int {
    numbers.withLock { number in
      number += 1
      return number
    }
  }
}
