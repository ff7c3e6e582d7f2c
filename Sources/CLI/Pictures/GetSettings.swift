import Easel

/// Translates the options of a load into settings of the manager.
struct GetSettings {
  private(set) var configuration: ImageManager.Configuration
  private(set) var options: ImageOptions = [.includeData, .waitStore]
  private(set) var context = ImageContext()
  let thumbnail: PixelSize?
  /// The time limit of a transfer.
  let transferTime: Duration

  init(_ arguments: Arguments) throws(UsageError) {
    let directory = try arguments.value(GetOptions.cache)
    let usesCache = !arguments.has(GetOptions.noCache)
    guard usesCache || directory == nil else { throw UsageError("--cache and --no-cache cannot be used together.") }
    guard usesCache || !arguments.has(GetOptions.refresh) else {
      throw UsageError("--refresh and --no-cache cannot be used together: --refresh asks about cached pictures.")
    }
    let network = try Self.network(arguments)
    transferTime = network.totalTimeout ?? .seconds(600)
    configuration = .standard(
      cacheDirectory: usesCache ? directory ?? SQLiteDiskStore.defaultDirectory : nil, network: network)
    // Local files are as private as the local network.
    if arguments.has(GetOptions.denyPrivate) {
      configuration.loader = LoaderChain([DataURLLoader(), CurlLoader(network)])
    }
    configuration.coder = try SandboxOptions.use(
      arguments, default: arguments.has(GetOptions.denyPrivate) ? .all : .off
    ).coders
    configuration.coder = CoderRegistry([ForeignCoder()] + configuration.coder.registry.coders)
    if !usesCache { configuration.cache = TieredCache() }
    if let shared = try SharedOptions.layer(SharedOptions.addresses(arguments)) {
      guard usesCache else { throw UsageError("--shared and --no-cache cannot be used together.") }
      configuration.cache = TieredCache(
        memory: LRUMemoryStore(), disk: SQLiteDiskStore(directory: directory ?? SQLiteDiskStore.defaultDirectory),
        shared: shared.store)
    }
    configuration.limits.downloadBytes =
      try arguments.value(GetOptions.maxBytes) ?? configuration.limits.downloadBytes
    configuration.cachePolicy = try arguments.value(GetOptions.policy)?.policy ?? .forever
    if let retries = try arguments.value(GetOptions.retry), retries > 0 {
      configuration.retryPolicy = ExponentialBackoff(attempts: retries + 1)
    }
    thumbnail = try arguments.value(CommonOptions.thumbnail)
    context[.thumbnailSize] = thumbnail
    if let fidelity = try arguments.value(CommonOptions.fidelity) {
      context[.decodeOptions] = DecodeOptions(fidelity: fidelity)
    }
    context[.damaged] = try arguments.value(CommonOptions.damaged)
    var headers = HTTPHeaders()
    for field in try arguments.values(GetOptions.header) { headers.add(field.name, field.value) }
    if !headers.isEmpty { context[.headers] = headers }
    if arguments.has(GetOptions.refresh) { options.insert(.refreshCached) }
    if arguments.has(GetOptions.insecure) { options.insert(.allowInvalidCertificates) }
  }

  private static func network(_ arguments: Arguments) throws(UsageError) -> CurlLoader.Configuration {
    var network = CurlLoader.Configuration.program
    // Cache keys must not change with the name and the version of the program.
    network.cacheIdentity = .plain
    if let seconds = try arguments.value(GetOptions.timeout) { network.totalTimeout = .seconds(seconds) }
    network.certificateAuthorities = try arguments.value(GetOptions.authority)
    if arguments.has(GetOptions.denyPrivate) { network.addressPolicy = .denyPrivate }
    if let jobs = try arguments.value(GetOptions.jobs) {
      network.maximumTransfers = jobs
      network.maximumTransfersPerHost = jobs
    }
    return network
  }
}
