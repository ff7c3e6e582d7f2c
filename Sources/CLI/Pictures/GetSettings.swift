import Easel

/// What the options of a load mean for the manager.
struct GetSettings {
  private(set) var configuration: ImageManager.Configuration
  private(set) var options: ImageOptions = [.includeData, .waitStore]
  private(set) var context = ImageContext()
  let thumbnail: PixelSize?

  init(_ arguments: Arguments) throws(UsageError) {
    let directory = try arguments.value(GetOptions.cache)
    let usesCache = !arguments.has(GetOptions.noCache)
    guard usesCache || directory == nil else { throw UsageError("--cache and --no-cache exclude each other.") }
    guard usesCache || !arguments.has(GetOptions.refresh) else {
      throw UsageError("--no-cache leaves nothing that --refresh could look at.")
    }
    configuration = .standard(cacheDirectory: usesCache ? directory ?? SQLiteDiskStore.defaultDirectory : nil)
    if !usesCache { configuration.cache = TieredCache() }
    configuration.limits.downloadBytes =
      try arguments.value(GetOptions.maxBytes) ?? configuration.limits.downloadBytes
    configuration.cachePolicy = try arguments.value(GetOptions.policy)?.policy ?? .forever
    thumbnail = try arguments.value(CommonOptions.thumbnail)
    context[.thumbnailSize] = thumbnail
    var headers = HTTPHeaders()
    for field in try arguments.values(GetOptions.header) { headers.add(field.name, field.value) }
    if !headers.isEmpty { context[.headers] = headers }
    if arguments.has(GetOptions.refresh) { options.insert(.refreshCached) }
    if arguments.has(GetOptions.insecure) { options.insert(.allowInvalidCertificates) }
  }
}
