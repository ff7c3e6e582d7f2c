import EaselCore

/// A format at the beginning of a path, as in `/@webp/...`, in place of the field `Accept`.
///
/// It is for caches that cannot keep an answer for each `Accept`: a rule of theirs writes it into the path. It is no part
/// of what is signed, because such a rule knows no keys, and it chooses among the formats that the server offers anyway.
enum FormatPrefix {
  /// The name that stands for the formats that every client reads.
  private static let plain = "default"

  /// The request without its format, which it accepts now; nil if its path names none of these formats.
  static func taken(from request: ServiceRequest, _ settings: ServiceSettings) -> ServiceRequest? {
    guard let start = settings.formatStart, request.target.hasPrefix(start) else { return nil }
    let (formats, names) = (settings.values.negotiatedFormats, settings.formats)
    let rest = request.target.dropFirst(start.count)
    guard let slash = rest.firstIndex(of: "/") else { return nil }
    let name = String(rest[..<slash])
    guard name == plain || names.format(named: name).map(formats.contains) == true else { return nil }
    var request = request
    request.target = settings.values.pathPrefix + rest[slash...]
    request.headers["Accept"] = name == plain ? "*/*" : names.format(named: name).map { "\($0.mimeType),*/*;q=0.1" }
    return request
  }
}
