import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials

/// The rules about pixels and their colours.
extension FormatContract {
  func checkPixels(_ note: FormatFindings) throws {
    let sizes = [(1, 1), (7, 5), (64, 33), (301, 17)].map { PixelSize(width: $0.0, height: $0.1) } + format.sizes
    for (way, options) in format.lossless.enumerated() {
      for pixels in format.exactFormats {
        for size in sizes where max(size.width, size.height) <= format.largestSide {
          let bitmap = try Bitmap.noise(size.width, size.height, pixels)
          let read = try decode(encode(Image(bitmap), options)) { $0.keeps16Bits = true }.bitmap
          note.expect(read == bitmap, "\(size) pixels of \(pixels) come back as others from way \(way) of writing.")
        }
      }
    }
  }

  func checkColors(_ note: FormatFindings) throws {
    for pixels in format.sameColors {
      let bitmap = try Bitmap.noise(19, 6, pixels)
      let expected = try bitmap.converted(to: pixels.alpha == .opaque ? .opaqueRGBA8 : .rgba8)
      let read = try decode(encode(Image(bitmap), exact)).bitmap
      note.expect(read == expected, "\(pixels) comes back as other colours.")
    }
  }

  func checkHiddenColors(_ note: FormatFindings) throws {
    let bitmap = try Bitmap(50, 40, .rgba8) { x, y in [x * 5, y * 6, x ^ y, 0] }
    let read = try decode(encode(Image(bitmap), exact)).bitmap
    note.expect(read == bitmap, "Colours of transparent pixels come back as others.")
  }

  func checkQuality(_ note: FormatFindings) throws {
    let bitmap = try Bitmap.waves(256, 192)
    for (quality, least) in format.decibels {
      let read = try decode(encode(Image(bitmap)) { $0.quality = quality }).bitmap
      let found = read.signalToNoise(against: bitmap)
      note.expect(found > least, "A soft picture of quality \(quality) has \(found) dB, and \(least) are promised.")
    }
    let counts = try [0.1, 0.5, 0.9].map { quality in try encode(Image(bitmap)) { $0.quality = quality }.count }
    note.expect(
      counts[0] < counts[1] && counts[1] < counts[2], "Files of the qualities 0.1, 0.5 and 0.9 have \(counts) bytes.")
  }

  func checkEqualFiles(_ note: FormatFindings) throws {
    let still = Image(try Bitmap.waves(min(2100, format.largestSide), 40))
    for image in try [still] + (format.motion == nil ? [] : [moving().image]) {
      for options in [EncodeOptions(), exact] {
        let files = try (0..<2).map { _ in try encode(image, options) }
        note.expect(files[0] == files[1], "A picture of \(image.frames?.count ?? 1) frames is two different files.")
      }
    }
  }

  // MARK: Profiles and codings

  func checkProfile(_ note: FormatFindings) throws {
    for count in format.profileBytes {
      let bitmap = try Bitmap.noise(8, 8, pixels)
      var metadata = ImageMetadata(storedSize: bitmap.size, iccProfile: Data((0..<count).map { UInt8($0 % 251) }))
      if !format.codings.isEmpty { metadata.color = ColorDescription(coding: .sRGB) }
      let bytes = try encode(Image(bitmap, metadata: metadata))
      let read = try decode(bytes) { $0.convertsColor = false }.metadata
      note.expect(
        read.iccProfile == metadata.iccProfile && read.color == nil,
        "A profile of \(count) bytes comes back as \(read.iccProfile?.count ?? 0) bytes.")
      let stated = try probe(bytes).iccProfileBytes
      note.expect(stated == count, "A profile of \(count) bytes has \(stated) by the header.")
      let counted = try counter?.metadataBytes(of: ImageBytes(bytes), work: WorkContext())
      note.expect(counter == nil || counted == 0, "A profile of \(count) bytes counts as metadata.")
    }
  }

