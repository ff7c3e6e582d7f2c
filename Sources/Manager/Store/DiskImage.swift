import EaselCore
import EaselSupport
import EaselWorkers

/// Makes the entry of a picture for the disk.
struct DiskImage: Sendable {
  let run: Run
  let image: Image
  /// The encoded bytes of exactly these pixels, if they are available.
  let bytes: ImageBytes?
  let record: CacheRecord
  let body: LoadedBody?

  /// The entry for the disk: with the bytes of the serializer if there is one, else with the received bytes if they
  /// hold these pixels, else with the pixels encoded without loss.
  func entry() async throws -> CacheEntry {
    if let serializer = run.request.cacheSerializer {
      let work = run.newStoringWork()
      let entry = try await run.onStoringWorker(.serializer, work) { try serialized(by: serializer, work) }
      if let entry { return entry }
    }
    if let bytes { return CacheEntry(bytes: bytes, record: record) }
    // The key of an original always has the received bytes. Only a picture that came without bytes is encoded there.
    if !run.request.isVariant, let body { return CacheEntry(bytes: body.bytes, record: record) }
    let work = run.newStoringWork()
    return try await run.onStoringWorker(.encoder, work) { try encoded(work) }
  }

  private func serialized(by serializer: any CacheSerializer, _ work: WorkContext) throws -> CacheEntry? {
    guard let bytes = try serializer.serialize(image, received: bytes, work: work) else { return nil }
    // The serializer returned the received bytes, so the record needs no properties of the picture.
    if try self.bytes != nil && ContentGeneration.of(bytes) == record.generation {
      return CacheEntry(bytes: bytes, record: record)
    }
    var record = record
    do throws(ImageError) {
      let format = try EncoderChecks.format(ofSerialized: bytes, image, run.format(of: bytes, work: work), work) {
        try run.coder(reading: bytes)
      }
      record.mimeType = format.mimeType
    } catch {
      // If the serializer fails, the disk gets the entry that it would get without a serializer.
      run.report(error, of: run.request.resultKey)
      return nil
    }
    record.picture = CacheRecord.ImageProperties(of: image, hasFinishedPixels: false)
    return CacheEntry(bytes: bytes, record: record)
  }

  private func encoded(_ work: WorkContext) throws -> CacheEntry {
    var record = record
    let (bytes, format) = try LosslessEncoding.bytes(
      of: image, by: run.request.coder, else: run.manager.configuration.coders, work: work)
    record.mimeType = format.mimeType
    record.picture = CacheRecord.ImageProperties(of: image, hasFinishedPixels: true)
    return CacheEntry(bytes: bytes, record: record)
  }
}
