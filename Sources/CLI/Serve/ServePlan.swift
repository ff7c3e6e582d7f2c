import Easel
import EaselListener
import EaselService
import FoundationEssentials

/// What the settings of `easel serve` mean for the service, its caches and its listeners.
struct ServePlan {
  let settings: ServeSettings

  /// The parts that outlive a change of the settings.
  struct Lasting {
    /// With what it knows about stores that fail.
    let cache: TieredCache
    let disk: SQLiteDiskStore?
    let memory: ServeMemory
    let shared: SharedLayer?
    let admission: Admission
    let metrics: ServiceMetrics
    let log: ServeLog
    let warnings: ServeWarnings
    let purges: PurgeLedger
    let sources = SourceHealths()
    let traces: ServeTraces?

    /// `note` receives what the operator should know.
    init(_ settings: ServeSettings, note: @escaping @Sendable (String) -> Void) throws(ImageError) {
      disk = settings.cacheFolder.map { folder in
        var limits = SQLiteDiskStore.Limits()
        limits.sizeLimit = settings.cacheBytes
        return SQLiteDiskStore(directory: folder, limits: limits)
      }
      let memory = ServeMemory(settings)
      self.memory = memory
      let admission = Admission(settings.admission)
      self.admission = admission
      traces = ServeTraces(settings)
      if let traces { SandboxUse.trace(to: traces.spans) }
      let metrics = ServiceMetrics(
        version: Program.version, formats: .program, memory: memory.figures, caches: Self.figures(memory.store, disk),
        others: sources.metrics + (traces?.spans.metrics ?? [])
      ) {
        admission.snapshot
      }
      self.metrics = metrics
      shared = try settings.sharedLayer(
        observer: { metrics.observe($0) }, traces: traces?.spans, log: note)
      cache = TieredCache(
        memory: memory.store, disk: disk, shared: shared?.store)
      log = ServeLog(settings)
      warnings = ServeWarnings(cacheFolder: settings.cacheFolder, note: note)
      purges = try settings.purgeLedger(shared?.redis)
    }

    private static func figures(_ memory: LRUMemoryStore, _ disk: SQLiteDiskStore?) -> CacheFigures {
      CacheFigures(
        content: { layer in
          switch layer {
          case .memory: CacheFigures.Content(bytes: memory.totalCost, entries: memory.count)
          // A disk that fails is left out, and shows as such among the lookups.
          case .disk: (try? disk?.totals()).map { CacheFigures.Content(bytes: $0.size, entries: $0.count) }
          case .shared: nil
          }
        }, evictions: { memory.evictionCount })
    }

    /// Brings those of the new settings into force that are about these parts.
    func follow(_ settings: ServeSettings) {
      disk?.limits.sizeLimit = settings.cacheBytes
      memory.follow(settings)
      admission.follow(settings.admission)
      log.follow(settings)
      traces?.spans.follow(ratio: settings.traceRatio)
      warnings.startAnew()
    }
  }

