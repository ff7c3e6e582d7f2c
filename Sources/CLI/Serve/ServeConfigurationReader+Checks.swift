import Easel
import EaselService
import EaselSupport

/// Checks of settings that belong together, and what follows from them.
extension ServeConfigurationReader {
  mutating func checkTogether() {
    let hasGivenKeys = !settings.given.keys.isEmpty || settings.given.keyFile != nil
    if settings.isUnsafe, hasGivenKeys {
      mistakes.append("There are keys, but unsafe lets everybody in without them. Leave one of both out.")
    }
    checkForms(hasGivenKeys: hasGivenKeys)
    if !settings.isUnsafe, !hasGivenKeys, !settings.signing.isEmpty {
      mistakes.append(
        "There is no key, so that no URL could be signed. Give key and salt or a key-file, or unsafe to serve everybody."
      )
    }
    if settings.onlyPresets, settings.presets.isEmpty {
      mistakes.append(
        "only-presets refuses everything but presets, and there is none. Give a preset or a presets-file.")
    }
    if settings.onlyPresets, settings.allowedOptions != nil {
      mistakes.append("only-presets allows no options, so that allowed-options has no meaning. Leave one of both out.")
    }
    checkPresets()
    if Set(settings.listen).count != settings.listen.count {
      mistakes.append("listen names the same address twice.")
    }
    if let metrics = settings.metrics, settings.listen.contains(metrics), !metrics.hasAnyPort {
      mistakes.append("metrics and listen name the same address. Give metrics an address of its own.")
    }
    if settings.hasPlayground, settings.playgroundSecret == nil, !settings.listen.allSatisfy(\.isLocal) {
      mistakes.append(
        "The playground signs URLs for everybody who reaches it. Give a playground-secret-file, or listen at 127.0.0.1."
      )
    }
    if let avif = settings.avifWorkers, let workers = settings.workers, avif > workers {
      mistakes.append("avif-workers is \(avif), but there are \(workers) workers.")
    }
    if let most = settings.listener.connectionsPerAddress, most > settings.listener.connections {
      mistakes.append(
        "connections-per-address is \(most), but there may be \(settings.listener.connections) connections.")
    }
    checkFiles()
    warn()
  }

  /// Checks the forms of URLs, of which those without signatures need other bounds.
  private mutating func checkForms(hasGivenKeys: Bool) {
    if Set(settings.urls.map(\.prefix)).count != settings.urls.count {
      mistakes.append("urls names two forms at the same prefix. Write a prefix before one of them, as in /scans=iiif.")
    }
    if hasGivenKeys, settings.signing.isEmpty {
      mistakes.append("There are keys, but none of the forms of URLs has signatures. Leave them out.")
    }
    let without = settings.signing.filter { grammar in !settings.keys.contains { $0.grammar == grammar } }
    if hasGivenKeys, settings.signing.count > 1, mistakes.isEmpty, let grammar = without.first {
      mistakes.append("There is no key for URLs of \(grammar.rawValue). Add it to the key-file.")
    }
    let unsigned = settings.urls.filter { $0.form.signing == nil }.map(\.form.rawValue)
    if !unsigned.isEmpty, !settings.isUnsafe, settings.allowedSources.isEmpty, settings.folder == nil {
      mistakes.append(
        "URLs of \(unsigned.joined(separator: " and ")) have no signatures. Name the sources that they may have with "
          + "allow-source or local, or give unsafe to serve everybody.")
    }
    if settings.hasPlayground, settings.signing.isEmpty {
      mistakes.append("The playground is for URLs of imgproxy and thumbor, and none of them is served. Leave it out.")
    }
    let hasLists = settings.urls.contains { [.cloudflare, .next].contains($0.form) }
    if !hasLists, settings.allowedWidths != nil || settings.allowedQualities != nil {
      warnings.append("allowed-widths and allowed-qualities have no effect without URLs of cloudflare or next.")
    }
  }

  /// Checks that nobody takes presets for a bound that they are not.
  private mutating func checkPresets() {
    let others = settings.urls.map(\.form).filter { $0 != .imgproxy }
    let isBound = settings.onlyPresets || settings.allowedOptions != nil
    let isUseless = others.count == settings.urls.count && !settings.presets.isEmpty
    guard let other = others.first, isBound || isUseless else { return }
    mistakes.append(
      "Presets and allowed-options are for imgproxy's URLs and would not bind those of \(other.rawValue). Leave them out."
    )
  }

