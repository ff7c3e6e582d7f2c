import EaselCore
import EaselSupport

/// Encoded bytes that a run found or made, before they are given to each caller.
typealias EncodedPicture = Boxed<EncodedParts>

struct EncodedParts: Sendable {
  /// The bytes with the size of the picture in them.
  var encoded: EncodedBytes
  var source: ImageSource
  var record: CacheRecord
  var head: ResponseHead?
  var metrics: TransferMetrics?
  var revalidationError: ImageError?
  var stores: [Task<Void, Never>] = []
}

/// The bytes that an `EncodingRun` makes.
struct EncodedBytes: Sendable {
  let bytes: ImageBytes
  let format: ImageFormat
  /// The size of the picture in the bytes.
  let size: PixelSize
  /// True when the bytes of the original already were what is asked for.
  var isUntouched = false
  /// True when only a part of the picture could be decoded.
  var isPartial = false

  /// The same bytes in memory.
  func loaded() throws(ImageError) -> EncodedBytes {
    EncodedBytes(
      bytes: try bytes.loaded(), format: format, size: size, isUntouched: isUntouched, isPartial: isPartial)
  }
}

extension EncodedPicture {
  /// Creates encoded bytes of an original with this record.
  init(_ encoded: EncodedBytes, from source: ImageSource, _ original: CacheRecord, _ request: ResolvedRequest) {
    var record = original
    record.mimeType = encoded.format.mimeType
    record.encodedSize = encoded.size
    record.picture = nil
    if let data = request.context[.extendedData] { record.extendedData = data }
    self.init(EncodedParts(encoded: encoded, source: source, record: record))
  }
}

extension EncodedParts: StorableParts {
  var mayBeStored: Bool { !encoded.isPartial }

  func layers(in wish: RunWish) -> CacheLayers {
    // The disk has these very bytes as the original already.
    let isOnDisk = encoded.isUntouched && wish.originalStore.contains(.disk)
    return isOnDisk ? wish.encodedStore.subtracting(.disk) : wish.encodedStore
  }

  func memoryEntry(for request: ResolvedRequest) -> CacheEntry { CacheEntry(bytes: encoded.bytes, record: record) }

  func diskEntry(for job: StoreJob) async throws -> CacheEntry { CacheEntry(bytes: encoded.bytes, record: record) }

  func sharedEntry(made body: LoadedBody?, for request: ResolvedRequest) -> CacheEntry? {
    CacheEntry(bytes: encoded.bytes, record: record)
  }

  func heldBytes(besides body: LoadedBody?) -> Int { encoded.bytes.memoryCost + (body?.bytes.memoryCost ?? 0) }
}