  /// Throws if the settings cannot be carried out: a folder that is gone, a pattern that makes no sense.
  func service(_ lasting: Lasting) throws(ImageError) -> ImageService {
    try settings.sandbox.start()
    let sources = try sourceRules
    let manager = try manager(lasting, sources)
    var result = ImageService.Configuration(manager, grammars: try mounts(manager))
    result.publicOrigin = settings.publicOrigin
    result.sources = sources
    result.passing = passing
    if let folder = settings.folder { result.folder = try FolderLoader(folder: folder) }
    result.negotiatedFormats = settings.negotiatedFormats
    result.fidelity = settings.fidelity
    result.tunings = settings.encoding.tunings
    result.reducesResults = settings.reducesResults
    result.avif = settings.avif
    (result.qualities, result.qualityScale) = (qualities, settings.qualityScale)
    result.usesClientHints = settings.usesClientHints
    result.keepsMetadata = settings.keepsMetadata
    result.damaged = settings.damaged
    result.cacheLifetime = cacheLifetime
    result.purges = lasting.purges
    result.purgeSigner = settings.isUnsafe ? nil : settings.signer(.imgproxy)
    result.requestTime = settings.requestTime
    result.fallbackSource = settings.fallbackImage
    result.fallbackStatus = settings.fallbackStatus
    result.watermarkSource = settings.watermarkImage
    result.pathPrefix = settings.pathPrefix
    result.allowedOrigin = settings.allowedOrigin
    result.showsErrors = settings.showsDetails
    result.wording = LimitAdvice(for: ServeCommand.description).applied
    result.limitOptions = LimitAdvice.options(of: ServeCommand.description)
    result.sendsCanonicalLink = settings.sendsCanonicalLink
    result.queue = lasting.admission
    result.clientHeader = settings.clientHeader
    result.clientRate = settings.clientRate.map {
      ClientRate(perSecond: Double($0), burst: settings.clientBurst ?? 2 * $0)
    }
    result.memory = lasting.memory.work
    result.metrics = lasting.metrics
    result.log = lasting.log.current
    result.traces = lasting.traces?.spans
    result.version = Program.version
    if settings.hasPlayground, let form = settings.urls.first(where: { $0.form.signing != nil }) {
      let grammar = form.form.signing ?? .imgproxy
      let signing = settings.isUnsafe ? URLSigner([], grammar: grammar) : settings.signer(grammar)
      result.playground = Playground(secret: settings.playgroundSecret?.text, options: Playground.Option.all) {
        form.prefix + signing.signed($0)
      }
    }
    return ImageService(result)
  }

  /// Throws what would keep the server from starting, apart from its addresses.
  func check() throws(ImageError) {
    try settings.sandbox.start()
    _ = try reader(.imgproxy)
    _ = try sourceRules
    for source in settings.sources { _ = try source.loader(CurlLoader.Configuration()) }
    if let folder = settings.folder { _ = try FolderLoader(folder: folder) }
  }

  /// The grammars of the URLs, each at its prefix.
  private func mounts(_ manager: ImageManager.Configuration) throws(ImageError) -> [GrammarMount] {
    var mounts: [GrammarMount] = []
    for served in settings.urls {
      let grammar: any URLGrammar =
        switch served.form {
        case .imgproxy: try reader(.imgproxy)
        case .thumbor: try reader(.thumbor)
        case .cloudflare: CloudflareGrammar(widths: settings.allowedWidths, qualities: settings.allowedQualities)
        case .next:
          NextGrammar(
            widths: settings.allowedWidths ?? NextGrammar.widths,
            qualities: settings.allowedQualities ?? NextGrammar.qualities)
        case .iiif:
          IIIFGrammar(
            limits: manager.limits, formats: manager.coder.formats.filter(manager.coders.canEncode))
        case .deepzoom: DeepZoomGrammar()
        }
      // Without signatures, a list that allows everything would be no bound.
      let isBound = served.form.signing != nil || settings.isUnsafe || !settings.allowedSources.isEmpty
      mounts.append(GrammarMount(grammar, at: served.prefix, sources: isBound ? nil : SourceRules.folderOnly))
    }
    return mounts
  }

  private func reader(_ grammar: URLSigner.Grammar) throws(ImageError) -> any URLGrammar {
    let signer = settings.isUnsafe ? nil : settings.signer(grammar)
    let rules = try URLRules(
      presets: settings.presets.map { "\($0.name)=\($0.options)" }, onlyPresets: settings.onlyPresets,
      allowedOptions: settings.allowedOptions)
    try rules.checkPresets(.program)
    return OrderReaders.reader(
      grammar, rules: rules, signer: signer, formats: .program, sourceKey: settings.sourceKey?.key,
      mostSide: settings.reducesResults ? settings.resultSide : nil)
  }

  private var sourceRules: SourceRules {
    get throws(ImageError) {
      try SourceRules(
        allowing: settings.allowedSources, folder: settings.folder != nil, places: settings.sources.map(\.place))
    }
  }

