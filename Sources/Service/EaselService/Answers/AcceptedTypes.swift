import EaselCore

/// The media types that a client accepts, with their weights.
struct AcceptedTypes: Sendable {
  /// A longer field is not worth reading.
  private static let mostBytes = 1024

  private let weights: [String: Double]

  /// Reads the `Accept` field; a field that is missing, too long or damaged accepts everything equally.
  init(_ field: String?) {
    guard let field, field.utf8.count <= Self.mostBytes else {
      weights = [:]
      return
    }
    var weights: [String: Double] = [:]
    for member in field.split(separator: ",") {
      let parts = member.split(separator: ";").map { $0.trimmed }
      guard let type = parts.first, !type.isEmpty, let weight = Self.weight(parts.dropFirst()) else { continue }
      weights[HTTPHeaders.folded(String(type))] = weight
    }
    self.weights = weights
  }

  /// The weight among the parameters, 1 if none is stated; nil if it is no number from 0 to 1.
  private static func weight(_ parameters: ArraySlice<Substring>) -> Double? {
    guard let stated = parameters.first(where: { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }) else { return 1 }
    guard let weight = Double(stated.dropFirst(2)), weight >= 0, weight <= 1 else { return nil }
    return weight
  }

  /// The formats that the client names itself, the heaviest first; equal weights keep the server's order.
  ///
  /// A wildcard does not count: clients that send `*/*` read only what every client reads.
  func named(among formats: [ImageFormat]) -> [ImageFormat] {
    let weighed = formats.enumerated().compactMap { index, format in
      weights[format.mimeType].flatMap { $0 > 0 ? (format: format, weight: $0, index: index) : nil }
    }
    return weighed.sorted { ($0.weight, $1.index) > ($1.weight, $0.index) }.map(\.format)
  }

  /// True unless the client refuses this format by name.
  func allows(_ format: ImageFormat) -> Bool { weights[format.mimeType] != 0 }

  /// True if the client names a media type, and would rather have it than the other one.
  func prefers(_ type: String, to other: String) -> Bool { weights[type] ?? 0 > weights[other] ?? 0 }

  /// True if a client that reads this kind of text prefers it to plain text.
  func prefersJSON() -> Bool {
    guard let json = weights["application/json"], json > 0 else { return false }
    return json >= weights["text/plain"] ?? 0
  }
}

extension Substring {
  /// The text without blanks around it.
  var trimmed: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
