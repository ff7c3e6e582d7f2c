import EaselCore
import EaselManager
import EaselWorkers

extension ImageService {
  /// Loads the original of a picture.
  ///
  /// One in a file that somebody may change is read before it is sent, so that what is sent is one version, unless it is
  /// very large.
  func loadOriginal(of wanted: WantedImage) async throws(ImageError) -> OriginalBytes {
    var original = try await manager.original(for: wanted.request())
    let bytes = original.bytes
    guard bytes.isInLoadersFile, bytes.count <= Self.mostBytesToRead else { return original }
    let workers = WorkerSet.files
    let terms = JobTerms(WorkTime(.seconds(30), clock: workers.clock)) {
      ImageError(.timedOut, "The file of the original was not read in time.")
    }
    do {
      original.bytes = try await workers.run(terms) { try bytes.loaded() }
    } catch {
      throw .wrapping(error, as: .network, "The file of the original could not be read.")
    }
    return original
  }

  private static let mostBytesToRead = 16 << 20
}
