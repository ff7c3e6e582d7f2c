import EaselCore

/// The header of a PBM, PGM, PPM or PAM.
struct PNMHeader: Hashable {
  /// The forms of the pixels.
  enum Raster {
    case plainBits, plainNumbers, bits, bytes
  }

  var size: PixelSize
  var raster: Raster
  /// The value of full brightness and full opacity.
  var most: Int
  /// The samples of a pixel: grey or red, green and blue, and then perhaps alpha.
  var channels: Int

  var hasAlpha: Bool { channels == 2 || channels == 4 }
  var isWide: Bool { most > 255 }
  var bytesPerSample: Int { isWide ? 2 : 1 }
  var samplesPerRow: Int { size.width * channels }

  var imageHeader: ImageHeader {
    ImageHeader(
      format: .pnm, storedSize: size, hasAlpha: hasAlpha, bitDepth: isWide ? 16 : most == 1 ? 1 : 8)
  }
}
