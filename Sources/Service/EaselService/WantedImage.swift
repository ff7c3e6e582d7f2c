import EaselCore
import EaselManager
import EaselObserving
import EaselPixels
import EaselTransformers
import FoundationEssentials

/// A picture as a request wants it: what its URL orders, and what its client accepts.
struct WantedImage: Sendable {
  var order: ImageOrder
  var url: URL
  /// The uptime at which the request is answered at the latest; nil if the picture is only looked up.
  var deadline: Duration?
  /// The time for which the picture may be used, if this server does not hear of purges; nil if it does.
  var cutOff: String?
  /// The client that waits; nobody if the picture is only looked up.
  var client = AdmissionClient.nobody
  private let accepted: AcceptedTypes
  private let hints: ClientHints
  let mount: GrammarMount
  private let settings: ServiceSettings
  private let hopCount: Int
  /// The fields of the request that go on to the source.
  let passed: HTTPHeaders

  /// The load and the form of the bytes.
  struct Plan: Sendable {
    let request: ImageRequest
    let recipe: EncodeRecipe
    /// The form in which the picture goes out as long as that of `recipe` is not made; nil if the client waits for it.
    let meanwhile: EncodeRecipe?
  }

  init(_ place: MountedAddress, _ exchange: ServiceExchange, _ now: Date) throws(ServiceError) {
    settings = exchange.settings
    mount = place.mount
    let seconds = Int(now.timeIntervalSince1970)
    order = try mount.grammar.order(at: place.address)
    if let expires = order.expires, expires <= seconds { throw Self.expired }
    url = try (mount.sources ?? settings.values.sources).url(of: order.source)
    hopCount = try HopCount.next(after: exchange.request)
    let headers = exchange.request.headers
    passed = settings.values.passing.fields(of: headers, for: url)
    accepted = AcceptedTypes(settings.values.negotiatedFormats.isEmpty ? nil : headers["Accept"])
    hints = settings.values.usesClientHints ? ClientHints(headers) : .none
  }

  /// Throws if the address is not valid any more.
  func checkExpiry(at now: Date) throws(ServiceError) {
    if let expires = order.expires, expires <= Int(now.timeIntervalSince1970) { throw Self.expired }
  }

  private static let expired = ServiceError(410, "The address has expired.")

  /// The source, for the memory of those that take too long.
  var slowName: SlowImages.Name { .source(url, frame: order.frame, purge: context[.purgeNumber]) }

  // MARK: Plans

  /// The plan if it needs no other picture; nil if there is a watermark to be loaded first.
  func planWithoutWatermark() throws(ServiceError) -> Plan? {
    guard !order.needsWatermarks, order.passedFormats.isEmpty, order.format != .drawing else {
      return nil
    }
    return try plan(watermarks: [:])
  }

  func plan(watermarks: [WatermarkOrder.Picture: Watermark]) throws(ServiceError) -> Plan {
    if let format = order.format, !settings.values.manager.coders.canEncode(format) {
      throw ServiceError(415, "This server does not write pictures as \(format).")
    }
    let pipeline = try sized.pipeline { wanted throws(ServiceError) in
      guard let watermark = wanted.picture(own: settings.values.watermarkSource).flatMap({ watermarks[$0] }) else {
        throw ServiceError(400, "This server has no watermark of its own; name one in the address.")
      }
      return wanted.transformer(watermark)
    }
    var request = request()
    if !pipeline.isIdentity { request.context[.transformer] = pipeline }
    let recipe = recipe(in: formats)
    return Plan(request: request, recipe: recipe, meanwhile: meanwhile(recipe, pipeline))
  }

  /// The order with the width of the browser, and within the limits of the server if that is to make pictures smaller.
  private var sized: ImageOrder {
    var sized = order.applying(width: hints.width, pixelRatio: hints.pixelRatio)
    sized.fidelity = fidelity
    guard settings.values.reducesResults else { return sized }
    let most = settings.values.manager.limits.resultSide
    return sized.bounded(to: min(most, max(1, order.limits.resultSide ?? most)))
  }

  private var fidelity: Fidelity { order.fidelity ?? settings.values.fidelity }

  /// The load of the original.
  func request() -> ImageRequest {
    var request = ImageRequest(url: url, context: context)
    if client == .background { request.priority = .low }
    return request
  }

