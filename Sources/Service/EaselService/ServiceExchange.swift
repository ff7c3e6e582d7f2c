import EaselCore
import EaselManager
import EaselObserving
import EaselSupport
import EaselTiers
import FoundationEssentials

/// One request and the fields that every answer to it has.
struct ServiceExchange: Sendable {
  let request: ServiceRequest
  /// True if the path named the format, so that the answer does not depend on `Accept`.
  let hasFormatInPath: Bool
  let settings: ServiceSettings
  /// The name of the request in logs and errors.
  let id: String

  private static let mostTargetBytes = 16_384
  private static let methods = ["GET", "HEAD", "OPTIONS"]

  init(_ request: ServiceRequest, _ settings: ServiceSettings) {
    let taken = FormatPrefix.taken(from: request, settings)
    self.request = taken ?? request
    hasFormatInPath = taken != nil
    self.settings = settings
    id = request.id ?? request.headers[Self.idField].flatMap(Self.cleaned) ?? Self.newID()
  }

  // MARK: Routes

  enum Route {
    case text(String)
    case health, readiness
    case options
    case purge
    case playground(Playground, Playground.Route)
    case picture(MountedAddress)
  }

  func route() throws(ServiceError) -> Route {
    if isPurge { return .purge }
    guard Self.methods.contains(request.method) else {
      throw ServiceError(405, "The method must be one of \(Self.methods.joined(separator: ", ")).")
    }
    guard !request.hasBody else { throw ServiceError(413, "A request for a picture has no body.") }
    guard request.target.utf8.count <= Self.mostTargetBytes else {
      throw ServiceError(414, "The address has more than \(Self.mostTargetBytes) bytes.")
    }
    guard request.target.hasPrefix(settings.pathStart) else {
      throw ServiceError(404, "There is nothing at this address.")
    }
    let target = request.target.dropFirst(settings.values.pathPrefix.count)
    if request.method == "OPTIONS" { return .options }
    if let playground = settings.values.playground, let route = Playground.route(target) {
      return .playground(playground, route)
    }
    let path = target.withoutQuery
    switch path {
    case "/health": return .health
    case "/ready": return .readiness
    case "/": return .text("This is a picture server.")
    case "/favicon.ico", "/robots.txt": throw ServiceError(404, "There is nothing at this address.")
    default:
      guard let address = mountedAddress else { throw ServiceError(404, "There is nothing at this address.") }
      return .picture(address)
    }
  }

  private var isPurge: Bool {
    guard request.method == "POST", !request.hasBody, request.target.utf8.count <= Self.mostTargetBytes,
      request.target.hasPrefix(settings.pathStart)
    else { return false }
    return request.target.dropFirst(settings.values.pathPrefix.count).withoutQuery == PurgeCall.path
  }

  /// The address with the grammar that is served there; nil for none.
  private var mountedAddress: MountedAddress? {
    MountedAddress(request.target.dropFirst(settings.values.pathPrefix.count), among: settings.mounts)
  }

  /// The address of a grammar's prefix, with scheme and host, as clients see it.
  func base(of mount: GrammarMount) -> String {
    (settings.values.publicOrigin ?? "http://\(request.headers["Host"].flatMap(Self.cleanedHost) ?? "localhost")")
      + settings.values.pathPrefix + mount.prefix
  }

  /// The field as it may stand in a document; nil if it is no host.
  private static func cleanedHost(_ host: String) -> String? {
    let isHost = host.utf8.allSatisfy { byte in
      PercentEscapes.isUnreserved(byte) || ":[]".utf8.contains(byte)
    }
    return isHost && (1...255).contains(host.utf8.count) ? host : nil
  }

  // MARK: Answers

  /// A picture that was found or made.
  ///
  /// `most` bounds the seconds for which clients keep it.
  func response(
    _ found: EncodedImage, tag: String? = nil, tags: SourceTags? = nil, for wanted: WantedImage,
    keptAtMost most: Int = .max, at now: Date
  ) -> ServiceResponse {
    var response = response(
      found.bytes, found.format, tag: tag ?? found.entityTag, tags ?? SourceTags(found.record),
      cacheControl: found.isPartial
        ? briefAge(of: found.record, for: wanted, at: now)
        : age(of: found.record, for: wanted, keptAtMost: most, at: now), for: wanted)
    if found.isPartial { response.headers.add(Self.damageField, Self.partial) }
    response.details.cache = RequestLogEntry.Cache(found.source)
    return response
  }

