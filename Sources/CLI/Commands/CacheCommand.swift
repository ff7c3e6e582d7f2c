import Easel
import FoundationEssentials
import Glibc

/// Inspects and cleans up a disk cache, and does the same for a shared store as far as possible.
struct CacheCommand: Command {
  enum Action: String, CaseIterable {
    case stat, list, trim, clear, remove
  }

  private static let maxBytes = Option<Int>.bytes(
    "max-bytes",
    "The most bytes that trim keeps. It removes the least recently used entries first. The default is 1 GiB.")
  private static let maxAge = Option<Duration>.time(
    "max-age", "The age at which trim removes an entry, counted from its last use. The default is 7d.")

  static let description = CommandDescription(
    name: "cache", summary: "Look at a disk cache and tidy it.",
    operands: CommandDescription.Operands(
      spelling: "ACTION [KEY...]", count: 1...Int.max, completion: .words(Action.allCases.map(\.rawValue))),
    details: [
      "stat prints how many entries and bytes the cache holds. list prints each entry with its size, the time since its "
        + "last use and its readable key. trim removes what is too old or too much. clear removes everything. remove "
        + "removes the entries of the given keys: a readable key, as list prints it, stands for one entry, and a URL "
        + "for the picture and all of its variants. Servers that use the directory forget it too, within their purge-lease, "
        + "and so do all servers with which they share a Redis; clear makes them forget everything.",
      "With --shared, stat says whether the store answers, and clear removes everything from it, for all machines. A "
        + "shared store cannot list its entries, and removes old ones itself. The disk cache is left alone then unless "
        + "--cache names it.",
    ],
    options: [
      GetOptions.cache.description, SharedOptions.shared.description, maxBytes.description, maxAge.description,
      CommonOptions.json.description,
    ],
    examples: [
      .init("easel cache stat", "Show how much the cache of 'easel get' holds."),
      .init("easel cache list --cache /var/cache/pictures --json", "List every entry as JSON."),
      .init("easel cache trim --max-bytes 100M --max-age 12h", "Keep at most 100 MB, used within 12 hours."),
      .init("easel cache stat --shared s3://pictures/easel", "See if the shared store answers."),
      .init("easel cache remove https://example.com/picture.png", "Remove a picture and all of its variants."),
    ])