  /// The settings of every load for this request.
  var context: ImageContext {
    var context = context(of: url, tags: order.cacheTags)
    if !passed.isEmpty { context[.headers] = passed }
    return context
  }

  /// The settings of a load of a source, which has the tags of the URL if it is the one that the URL names.
  func context(of source: URL, tags: [String] = []) -> ImageContext {
    var context: ImageContext = [.hopCount(hopCount)]
    if let trace = TraceContext.current { context[.trace] = trace }
    settings.mark(&context, of: source, tags: tags, cutOff: cutOff)
    if let (limits, name) = order.limits.applied(to: settings.values.manager.limits) {
      (context[.limits], context[.ownLimits]) = (limits, name)
    }
    if !order.appliesOrientation || order.keeps16Bits {
      context[.decodeOptions] = DecodeOptions(
        appliesOrientation: order.appliesOrientation, keeps16Bits: order.keeps16Bits,
        damaged: settings.values.damaged)
    }
    if let hashsum = order.hashsum {
      let manager = settings.values.manager
      context[.decryptor] = HashsumCheck(hashsum: hashsum, next: manager.decryptor, workers: manager.workers)
    }
    context[.damaged] = order.damaged
    context[.deadline] = deadline
    if let region = order.region, let size = order.regionSize,
      region != PixelRect(covering: size) || size.area > settings.values.manager.limits.framePixels
    {
      context[.coder] = RegionCoder(
        settings.values.manager.coders, settings.cards, full: size, region: region, target: order.regionTarget,
        fidelity: fidelity, sizes: settings.sizes)
    }
    if order.frame > 0 { context[.coder] = FrameCoder(settings.values.manager.coders, frame: order.frame) }
    if let buster = order.cacheBuster { context[.cacheBuster] = buster }
    return context
  }

  /// The order for a picture whose upright size is known now.
  func completed(_ size: PixelSize) throws(ServiceError) -> WantedImage {
    guard let completion = order.completion else { return self }
    var wanted = self
    wanted.order = try completion(size)
    wanted.order.completion = nil
    // The source was checked under this name.
    wanted.order.source = order.source
    wanted.order.regionSize = size
    return wanted
  }

  /// The values of the fields `Link`.
  var links: [String] {
    var links: [String] = []
    if let path = order.canonicalPath {
      links.append("<\(settings.values.pathPrefix)\(mount.prefix)\(path)>;rel=\"canonical\"")
    } else if settings.values.sendsCanonicalLink, let link = canonicalLink {
      links.append(link)
    }
    if let profile = order.profile { links.append("<\(profile)>;rel=\"profile\"") }
    return links
  }

