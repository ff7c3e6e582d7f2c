import EaselCore
import EaselSupport
import EaselWorkers
import FoundationEssentials

/// The picture that a run made, before it is fitted to each caller.
typealias Picture = Boxed<PictureParts>

struct PictureParts: Sendable {
  var image: Image
  var source: ImageSource
  /// The encoded bytes of exactly these pixels, if they are available.
  var bytes: ImageBytes?
  var record: CacheRecord
  var head: ResponseHead?
  var metrics: TransferMetrics?
  var revalidationError: ImageError?
  var stores: [Task<Void, Never>] = []
}

extension ImageSource {
  /// The source of what was found in a layer.
  init(_ layer: CacheLayers) { self = layer == .memory ? .memory : layer == .shared ? .shared : .disk }

  /// The source of what a transfer brought.
  init(_ transferred: Transferred, for request: ResolvedRequest) {
    if case .body(let body) = transferred, body.isFromFleet {
      self = .shared
    } else {
      self = request.bytesAtHand == nil ? .network : .bytes
    }
  }
}

extension PictureParts: StorableParts {
  var mayBeStored: Bool { !image.traits.contains(.partial) }

  func layers(in wish: RunWish) -> CacheLayers { wish.store }

  func memoryEntry(for request: ResolvedRequest) -> CacheEntry {
    CacheEntry(image: image, bytes: request.options.contains(.includeData) ? bytes : nil, record: record)
  }

  /// Only the bytes of an original go to other machines, as they were received.
  func sharedEntry(made body: LoadedBody?, for request: ResolvedRequest) -> CacheEntry? {
    guard !request.isVariant, let body else { return nil }
    return CacheEntry(bytes: body.bytes, record: record)
  }

  func heldBytes(besides body: LoadedBody?) -> Int {
    image.memoryCost + ((body?.bytes ?? bytes)?.memoryCost ?? 0)
  }

  /// Makes the entry for the disk.
  ///
  /// It holds the serializer's bytes if there is a serializer, or the received bytes if they hold these pixels, or the
  /// pixels encoded without loss.
  func diskEntry(for job: StoreJob) async throws -> CacheEntry {
    if let serializer = job.request.cacheSerializer {
      let work = job.newStoringWork()
      let entry = try await job.onStoringWorker(.serializer, work) { try serializedEntry(serializer, work, job) }
      if let entry { return entry }
    }
    if let bytes { return CacheEntry(bytes: bytes, record: record) }
    // The key of an original holds the received bytes. Only a picture that came without bytes is encoded there.
    if !job.request.isVariant, let body = job.body { return CacheEntry(bytes: body.bytes, record: record) }
    let work = job.newStoringWork()
    return try await job.onStoringWorker(.encoder, work) { try encodedEntry(work, job) }
  }

  private func serializedEntry(
    _ serializer: any CacheSerializer, _ work: WorkContext, _ job: StoreJob
  ) throws -> CacheEntry? {
    guard let bytes = try serializer.serialize(image, received: bytes, work: work) else { return nil }
    // A serializer that returns the received bytes has changed nothing.
    if try self.bytes != nil && ContentGeneration.of(bytes) == record.generation {
      return CacheEntry(bytes: bytes, record: record)
    }
    var record = record
    do throws(ImageError) {
      record.mimeType = try format(of: bytes, work, job).mimeType
    } catch {
      // The disk gets what it would get without a serializer.
      job.report(error, of: job.request.resultKey)
      return nil
    }
    record.picture = PictureRecord(of: image, hasFinishedPixels: false)
    return CacheEntry(bytes: bytes, record: record)
  }

  /// The format of a serializer's bytes; throws when they are not this picture, as far as their header tells.
  private func format(of bytes: ImageBytes, _ work: WorkContext, _ job: StoreJob) throws(ImageError) -> ImageFormat {
    guard let format = job.manager.format(of: bytes, by: job.request.coder, work: work) else {
      throw ImageError(
        .encodeFailed, "The cache serializer returned \(bytes.count) bytes of a format that no registered coder knows.")
    }
    let header: ImageHeader
    do {
      header = try job.manager.coder(reading: bytes, for: job.request).probe(bytes, work: work)
    } catch {
      throw ImageError(.encodeFailed, "The cache serializer returned \(format) that cannot be read.", cause: error)
    }
    // A picture that is not upright may have been turned, or its orientation stated.
    let isOtherwiseUp = image.metadata.orientation != .up && EncoderChecks.may(header.storedSize, hold: image)
    guard header.uprightSize == image.size || isOtherwiseUp else {
      throw ImageError(
        .encodeFailed,
        "The cache serializer was given a picture of \(image.size) and returned one of \(header.uprightSize).")
    }
    if let frames = image.frames, header.frameCount != frames.count {
      throw ImageError(
        .encodeFailed,
        "The cache serializer was given \(frames.count) frames and returned \(header.frameCount).")
    }
    return format
  }

  private func encodedEntry(_ work: WorkContext, _ job: StoreJob) throws -> CacheEntry {
    var record = record
    let (bytes, format) = try LosslessEncoding.bytes(
      of: image, by: job.request.coder, else: job.manager.configuration.coders, work: work)
    record.mimeType = format.mimeType
    record.picture = PictureRecord(of: image, hasFinishedPixels: true)
    return CacheEntry(bytes: bytes, record: record)
  }
}

extension Picture {
  /// Creates a picture from a cache.
  init(_ image: Image, from layer: CacheLayers, bytes: ImageBytes?, record: CacheRecord) {
    self.init(PictureParts(image: image, source: ImageSource(layer), bytes: bytes, record: record))
  }

  /// Creates a picture from a loader.
  init(_ image: Image, loadedAs transferred: Transferred, for request: ResolvedRequest, now: Date) {
    let data = request.context[.extendedData]
    let none = CacheRecord(stored: now, generation: ContentGeneration.ofNothing, extendedData: data)
    var parts = PictureParts(image: image, source: ImageSource(transferred, for: request), record: none)
    switch transferred {
    case .body(let body):
      parts.record = body.record
      parts.record.extendedData = data
      parts.head = body.head
      parts.metrics = body.metrics
      parts.bytes = request.keepsReceivedPixels(image) ? body.bytes : nil
    case .image(_, let generation, _): parts.record.generation = generation
    case .notModified: break
    }
    self.init(parts)
  }
}

extension ResolvedRequest {
  /// True when the pixels are those of the received bytes.
  ///
  /// Either the key names no changes, or the picture moves and the key names only transformers, which skip it.
  func keepsReceivedPixels(_ image: Image) -> Bool {
    guard isVariant else { return true }
    let isOnlyTransformed = variantKey.suffixes.allSatisfy { $0.origin == .transformer }
    // A transformer may have made a still picture move. Such a picture has changed.
    return isOnlyTransformed && image.isAnimated && !image.traits.contains(.transformed)
      && !options.contains(.transformAnimated)
  }
}
