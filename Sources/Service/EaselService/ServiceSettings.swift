import EaselCore
import EaselFormats

/// The configuration of a service, and what follows from it for every answer.
///
/// It is a class, because each request keeps it.
final class ServiceSettings: Sendable {
  let values: ImageService.Configuration
  /// The grammars, those with longer prefixes first.
  let mounts: [GrammarMount]
  /// True if pages of every origin may read the answers to some grammar.
  let hasOpenGrammars: Bool
  /// What is known of the formats.
  let cards: FormatCards
  /// The sizes of pictures, for orders that depend on them.
  let sizes = RecentSizes()
  /// The names of the formats that the coders know.
  let formats: FormatNames
  let learnedTags = LearnedTags()
  /// The beginning of every path.
  let pathStart: String
  /// The field `Vary` of answers that do not depend on `Accept`.
  let varyBesideAccept: String?
  /// The beginning of paths that name a format before all else; nil if there are none.
  let formatStart: String?
  /// The fields of every answer: a browser must neither guess a type nor run anything.
  let headers: HTTPHeaders

  init(_ values: ImageService.Configuration) {
    self.values = values
    hasOpenGrammars = values.grammars.contains { $0.grammar.traits.contains(.servesEveryOrigin) }
    mounts = values.grammars.sorted { $0.prefix.utf8.count > $1.prefix.utf8.count }
    formats = FormatNames(values.manager.coder)
    cards = FormatCards(values.manager.coder)
    pathStart = values.pathPrefix + "/"
    formatStart = values.negotiatedFormats.isEmpty ? nil : values.pathPrefix + "/@"
    var headers: HTTPHeaders = [
      "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
    ]
    var varying: [String] = values.negotiatedFormats.isEmpty ? [] : ["Accept"]
    if values.usesClientHints {
      varying += ClientHints.fields
      headers["Accept-CH"] = ClientHints.fields.joined(separator: ", ")
    }
    let others = varying.filter { $0 != "Accept" }
    varyBesideAccept = others.isEmpty ? nil : others.joined(separator: ", ")
    if !varying.isEmpty { headers["Vary"] = varying.joined(separator: ", ") }
    headers["Access-Control-Allow-Origin"] = values.allowedOrigin
    self.headers = headers
  }

  /// The client of a request: the value of the field that the operator chose, or else the address.
  ///
  /// Who says that others are more urgent waits for them.
  func client(of request: ServiceRequest) -> AdmissionClient {
    if request.isBackground { return .background }
    return rateClient(of: request)
  }

  /// The client whose requests are counted.
  func rateClient(of request: ServiceRequest) -> AdmissionClient {
    if let value = values.clientHeader.flatMap({ request.headers[$0] }), !value.isEmpty {
      return AdmissionClient(named: value)
    }
    return AdmissionClient(at: request.clientAddress)
  }
}