  /// The name of the field that says how the request is named in logs.
  private static let idField = "X-Request-ID"

  /// True if the answer does not depend on what the client says that it has.
  var takesPreparedFields: Bool {
    !request.headers.fields.contains { HTTPHeaders.isSame($0.name, "If-None-Match") }
  }

  /// The fields of an answer that other requests for the same picture get too.
  func preparedFields(of response: ServiceResponse) -> PreparedFields {
    let own = [Self.idField, "Content-Length"]
    return PreparedFields(response.headers.filtered { name in !own.contains { HTTPHeaders.isSame($0, name) } })
  }

  /// An answer with fields that were made for another request, whose picture and moment were the same.
  func response(_ found: EncodedImage, _ fields: PreparedFields, _ details: ResponseDetails) -> ServiceResponse {
    var response = ServiceResponse(
      fields, adding: [(Self.idField, id), ("Content-Length", "\(found.bytes.count)")],
      body: request.method == "HEAD" ? [] : [found.bytes])
    response.details = details
    response.details.cache = RequestLogEntry.Cache(found.source)
    return response
  }

  /// The field that names a part of a damaged picture, and its value.
  static let (damageField, partial) = ("X-Easel-Damaged", "partial")

  /// The time for which a part of a damaged picture may be kept, which may soon be whole.
  private func briefAge(of record: CacheRecord, for wanted: WantedImage, at now: Date) -> String {
    let seconds = min(settings.values.cacheLifetime.partTimeToLive, wanted.order.maxAge ?? .max)
    let life = CacheLifetime.life(until: wanted.order.expires, at: now)
    return CacheLifetime.field(ofPrivate: record) ?? CacheLifetime.field(briefly: seconds, within: life)
  }

  /// A picture in place of one that cannot be had.
  func fallbackResponse(_ found: EncodedImage, for wanted: WantedImage, at now: Date) -> ServiceResponse {
    let seconds = min(settings.values.cacheLifetime.fallbackTimeToLive, wanted.order.maxAge ?? .max)
    let life = CacheLifetime.life(until: wanted.order.expires, at: now)
    var response = response(
      found.bytes, found.format, tag: nil, SourceTags(found.record),
      cacheControl: CacheLifetime.field(ofPrivate: found.record) ?? CacheLifetime.field(briefly: seconds, within: life),
      for: wanted)
    response.status = settings.values.fallbackStatus
    return response
  }

  /// The bytes of an original.
  func response(
    original: OriginalBytes, _ format: ImageFormat, for wanted: WantedImage, at now: Date
  ) -> ServiceResponse {
    let tag = "\"\(original.record.generation)\""
    return response(
      original.bytes, format, tag: tag, SourceTags(original.record),
      cacheControl: age(of: original.record, for: wanted, at: now), for: wanted)
  }

  /// The time for which an answer with this record may be kept.
  private func age(
    of record: CacheRecord, for wanted: WantedImage, keptAtMost most: Int = .max, at now: Date
  ) -> String {
    let cacheLifetime = settings.values.cacheLifetime
    return cacheLifetime.field(
      for: record, wanted: min(wanted.order.maxAge ?? cacheLifetime.timeToLive, most),
      within: CacheLifetime.life(until: wanted.order.expires, at: now), at: now)
  }

  private func response(
    _ bytes: ImageBytes, _ format: ImageFormat, tag: String?, _ tags: SourceTags, cacheControl: String,
    for wanted: WantedImage
  ) -> ServiceResponse {
    var headers = commonHeaders
    headers.add("Cache-Control", cacheControl)
    if let tag { headers.add("ETag", tag) }
    noteFields(of: wanted, in: &headers)
    add(tags, of: wanted, to: &headers)
    for link in wanted.links { headers.add("Link", link) }
    var response: ServiceResponse
    if let tag, has(tag) {
      response = ServiceResponse(status: 304, headers: headers)
    } else {
      headers.add("Content-Type", format.mimeType)
      if let disposition = Disposition.field(
        fileName: wanted.order.fileName, isAttachment: wanted.order.isAttachment, format: format, settings.formats)
      {
        headers.add("Content-Disposition", disposition)
      }
      response = self.response(status: 200, headers, bytes)
    }
    response.details.route = wanted.order.answer == .original ? .original : .picture
    response.details.source = wanted.order.source
    response.details.format = format
    if !tags.names.isEmpty { (response.details.tags, response.details.taggedSource) = (tags, wanted.url) }
    return response
  }