  /// The fields that go on to the first place that has a source.
  private var passing: PassedFields {
    let sources = settings.sources
    let names = Set(sources.flatMap(\.passed)).sorted()
    return PassedFields(names: names) { url in sources.first { $0.place.matches(url) }?.passed ?? [] }
  }

  /// The loaders of the places that are described, of which the first one that has a source loads it.
  private func loaders(
    _ network: CurlLoader.Configuration, _ health: SourceHealths
  ) throws(ImageError) -> [any ImageLoader] {
    health.follow(settings.sources.map(\.place.name))
    var loaders: [any ImageLoader] = []
    for source in settings.sources.reversed() {
      let inner = try source.loader(network)
      loaders.append(
        SourceLoader(place: source.place, inner: inner, health: health[source.place.name] ?? SourceHealth()))
    }
    return loaders
  }

  private func manager(
    _ lasting: Lasting, _ sources: SourceRules
  ) throws(ImageError) -> ImageManager.Configuration {
    var network = CurlLoader.Configuration.program
    // The program's name and version must not change cache keys.
    network.cacheIdentity = .plain
    network.addressPolicy = settings.allowsPrivateAddresses ? .allowAll : .denyPrivate
    network.mayFollow = { sources.allows($0.target) }
    network.totalTimeout = settings.requestTime
    network.maximumTransfers = DescriptorLimit.transfers(wanted: 256)
    network.maximumTransfersPerHost = min(64, network.maximumTransfers)
    network.sharesTransfersEvenly = true
    var result = ImageManager.Configuration.standard(cacheDirectory: nil, network: network)
    for loader in try loaders(network, lasting.sources) { result.loader = result.loader.adding(loader) }
    result.cache = lasting.cache
    result.observer = lasting.warnings
    result.coordinator = lasting.shared?.coordinator
    result.coder = settings.sandbox.coders
    if let coder = settings.sandbox.textCoder { result.coder = result.coders.adding(coder) }
    result.limits.downloadBytes = settings.sourceBytes
    result.limits.framePixels = settings.sourcePixels
    result.limits.decodeTime = settings.decodeTime
    result.limits.resultSide = settings.resultSide
    result.limits.resultPixels = settings.resultPixels
    if let plan = settings.memoryPlan { result.undecodedBytes = plan.bodyBytes }
    return result
  }

  private var qualities: [ImageFormat: Double] {
    let all = Dictionary(uniqueKeysWithValues: [ImageFormat.jpeg, .webp, .avif, .jxl].map { ($0, settings.quality) })
    return all.merging(settings.formatQualities) { $1 }
  }

  private var cacheLifetime: CacheLifetime {
    var cacheLifetime = CacheLifetime()
    cacheLifetime.timeToLive = Int(settings.timeToLive.components.seconds)
    cacheLifetime.staleWhileRevalidate = Int(settings.staleWhileRevalidate.components.seconds)
    cacheLifetime.staleIfError = Int(settings.staleIfError.components.seconds)
    cacheLifetime.fallbackTimeToLive = Int(settings.fallbackTimeToLive.components.seconds)
    cacheLifetime.followsSource = settings.followsOriginFreshness
    return cacheLifetime
  }

  // MARK: Addresses

  /// Throws if systemd passes no socket although the settings name it.
  func addresses() throws(ListenerError) -> [ListenerAddress] {
    var result: [ListenerAddress] = []
    for address in settings.listen {
      switch address {
      case .tcp(let host, let port): result.append(.tcp(host: host, port: port))
      case .unix(let path): result.append(.unix(path: path, mode: 0o660))
      case .systemd:
        let passed = ListenerAddress.fromSystemd(ProcessInfo.processInfo.environment)
        guard !passed.isEmpty else {
          throw ListenerError(
            "listen is systemd, but systemd passes no socket. Start easel.socket, or name an address.")
        }
        result += passed
      }
    }
    return result
  }

  var metricsAddress: ListenerAddress? {
    switch settings.metrics {
    case .tcp(let host, let port): .tcp(host: host, port: port)
    case .unix(let path): .unix(path: path, mode: 0o660)
    case .systemd, nil: nil
    }
  }
}
