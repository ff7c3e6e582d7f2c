import Easel
import FoundationEssentials
import Synchronization

// Documentation: writing a disk store.
final class FolderStore: DiskStore {
  private let folder: String
  // Allows one call at a time, so that a renewal never sees a store half done. The lock guards the folder, not a value.
  private let calls = Mutex(0)

  init(folder: String) { self.folder = folder }

  func entry(for key: CacheKey) throws -> CacheEntry? { calls.withLock { _ in read(path(of: key)) } }

  func store(_ entry: CacheEntry, for key: CacheKey) throws {
    try calls.withLock { _ in try write(entry, to: path(of: key)) }
  }

  func contains(_ key: CacheKey) throws -> Bool { FileManager.default.fileExists(atPath: path(of: key)) }

  func remove(_ key: CacheKey) throws { calls.withLock { _ in delete(path(of: key)) } }

  func removeAll() throws { calls.withLock { _ in delete(folder) } }

  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) throws {
    try calls.withLock { _ in
      for path in files(in: family(of: key)) {
        guard let entry = read(path) else { continue }
        guard entry.record.generation == generation else {
          delete(path)
          continue
        }
        guard let response else { continue }
        var record = entry.record
        record.response = response
        try write(entry.with(record), to: path)
      }
    }
  }

  // A store with limits removes here what exceeds them.
  func trim() throws {}

  func count() throws -> Int { allFiles.count }

  func totalSize() throws -> Int {
    try allFiles.reduce(0) { try $0 + Data(contentsOf: URL(fileURLWithPath: $1)).count }
  }

  // An original and everything made from it share one folder.
  private func family(of key: CacheKey) -> String { "\(folder)/\(key.originalKey.diskName)" }

  private func path(of key: CacheKey) -> String { "\(family(of: key))/\(key.diskName)" }

  private func files(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.map { "\(folder)/\($0)" }
  }

  private var allFiles: [String] { files(in: folder).flatMap(files) }

  private func delete(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  // A line with the record, then the bytes. Any other content is a miss.
  private func read(_ path: String) -> CacheEntry? {
    guard let file = try? Data(contentsOf: URL(fileURLWithPath: path)), let end = file.firstIndex(of: 10),
      let record = try? JSONDecoder().decode(CacheRecord.self, from: file[..<end])
    else { return nil }
    return CacheEntry(bytes: ImageBytes(Data(file[(end + 1)...])), record: record)
  }

  private func write(_ entry: CacheEntry, to path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var file = try JSONEncoder().encode(entry.record)
    file.append(10)
    file.append(try entry.bytes?.data() ?? Data())
    try file.write(to: URL(fileURLWithPath: path), options: .atomic)
  }
}