  /// Tells caches on the way that the source was asked with fields of the request.
  private func noteFields(of wanted: WantedImage, in headers: inout HTTPHeaders) {
    let names = settings.values.passing.names(for: wanted.url)
    guard !names.isEmpty else { return }
    headers["Vary"] = ([headers["Vary"]].compactMap { $0 } + names).joined(separator: ", ")
    if wanted.passed.hasCredentials { headers["Cache-Control"] = "private, no-store" }
  }

  /// Adds the fields by which caches on the way to the client know the tags of the URL and of its source.
  private func add(_ tags: SourceTags, of wanted: WantedImage, to headers: inout HTTPHeaders) {
    guard !tags.names.isEmpty || !wanted.order.cacheTags.isEmpty else { return }
    let own = wanted.order.cacheTags
    let names = own + tags.names.filter { !own.contains($0) }
    headers.add("Cache-Tag", names.joined(separator: ","))
    headers.add("Surrogate-Key", names.joined(separator: " "))
  }

  /// The report about a purge.
  func response(_ report: PurgeReport, for call: PurgeCall) -> ServiceResponse {
    var headers = commonHeaders
    headers["Cache-Control"] = "no-store"
    headers["Content-Type"] = "application/json"
    var response = response(status: report.status, headers, ImageBytes(Array(report.json.utf8)))
    response.details.route = .purge
    return response
  }

  /// A document about a picture.
  func response(
    _ document: PictureDocument.Text, record: CacheRecord, for wanted: WantedImage, at now: Date
  ) -> ServiceResponse {
    let bytes = Array(document.text.utf8)
    let tag = "\"\(hexadecimal(SHA256.hash(bytes).prefix(16)))\""
    var headers = commonHeaders
    headers["Cache-Control"] = age(of: record, for: wanted, at: now)
    headers["ETag"] = tag
    // The media type and the address in it follow from the request.
    headers["Vary"] = "Accept"
    noteFields(of: wanted, in: &headers)
    for link in wanted.links { headers.add("Link", link) }
    var response: ServiceResponse
    if has(tag) {
      response = ServiceResponse(status: 304, headers: headers)
    } else {
      headers["Content-Type"] = document.mediaType
      response = self.response(status: 200, headers, ImageBytes(bytes))
    }
    response.details.route = .info
    response.details.source = wanted.order.source
    return response
  }

  /// Leads the client to another path of the same grammar.
  func redirect(to path: String, from wanted: WantedImage) -> ServiceResponse {
    redirect(to: settings.values.pathPrefix + wanted.mount.prefix + path, status: 303)
  }

  /// Leads the client to another address.
  func redirect(to address: String, status: Int) -> ServiceResponse {
    var headers = commonHeaders
    headers["Cache-Control"] = "no-store"
    headers["Location"] = address
    var response = response(status: status, headers, ImageBytes([]))
    response.details.route = .info
    return response
  }

  /// Facts about a picture.
  func response(_ facts: ImageFacts, for wanted: WantedImage, at now: Date) -> ServiceResponse {
    let tag = facts.entityTag
    var headers = commonHeaders
    headers["Cache-Control"] =
      facts.isPartial ? briefAge(of: facts.record, for: wanted, at: now) : age(of: facts.record, for: wanted, at: now)
    headers["ETag"] = tag
    noteFields(of: wanted, in: &headers)
    let tags = SourceTags(facts.record)
    add(tags, of: wanted, to: &headers)
    if facts.isPartial { headers[Self.damageField] = Self.partial }
    var response: ServiceResponse
    if has(tag) {
      response = ServiceResponse(status: 304, headers: headers)
    } else {
      headers["Content-Type"] = "application/json"
      response = self.response(status: 200, headers, ImageBytes(Array(facts.json(settings.formats).utf8)))
    }
    response.details.route = .info
    response.details.source = wanted.order.source
    response.details.format = ImageFormat(mimeType: "application/json")
    if !tags.names.isEmpty { (response.details.tags, response.details.taggedSource) = (tags, wanted.url) }
    return response
  }