  func checkProfileUse(_ note: FormatFindings) throws {
    let bitmap = try Bitmap(8, 8, PixelColor(red: 128, green: 128, blue: 128), .opaqueRGBA8)
    var metadata = ImageMetadata(storedSize: bitmap.size, iccProfile: LinearProfile.colors)
    if !format.codings.isEmpty { metadata.color = ColorDescription(coding: .sRGB) }
    let bytes = try encode(Image(bitmap, metadata: metadata), exact)
    let count = try probe(bytes).iccProfileBytes
    note.expect(count == LinearProfile.colors.count, "The header says that the profile has \(count) bytes.")
    let image = try decode(bytes)
    let seen = image.bitmap.components(4, 4)
    note.expect(
      abs(seen[0] - 188) <= 2 && image.metadata.iccProfile == nil,
      "The grey 128 of linear light is read as \(seen), and 188 would be right.")
    let raw = try decode(bytes) { $0.convertsColor = false }
    note.expect(
      raw.bitmap == bitmap && raw.metadata.iccProfile == LinearProfile.colors && raw.metadata.color == nil,
      "Colours left with their profile are \(raw.bitmap.components(4, 4)) or have lost it.")
  }

  func checkGrayProfile(_ note: FormatFindings) throws {
    for pixels in [PixelFormat.gray8, .opaqueRGBA8] {
      let bitmap = try Bitmap(32, 32, PixelColor(red: 128, green: 128, blue: 128), pixels)
      let metadata = ImageMetadata(storedSize: bitmap.size, iccProfile: LinearProfile.gray)
      let bytes = try encode(Image(bitmap, metadata: metadata), exact)
      let seen = try decode(bytes).bitmap.components(5, 5)
      note.expect(
        abs(seen[0] - 188) <= (isExact ? 1 : 2), "\(pixels) of 128 in linear light is read as \(seen), not as 188.")
      let keepsIt = pixels == .gray8 && format.keeps.contains(.grayProfile)
      let count = try probe(bytes).iccProfileBytes
      note.expect((count > 0) == keepsIt, "\(pixels) has \(count) bytes of a profile for grey.")
    }
  }

  func checkMissingProfile(_ note: FormatFindings) throws {
    for (pixels, profile) in [PixelFormat.gray8, .opaqueRGBA8].flatMap({ pixels in
      [LinearProfile.gray, LinearProfile.colors].map { (pixels, $0) }
    }) {
      let bitmap = try Bitmap(32, 32, PixelColor(red: 128, green: 128, blue: 128), pixels)
      let metadata = ImageMetadata(storedSize: bitmap.size, iccProfile: profile)
      let bytes = try encode(Image(bitmap, metadata: metadata), exact)
      let seen = try decode(bytes).bitmap.components(5, 5)
      note.expect(
        abs(seen[0] - 188) <= (isExact ? 1 : 2),
        "\(pixels) of 128 in linear light is read as \(seen), not as 188. Begin with image.withoutProfile(work:).")
      let count = try probe(bytes).iccProfileBytes
      note.expect(count == 0, "\(pixels) has \(count) bytes of a profile that the format is said not to hold.")
    }
  }

  func checkCodings(_ note: FormatFindings) throws {
    let bitmap = try Bitmap.waves(20, 10)
    for coding in format.codings {
      let what = "The coding \(coding.primaries), \(coding.transfer)"
      var image = Image(bitmap)
      image.metadata.color = ColorDescription(coding: coding)
      let plain = try encode(image, exact)
      let read = try decode(plain) { $0.convertsColor = false }
      note.expect(
        read.bitmap == bitmap && read.metadata.color == image.metadata.color,
        "\(what) comes back as \(read.metadata.color as Any), or with other pixels.")
      let stated = try probe(plain).color
      note.expect(stated == image.metadata.color, "\(what) is \(stated as Any) in the header.")
      let lossy = try decode(encode(image) { $0.quality = 1 }) { $0.convertsColor = false }
      let found = lossy.bitmap.signalToNoise(against: bitmap)
      note.expect(
        lossy.metadata.color == image.metadata.color && found > 25, "\(what) with loss has \(found) dB or is lost.")
      guard coding.isHighRange else { continue }
      // Files without loss may have as few bits as the picture.
      let usual = try encode(image)
      let (shown, wide) = (try decode(usual), try decode(usual) { $0.keeps16Bits = true })
      note.expect(
        shown.bitmap.format == .opaqueRGBA8 && shown.metadata.color == nil && wide.bitmap.format.layout == .rgba16,
        "\(what) is shown as \(shown.bitmap.format), and with 16 bits as \(wide.bitmap.format).")
    }
  }
}