  /// The address of the source as a field of the head; nil for a file.
  private var canonicalLink: String? {
    guard url.scheme == "http" || url.scheme == "https" else { return nil }
    let text = url.absoluteString
    return text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ">") }
      ? "<\(text)>; rel=\"canonical\"" : nil
  }

  // MARK: Formats

  /// The same form without AVIF, if an AVIF takes so long to make that the client should not wait for it.
  private func meanwhile(_ recipe: EncodeRecipe, _ pipeline: TransformerPipeline) -> EncodeRecipe? {
    guard order.format == nil, isNegotiated, recipe.formats.first == .avif else { return nil }
    // The size of the original is not known yet; a square tells the size of the result as well as any other.
    var size = PixelSize(width: 8192, height: 8192)
    for case let step as any SizingTransformer in pipeline.members { size = step.resultSize(of: size) }
    guard size.area > settings.values.avif.mostAwaitedPixels else { return nil }
    let others = Array(recipe.formats.dropFirst())
    return self.recipe(in: others.isEmpty ? commonFormats : others)
  }

  /// A recipe for a result that is too large for some formats of another one; nil if the address names its format.
  func recipe(in recipe: EncodeRecipe, without oversized: Set<ImageFormat>) -> EncodeRecipe? {
    guard order.format == nil else { return nil }
    let rest = recipe.formats.filter { !oversized.contains($0) }
    if !rest.isEmpty { return self.recipe(in: rest) }
    var common = self.recipe(in: commonFormats.filter { !oversized.contains($0) })
    common.keepsFormat = true
    return common.formats.isEmpty ? nil : common
  }

  private func recipe(in formats: [ImageFormat]) -> EncodeRecipe {
    var recipe = EncodeRecipe(firstOf: formats)
    recipe.takesSmallest = order.takesSmallest
    recipe.keepsFormat = order.format == nil && !isNegotiated && !order.takesSmallest
    for format in recipe.formats { recipe.formatOptions[format] = options(for: format) }
    return recipe
  }

  /// The formats that the client accepts by name, of those that are offered.
  private var negotiated: [ImageFormat] { accepted.named(among: settings.values.negotiatedFormats) }

  private var isNegotiated: Bool { !negotiated.isEmpty }

  private var formats: [ImageFormat] {
    if let format = order.format { return [format] }
    // A GIF has few colours, so it would often be the smallest without looking as good.
    if order.takesSmallest { return negotiated + commonFormats.filter { $0 != .gif && !negotiated.contains($0) } }
    if isNegotiated { return negotiated }
    guard settings.values.negotiatedFormats.isEmpty else { return commonFormats }
    // Nobody chooses, so an original in one of these keeps its format.
    return settings.values.commonFormats + settings.values.keptFormats
  }

  /// The formats that every client reads, of which this client accepts one at least.
  private var commonFormats: [ImageFormat] {
    let common = settings.values.commonFormats.filter(accepted.allows)
    return common.isEmpty ? settings.values.commonFormats : common
  }

  private func options(for format: ImageFormat) -> EncodeOptions {
    var options = EncodeOptions()
    if let quality = settings.values.qualities[format] { options.defaultQuality = quality }
    // An option in a URL is asked for: an original must not stand for it.
    if let quality = order.quality ?? order.formatQualities[format] { options.quality = quality }
    options.settings[.scoreTarget] = order.scoreTarget
    if settings.values.qualityScale != .looks { options.settings[.qualityScale] = settings.values.qualityScale }
    options.maxFileBytes = order.maxBytes
    // The metadata of a picture need not be true of a part, and an original never stands for one.
    options.keepsMetadata = order.region == nil && order.keepsMetadata ?? settings.values.keepsMetadata
    options.keepsCopyright = order.keepsCopyright ?? false
    options.firstFrameOnly = order.frameCount == 1
    options.allowsPalette = true
    let own = order.tunings[format] ?? ImageOrder.Tuning()
    own.over(settings.values.tunings[format] ?? ImageOrder.Tuning()).apply(to: &options, for: format)
    return options
  }
}

extension ImageOrder.Limits {
  /// The limits of the server with the lower ones of the URL, and a text that names these; nil if it has none.
  func applied(to server: EaselCore.Limits) -> (limits: EaselCore.Limits, name: String)? {
    var (limits, names) = (server, [String]())
    func lower(_ limit: WritableKeyPath<EaselCore.Limits, Int>, to wanted: Int?, _ name: String) {
      guard let wanted, wanted < limits[keyPath: limit] else { return }
      limits[keyPath: limit] = wanted
      names.append("\(name)=\(wanted)")
    }
    let pixels = [sourcePixels, framePixels].compactMap { $0 }.min()
    lower(\.framePixels, to: pixels, "pixels")
    lower(\.downloadBytes, to: sourceBytes, "bytes")
    lower(\.frames, to: frameCount, "frames")
    lower(\.resultSide, to: resultSide, "side")
    return names.isEmpty ? nil : (limits, names.joined(separator: " "))
  }
}

/// Keeps the pictures apart that a URL wants under limits of its own.
///
/// A cache serves what it has, whatever its size. Without this key, an answer would depend on who asked before.
private enum OwnLimitsKey: ImageContext.Key {
  static let name = "urllimits"
  static let impact = ImageContext.Impact<String>.bytes { $0 }
}

/// Keeps the originals apart that a URL wants to be loaded anew.
private enum CacheBusterKey: ImageContext.Key {
  static let name = "cachebuster"
  static let impact = ImageContext.Impact<String>.bytes { $0 }
}

extension ContextKeys {
  fileprivate static let cacheBuster = ContextKey(CacheBusterKey.self)
  fileprivate static let ownLimits = ContextKey(OwnLimitsKey.self)
}
