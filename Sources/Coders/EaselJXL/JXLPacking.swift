import CEaselJXL
import EaselCoding
import EaselCore
import EaselSupport
import FoundationEssentials

/// Packs JPEGs into JPEG XL without loss, and restores them byte for byte.
struct JXLPacking {
  let work: WorkContext

  /// The JPEG that was packed into a file; nil if there is none.
  func jpeg(in bytes: ImageBytes) throws(ImageError) -> ImageBytes? {
    let scan = try JXLScan(bytes, work: work)
    if let damage = scan.damage { throw .bad("JXL", damage) }
    let reader = try JXLReader(.jpeg, limits: work.limits)
    while true {
      switch try reader.next(over: scan.bytes, work: work) {
      case .header, .colors, .frame: break
      // The file has no JPEG, so libjxl asks for a target for the pixels.
      case .needsTarget: return nil
      case .pixels, .end: return reader.jpeg.map { ImageBytes($0) }
      case .cutOff: throw .bad("JXL", "the file ends after \(bytes.count) bytes, in the middle of the JPEG inside")
      case .damaged: throw .bad("JXL", "the JPEG inside cannot be restored")
      }
    }
  }

  /// A JPEG XL that holds a JPEG, or nil if libjxl cannot pack it; without metadata, also nil if the JPEG is turned.
  func packed(_ jpeg: ImageBytes, withMetadata: Bool) throws(ImageError) -> ImageBytes? {
    guard let held = try withMetadata ? jpeg : BareJPEG.file(of: jpeg).map({ ImageBytes($0) }) else { return nil }
    do throws(ImageError) {
      return try packed(held, effort: Self.usualEffort)
    } catch {
      guard error.code == .encodeFailed, !error.isExhaustion else { throw error }
      return nil
    }
  }

  /// More effort takes ten times as long and saves less than half a per cent.
  static let usualEffort = 7

  /// The metadata in the JPEG that a file restores, in bytes; nil if there is none, or if it cannot be told.
  func metadataBytes(ofJPEGIn bytes: ImageBytes) throws(ImageError) -> Int? {
    guard let jpeg = try jpeg(in: bytes), let bare = try BareJPEG.file(of: jpeg) else { return nil }
    return jpeg.count - bare.count
  }

  /// A JPEG XL that holds a JPEG.
  func packed(_ jpeg: ImageBytes, effort: Int) throws(ImageError) -> ImageBytes {
    let bytes = try jpeg.loaded()
    try work.checkCancellation()
    let check = CancellationCheck(work)
    var made: OpaquePointer?
    let status = bytes.withBytesInMemory { bytes in
      check.asked {
        easel_jxl_writer_pack(
          bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, Int32(min(9, max(1, effort))),
          Int32(CPUBudget.processors), $0, $1, &made)
      }
    }
    defer { easel_jxl_writer_destroy(made) }
    if let failure = check.failure { throw failure }
    var count = 0
    guard status == EASEL_JXL_WRITTEN, let made, let file = easel_jxl_writer_file(made, &count) else {
      throw status == EASEL_JXL_WRITER_NO_MEMORY
        ? .exhausted("JXL: there is no memory to pack a JPEG of \(bytes.count) bytes.")
        : ImageError(
          .encodeFailed,
          "JXL: libjxl cannot pack this JPEG of \(bytes.count) bytes. It packs sound JPEGs of 8 bits, in grey or colour."
        )
    }
    return ImageBytes(Data(bytes: file, count: count))
  }
}