  private mutating func checkFiles() {
    if let folder = settings.folder, !system.isFolder(folder) {
      mistakes.append("local names \(printable(folder)), which is no directory that can be read.")
    }
    for (name, source) in [("fallback-image", settings.fallbackImage), ("watermark-image", settings.watermarkImage)] {
      guard let source, !source.contains("://"), !system.isFile(source) else { continue }
      mistakes.append("\(name) names \(printable(source)), which is no file that can be read.")
    }
  }

  /// Derives from the limit of memory what was not given.
  mutating func planMemory() {
    var wishes = MemoryPlan.Wishes()
    if isGiven("memory-size") { wishes.cacheBytes = settings.memoryBytes }
    wishes.workers = settings.workers
    if isGiven("max-source-pixels") { wishes.sourcePixels = settings.sourcePixels }
    if isGiven("max-result-pixels") { wishes.resultPixels = settings.resultPixels }
    // Caches and work that were made at the start keep within the limit of that time.
    let limitOfSystem: Int? = present.map(\.memory.limit) ?? settings.memoryLimit.bytes(ofSystem: system.memoryLimit())
    guard let limit = limitOfSystem else {
      memory = MemoryPlan(wishes)
      return
    }
    do throws(ServeMistake) {
      memory = try MemoryPlan(limit: limit, wishes)
    } catch {
      // Nobody has asked for a limit, so the server starts with the most that can go well.
      guard settings.memoryLimit == .automatic else { return mistakes.append(error.message) }
      warnings.append(error.message)
      memory = MemoryPlan(nearest: limit, wishes)
    }
    settings.follow(memory)
  }

  func isGiven(_ name: String) -> Bool {
    given.contains { $0.setting.name == name && $0.origin != .nowhere }
  }

  /// The files that hold secrets.
  private var secretFiles: [String] {
    let named = [settings.given.keyFile, settings.given.playgroundSecretFile].compactMap { $0 }
    let own = given.lazy.filter { $0.setting.isSecret }.compactMap { given -> String? in
      if case .file(let path, _) = given.origin { path } else { nil }
    }
    return named + (own.first.map { [$0] } ?? [])
  }

  private mutating func warn() {
    for path in secretFiles where system.isOpenToAll(path) {
      warnings.append(
        "Every user of this machine can read the secrets in \(printable(path)). Forbid it with chmod o-r.")
    }
    if settings.isUnsafe, settings.allowsPrivateAddresses {
      warnings.append("unsafe and allow-private together let everybody reach the network behind the server.")
    }
    if settings.cacheFolder == nil, isGiven("cache-size") {
      warnings.append("cache-size has no effect without cache.")
    }
    if settings.fallbackImage == nil, isGiven("fallback-status") || isGiven("fallback-ttl") {
      warnings.append("fallback-status and fallback-ttl have no effect without fallback-image.")
    }
    if settings.playgroundSecret != nil, !settings.hasPlayground {
      warnings.append("The secret of the playground has no effect without playground.")
    }
    if settings.shared.isEmpty, isGiven("shared-timeout") {
      warnings.append("shared-timeout has no effect without shared.")
    }
    if settings.clientRate == nil, isGiven("client-burst") {
      warnings.append("client-burst has no effect without client-rate.")
    }
    if settings.cacheFolder == nil, !settings.shared.isEmpty, !settings.shared.contains(where: { $0.engine == .redis })
    {
      warnings.append(
        "Purges are forgotten when this server ends, and the shared store may still have what was purged. Give cache.")
    }
    let showsPassword = settings.shared.contains(where: \.hasPassword)
    if given.contains(where: {
      ($0.setting.isSecret || showsPassword && $0.setting.name == "shared") && $0.origin == .option
    }) {
      warnings.append("Others on this machine can see the secrets among the options. Give them in files.")
    }
  }
}

extension ServeAddress {
  /// True if the system chooses the port.
  var hasAnyPort: Bool { if case .tcp(_, 0) = self { true } else { false } }
}
