import CEaselPNG
import EaselCoding
import EaselCore
import FoundationEssentials

/// The metadata chunks written with the pixels.
///
/// The profile and the code points are always written, because the picture would look wrong without them.
struct PNGMetadataBlocks {
  private let profile: Data?
  private let color: ColorDescription?
  private let exif: EXIF?
  private let xmp: Data?
  private let density: ImageMetadata.Density?

  init(_ metadata: ImageMetadata, _ options: EncodeOptions) {
    profile = metadata.iccProfile
    color = metadata.color
    let kept = KeptMetadata(metadata, options)
    (exif, xmp, density) = (kept.exif, kept.xmp, kept.density)
  }

  /// True for a grey profile, false for a colour profile, nil without a profile.
  var hasGrayProfile: Bool? { profile.map { $0.dropFirst(16).prefix(4).elementsEqual("GRAY".utf8) } }

  func append(to writer: inout PNGChunkWriter) {
    if let color { PNGColorChunks.append(color, to: &writer) }
    if let profile, let packed = deflated(profile) {
      writer.append(.profile, Array("ICC profile\0\0".utf8) + packed)
    }
    if let density {
      let perMetre = [density.horizontal, density.vertical].map {
        UInt32(min(Double(Int32.max), max(0, ($0 / 0.0254).rounded())))
      }
      writer.append(.density, perMetre.flatMap(\.bigEndianBytes) + [1])
    }
    if let exif { writer.append(.exif, exif.bytes) }
    if let xmp { writer.append(.text, PNGText.xmpKeyword + [0, 0, 0, 0] + xmp) }
  }

  private func deflated(_ data: Data) -> [UInt8]? {
    let capacity = easel_png_deflate_bound(data.count)
    var count = 0
    let packed = [UInt8](unsafeUninitializedCapacity: capacity) { target, initialized in
      let status = data.withUnsafeBytes {
        easel_png_deflate($0.baseAddress, $0.count, 9, target.baseAddress, capacity, &count)
      }
      initialized = status == EASEL_PNG_OK ? count : 0
    }
    return packed.isEmpty ? nil : packed
  }
}