  private let action: Action
  private let keys: [String]
  private let directory: String
  /// False if the arguments name only shared stores.
  private let usesDisk: Bool
  private let shared: [SharedStoreWork]
  private let limits: SQLiteDiskStore.Limits
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    let name = arguments.operands[0]
    guard let action = Action(rawValue: name) else {
      let names = Action.allCases.map(\.rawValue)
      let hint = NearestName.of(name, among: names).map { " Did you mean \($0)?" } ?? ""
      throw UsageError(
        "cache needs one of \(names.joined(separator: ", ")), not '\(printable(name))'.\(hint)")
    }
    self.action = action
    keys = Array(arguments.operands.dropFirst())
    guard (action == .remove) == !keys.isEmpty else {
      throw UsageError(action == .remove ? "cache remove needs at least one KEY." : "cache \(name) takes no KEY.")
    }
    let maxBytes = try arguments.value(Self.maxBytes)
    let maxAge = try arguments.value(Self.maxAge)
    guard action == .trim || maxBytes == nil && maxAge == nil else {
      throw UsageError("--max-bytes and --max-age can only be used with cache trim.")
    }
    var limits = SQLiteDiskStore.Limits()
    if let maxBytes { limits.sizeLimit = maxBytes }
    if let maxAge { limits.ageLimit = maxAge }
    self.limits = limits
    shared = try SharedOptions.addresses(arguments).map { address throws(UsageError) in
      try SharedStoreWork(address)
    }
    guard shared.isEmpty || action == .stat || action == .clear else {
      throw UsageError(
        "cache \(name) cannot be used with --shared, because a shared store cannot list its entries. There are stat and "
          + "clear.")
    }
    let named = try arguments.value(GetOptions.cache)
    directory = named ?? SQLiteDiskStore.defaultDirectory
    usesDisk = named != nil || shared.isEmpty
    isJSON = arguments.has(CommonOptions.json)
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    for store in shared { action == .clear ? store.clear(report) : store.stat(report) }
    guard usesDisk else { return report.status }
    do {
      let store = try openedStore()
      switch action {
      case .stat: try stat(store, report)
      case .list: try list(store, report)
      case .trim: try tidy(store, report) { try $0.trim() }
      case .clear:
        try CachePurge(directory)?.purge([.everything])
        try tidy(store, report) { try $0.removeAll() }
      case .remove: try remove(from: store, report)
      }
    } catch {
      report.failure(of: directory, error)
    }
    return report.status
  }

  /// Opens the store; nil if the directory does not exist.
  ///
  /// Throws if the directory belongs to something else.
  private func openedStore() throws(ImageError) -> SQLiteDiskStore? {
    guard access(directory, F_OK) == 0 else { return nil }
    let content = try? FileManager.default.contentsOfDirectory(atPath: directory)
    // A cache that was emptied on a full disk has lost its index.
    let left: Set = ["lock", "bodies", "index.sqlite.damaged", PurgeFile.name, PurgeFile.lockName]
    let isOrWasCache = content.map { $0.contains("index.sqlite") || left.isSuperset(of: $0) }
    guard let content, isOrWasCache == true else {
      throw ImageError(
        .cacheFailed, "The directory \(directory) holds something that is not a cache.", subject: directory)
    }
    return content.contains("index.sqlite") ? SQLiteDiskStore(directory: directory, limits: limits) : nil
  }

  private func stat(_ store: SQLiteDiskStore?, _ report: Report) throws {
    let entries = try store?.count() ?? 0
    let bytes = try store?.totalSize() ?? 0
    report.success(
      ["input": .string(directory), "entries": .integer(entries), "bytes": .integer(bytes)],
      "\(printable(directory)): \(Self.entries(entries)), \(Quantity.bytes(bytes))")
  }

  private func list(_ store: SQLiteDiskStore?, _ report: Report) throws {
    let now = Date()
    let entries = try store?.entries() ?? []
    for entry in entries.sorted(by: { ($0.lastUse, $1.key.readable) > ($1.lastUse, $0.key.readable) }) {
      let size = Quantity.bytes(entry.byteCount)
      let age = Quantity.duration(.seconds(max(0, now.timeIntervalSince(entry.lastUse))))
      report.success(
        entry.json(at: now), "\(Self.padded(size, 10))  \(Self.padded(age, 8))  \(printable(entry.key.readable))")
    }
  }

  private func tidy(
    _ store: SQLiteDiskStore?, _ report: Report, _ body: (SQLiteDiskStore) throws -> Void
  ) throws {
    let before = store.flatMap { try? $0.count() }
    if let store { try body(store) }
    let left = FileManager.default.fileExists(atPath: "\(directory)/index.sqlite") ? store : nil
    let after = (entries: try left?.count() ?? 0, bytes: try left?.totalSize() ?? 0)
    let removed = max(0, (before ?? after.entries) - after.entries)
    report.success(
      [
        "input": .string(directory), "removed": .integer(removed),
        "entries": .integer(after.entries), "bytes": .integer(after.bytes),
      ],
      "\(printable(directory)): \(removed) removed, \(Self.entries(after.entries)) left, "
        + Quantity.bytes(after.bytes))
  }

  private func remove(from store: SQLiteDiskStore?, _ report: Report) throws {
    let entries = try store?.entries() ?? []
    let purge = CachePurge(directory)
    _ = report.forEach(keys) { word in
      let found = entries.filter { $0.key.names.contains { Self.isSame($0, word) } }
      // A server may have the picture only in its memory.
      let isPurged = try purge?.purge(Set(found.map(\.key.original) + (word.contains("://") ? [word] : []))) ?? false
      guard isPurged || !found.isEmpty else {
        throw ImageError(.notInCache, "The cache in \(directory) has no entry with this key or URL.", subject: word)
      }
      for entry in found { try store?.remove(entry.key) }
      let servers = isPurged ? ", and from the memory of servers that use this directory" : ""
      report.success(
        ["input": .string(Input.name(word)), "removed": .integer(found.count), "purged": .boolean(isPurged)],
        "\(printable(Input.name(word))): \(Self.entries(found.count)) removed\(servers)")
    }
  }

  /// Compares names byte by byte, because two Unicode forms of a word may name different pictures.
  private static func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

  private static func entries(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

extension CacheKey {
  /// The texts by which people name a key: the texts that a list prints, and the URL with its password.
  fileprivate var names: [String] { [readable, ShownURL.text(original), original] }
}

extension SQLiteDiskStore.Entry {
  func json(at now: Date) -> JSON {
    [
      "input": .string(key.readable), "original": .string(ShownURL.text(key.original)),
      "suffixes": .array(key.suffixes.map { .string(ShownURL.text($0.text)) }), "type": .optional(record?.mimeType),
      "bytes": .integer(byteCount), "ageSeconds": .integer(Int(now.timeIntervalSince(lastUse))),
      "lastUse": .string(lastUse.ISO8601Format()), "lastChange": .string(lastChange.ISO8601Format()),
      "created": .string(creation.ISO8601Format()),
    ]
  }
}
