import EaselCore

/// One filter as it is written in a URL: a name and the text between its brackets.
struct ThumborCall {
  let name: Substring
  private let text: Substring

  private static let mostFilters = 64
  private static let mostBytes = 4096
  private static let longestShown = 40

  /// The filters between `filters:` and the last closing bracket, which is not part of the text.
  static func all(in text: String) throws(ServiceError) -> [ThumborCall] {
    var rest = text[...]
    var calls: [ThumborCall] = []
    while true {
      let end = rest.firstRange(of: "):")
      calls.append(try ThumborCall(rest[..<(end?.lowerBound ?? rest.endIndex)]))
      guard calls.count <= mostFilters else {
        throw ServiceError(400, "The address has more than \(mostFilters) filters.")
      }
      guard let end else { return calls }
      rest = rest[end.upperBound...]
    }
  }

  private init(_ call: Substring) throws(ServiceError) {
    guard let bracket = call.firstIndex(of: "("), bracket != call.startIndex else {
      throw ServiceError(400, "A filter must be written as name(arguments), not '\(Self.shown(call))'.")
    }
    guard call.utf8.count <= Self.mostBytes else {
      throw ServiceError(
        400, "The filter \(Self.shown(call[..<bracket])) has more than \(Self.mostBytes) bytes.")
    }
    name = call[..<bracket]
    text = call[call.index(after: bracket)...]
  }

  static func shown(_ text: some StringProtocol) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestShown)))
  }

  func apply(to draft: inout ThumborDraft) throws(ServiceError) {
    guard let filter = ThumborFilter.byName[String(name)] else { throw ThumborFilter.unknown(name) }
    let arguments = try FilterArguments(filter: filter, text: text)
    try filter.apply(&draft, arguments)
  }
}
