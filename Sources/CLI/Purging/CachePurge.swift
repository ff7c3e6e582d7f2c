import Easel
import EaselHTTP
import FoundationEssentials

/// Purges through the directory of a cache, which running servers check.
struct CachePurge {
  private let file: PurgeFile

  /// Returns nil if no server uses the directory.
  init?(_ directory: String) {
    file = PurgeFile(in: directory)
    guard file.isInUse else { return nil }
  }

  func purge(_ purges: [Purge]) throws {
    _ = try file.add(purges, at: UInt64(max(0, Date().timeIntervalSince1970 * 1000)))
  }

  /// Purges sources; returns false if none of the texts can be a source.
  func purge(_ sources: Set<String>) throws -> Bool {
    let purges = sources.map { Purge.source(URLNormalForm.text(of: $0) ?? $0) }.filter(\.isValid)
    if !purges.isEmpty { try purge(purges) }
    return !purges.isEmpty
  }
}
