import EaselCoding
import EaselCore
import FoundationEssentials

/// The metadata segments written with the pixels.
///
/// The profile is always written, because the picture would look wrong without it.
struct JPEGSegments {
  private static let mostBytes = 65_533

  let profile: Data?
  let density: ImageMetadata.Density?
  private let exif: EXIF?
  private let xmp: Data?

  init(_ metadata: ImageMetadata, _ options: EncodeOptions) {
    profile = metadata.iccProfile
    // Metadata too long for a segment cannot be kept.
    let kept = KeptMetadata(metadata, options, mostEXIFBytes: Self.mostBytes - JPEGScanner.exifMarker.count)
    exif = kept.exif
    xmp = kept.xmp.flatMap { $0.count + JPEGScanner.xmpMarker.count <= Self.mostBytes ? $0 : nil }
    density = kept.density
  }

  /// True when the profile is for pixels of this kind; a profile for another kind would change the colours.
  func profileFits(gray: Bool) -> Bool {
    guard let profile else { return false }
    return gray ? profile.isGrayProfile : !profile.isGrayProfile && !profile.isCMYKProfile
  }

  /// The marker and content of each segment, in file order, for a picture that a gain map of so many bytes may follow.
  func contents(withProfile: Bool, mapBytes: Int?) throws(ImageError) -> [(marker: Int32, bytes: [UInt8])] {
    var result: [(Int32, [UInt8])] = []
    if let exif { result.append((0xE1, JPEGScanner.exifMarker + exif.bytes)) }
    if let xmp = packet(mapBytes) { result.append((0xE1, JPEGScanner.xmpMarker + xmp)) }
    if mapBytes != nil { result += JPEGMapWriter.announcements }
    guard withProfile, let profile else { return result }
    let total = (profile.count + JPEGProfilePieces.mostBytes - 1) / JPEGProfilePieces.mostBytes
    guard total <= 255 else {
      throw ImageError(
        .encodeFailed,
        "JPEG: the colour profile of \(profile.count) bytes is too large for the format. Convert to sRGB.")
    }
    for number in 0..<total {
      let part = profile.dropFirst(number * JPEGProfilePieces.mostBytes).prefix(JPEGProfilePieces.mostBytes)
      result.append((0xE2, JPEGProfilePieces.marker + [UInt8(number + 1), UInt8(total)] + part))
    }
    return result
  }

  /// The packet that tells the truth about a gain map.
  private func packet(_ mapBytes: Int?) -> Data? {
    guard let mapBytes else { return xmp.map(XMPGainMap.withoutClaim) }
    let packet = XMPGainMap.packet(announcing: mapBytes, in: xmp)
    let fits = packet.count + JPEGScanner.xmpMarker.count <= Self.mostBytes
    return fits ? packet : XMPGainMap.packet(announcing: mapBytes, in: nil)
  }
}
