import CEaselRaw
import EaselCore
import EaselJPEG
import EaselPixels

/// Reads raw photos of cameras, with LibRaw.
///
/// LibRaw reads the formats of many makers, most of them guessed from files. So this coder decodes only in a sandbox, and
/// is a part of the program `easel-raw` alone.
///
/// - The JPEG that the camera stored beside the raw picture is taken if it shows all of it and is large enough.
///   Otherwise the raw picture is developed, at half its size if that is enough, in the white balance of the camera.
/// - The picture is upright, in sRGB, and has 8 bits.
/// - A TIFF that is no raw photo is refused with `unsupportedFormat`, so that another coder reads it.
package struct RawCoder: SandboxGuest {
  package init() {}

  package var identifier: String { "raw" }

  package var formats: [ImageFormat] { RawFormat.all }

  package func canDecode(prefix: [UInt8]) -> Bool {
    RawFormat.signatures.contains { prefix.dropFirst($0.offset).starts(with: $0.bytes) }
  }

  package func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try RawFile(bytes, work: work).header
  }

  package func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let file = try RawFile(bytes, work: work)
    let size = file.target(options)
    try work.limits.check(frame: size, claimedBy: "Raw photo: the picture")
    let bitmap = try file.preview(covering: size, work: work) ?? file.developed(covering: size, work: work)
    return Image(
      try bitmap.resized(to: size, work: work), format: file.header.format,
      metadata: ImageMetadata(storedSize: file.header.storedSize),
      traits: size == file.header.storedSize ? [] : .thumbnail)
  }

  /// True, because LibRaw reads many formats that nobody has described.
  package var staysInSandbox: Bool { true }

  /// Keeps LibRaw from starting threads.
  package func prepareForSandbox(threadsEnd: @convention(c) () -> Bool) throws -> ImageBytes? {
    easel_raw_use_one_thread()
    return nil
  }
}