  func response(text: String, status: Int = 200, for route: ServiceRoute = .other) -> ServiceResponse {
    var headers = commonHeaders
    headers["Cache-Control"] = "no-store"
    headers["Content-Type"] = "text/plain; charset=utf-8"
    var response = response(status: status, headers, ImageBytes(Array((text + "\n").utf8)))
    response.details.route = route
    return response
  }

  /// An error as one line of text, or as JSON if the client prefers it.
  func response(_ error: ServiceError, at now: Date) -> ServiceResponse {
    var headers = commonHeaders
    switch error.status {
    case 404, 410, 415, 422:
      headers["Cache-Control"] = CacheLifetime.field(
        briefly: 60, within: CacheLifetime.life(until: error.expires, at: now))
    default: headers["Cache-Control"] = "no-store"
    }
    if error.status == 405 { headers["Allow"] = Self.methods.joined(separator: ", ") }
    if let seconds = error.retryAfter { headers["Retry-After"] = "\(seconds)" }
    let details = settings.values.showsErrors ? error.details.map(settings.values.wording) : nil
    let option = error.limit.flatMap { settings.values.limitOptions[$0] }
    let message = details ?? error.message + (option.map { " The server's option \($0) sets this limit." } ?? "")
    let prefersJSON = AcceptedTypes(request.headers["Accept"]).prefersJSON()
    headers["Content-Type"] = prefersJSON ? "application/json" : "text/plain; charset=utf-8"
    let text =
      prefersJSON
      ? JSONText.object([
        ("status", .number(error.status)), ("error", .text(message)), ("request", .text(id)),
      ]) : "\(message.split(whereSeparator: \.isNewline).joined(separator: " ")) (request \(id))\n"
    var response = response(status: error.status, headers, ImageBytes(Array(text.utf8)))
    response.details.route = isForPicture ? .picture : .other
    response.details.error = error.code
    response.details.source = error.source
    return response
  }

  private var isForPicture: Bool {
    if case .picture? = try? route() { true } else { false }
  }

  /// The answer to a browser that asks what another site may do.
  func preflight() -> ServiceResponse {
    var headers = commonHeaders
    headers["Allow"] = Self.methods.joined(separator: ", ")
    headers["Access-Control-Allow-Methods"] =
      headers["Access-Control-Allow-Origin"] == nil ? nil : Self.methods.joined(separator: ", ")
    return ServiceResponse(status: 204, headers: headers)
  }

  private func response(status: Int, _ headers: HTTPHeaders, _ bytes: ImageBytes) -> ServiceResponse {
    var headers = headers
    headers.add("Content-Length", "\(bytes.count)")
    return ServiceResponse(status: status, headers: headers, body: request.method == "HEAD" ? [] : [bytes])
  }

  private func has(_ tag: String) -> Bool {
    let stated = request.headers.values(of: "If-None-Match")
    return !stated.isEmpty && EntityTags(stated).contain(tag)
  }

  private var commonHeaders: HTTPHeaders {
    var headers = settings.headers
    if hasFormatInPath { headers["Vary"] = settings.varyBesideAccept }
    headers.reserveCapacity(headers.fields.count + 8)
    if settings.hasOpenGrammars, settings.values.allowedOrigin == nil,
      mountedAddress?.mount.grammar.traits.contains(.servesEveryOrigin) == true
    {
      headers["Access-Control-Allow-Origin"] = "*"
    }
    headers.add(Self.idField, id)
    return headers
  }

  // MARK: Names of requests

  private static func cleaned(_ id: String) -> String? {
    let isPlain = id.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || "-_.".utf8.contains(byte)
    }
    return isPlain && (1...64).contains(id.utf8.count) ? id : nil
  }

  /// The system's generator would be asked by a call into the kernel for each request.
  private static func newID() -> String { String(TraceNumbers.next(), radix: 36) }
}

extension RequestLogEntry.Cache {
  init(_ source: ImageEvent.Source) {
    switch source {
    case .memory: self = .memory
    case .disk: self = .disk
    case .shared: self = .shared
    case .revalidated: self = .revalidated
    case .network, .bytes: self = .miss
    }
  }
}
