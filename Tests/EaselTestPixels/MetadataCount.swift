import EaselCore
import FoundationEssentials

/// Counts the bytes of metadata with a coder.
package enum MetadataCount {
  private struct Difference: Error {
    let inMemory: Int?
    let inFile: Int?
  }

  /// The number for bytes in memory, which must be that for the same bytes in a file; nil when they are not understood.
  package static func of(
    _ bytes: [UInt8], by coder: some MetadataCountingCoder, work: WorkContext = WorkContext()
  ) throws -> Int? {
    let count = try coder.metadataBytes(of: ImageBytes(bytes), work: work)
    let path = FileManager.default.temporaryDirectory.path + "/easel-metadata-\(UUID().uuidString)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let countInFile = try coder.metadataBytes(of: ImageBytes(contentsOfFile: path), work: work)
    guard count == countInFile else {
      throw Difference(inMemory: count, inFile: countInFile)
    }
    return count
  }
}
