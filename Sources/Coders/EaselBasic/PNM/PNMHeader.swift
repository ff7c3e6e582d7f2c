import EaselCore

/// The header of a PBM, PGM, PPM or PAM.
struct PNMHeader: Hashable {
  /// The forms of the pixels.
  enum Raster {
    case plainBits, plainNumbers, bits, bytes
  }

  var size: PixelSize
  var raster: Raster
  /// The sample value of full brightness and of full opacity.
  var most: Int
  /// The number of samples per pixel: one for grey or three for red, green and blue, and one more with alpha.
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
