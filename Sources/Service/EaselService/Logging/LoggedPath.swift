/// The part of a request's path that may stand in a log: the options, without the signature and without the source.
///
/// The source is left out because it may have credentials, or be encoded in a way that hides them.
enum LoggedPath {
  private static let longestOption = 24

  static func text(_ target: String, _ route: ServiceRoute) -> String {
    let path = target.unicodeScalars.prefix { $0 != "?" && $0 != "#" }
    let whole = String(String.UnicodeScalarView(path))
    switch route {
    case .health, .ready, .playground, .purge: return whole
    case .picture, .original, .info, .other: break
    }
    var segments = whole.split(separator: "/", omittingEmptySubsequences: true)[...]
    var shown: [String] = []
    if segments.first == "info" {
      shown.append("info")
      segments.removeFirst()
    }
    if let signature = segments.popFirst() {
      shown.append(["unsafe", "insecure", "_"].contains(signature) ? String(signature) : "*")
    }
    for segment in segments {
      guard let option = option(segment) else {
        shown.append("*")
        break
      }
      shown.append(option)
    }
    return "/" + shown.joined(separator: "/")
  }

  /// An option as it may be shown; nil if the segment may belong to the source.
  private static func option(_ segment: Substring) -> String? {
    let parts = segment.split(separator: ":", omittingEmptySubsequences: false)
    guard let name = parts.first, (1...longestOption).contains(name.utf8.count), name.utf8.allSatisfy(isInName),
      // Its arguments may be URLs.
      !["plain", "enc", "filters"].contains(name),
      // Encoded sources have upper-case letters from their second byte on, so they are never taken for a word.
      parts.count > 1 || name.utf8.count <= 12
    else { return nil }
    let arguments = parts.dropFirst().map { argument in
      argument.utf8.count <= longestOption && argument.utf8.allSatisfy(isInArgument) ? String(argument) : "*"
    }
    return ([String(name)] + arguments).joined(separator: ":")
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func isInArgument(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: ","): true
    default: isInName(byte)
    }
  }
}
