import EaselCoding
import EaselCore
import EaselPNG
import EaselPixels

/// Decodes the picture of an icon that fits the options.
struct ICOImage {
  private let directory: ICODirectory
  private let part: ICOEntry
  /// The size of the result.
  private let size: PixelSize
  private let bytes: ImageBytes
  private let options: DecodeOptions
  private let work: WorkContext

  init(_ directory: ICODirectory, of bytes: ImageBytes, options: DecodeOptions, work: WorkContext) {
    (self.directory, self.bytes, self.options, self.work) = (directory, bytes, options, work)
    let target = options.targetSize(for: directory.imageHeader)
    if target == directory.best.size, let least = options.leastSize, !least.isEmpty {
      part = directory.part(sufficientFor: least)
      size = part.size
    } else {
      let isFaithful = options.thumbnailSize != nil && options.fidelity != .fast
      part = directory.part(
        sufficientFor: isFaithful ? options.fidelity.sufficientSize(of: directory.best.size, for: target) : target)
      size = target
    }
  }

  func decode() throws -> Image {
    // The best picture may be among the pictures that were lost.
    if let damage = directory.damage, options.damaged != .show { throw ImageError.bad("ICO", damage) }
    var image = try part.bitmap.map { try bitmap($0) } ?? png()
    if let damage = directory.damage {
      image.traits.insert(.partial)
      image.metadata.notes.append(Wound(damage).note("ICO"))
    }
    return image
  }

  private func bitmap(_ header: BMPHeader) throws -> Image {
    let body = try BMPBody(header, of: bytes, at: part.offset, statedOffset: nil)
    var picture = BasicImage(name: "ICO", header: directory.imageHeader, options: options, work: work)
    picture.isBottomUp = true
    picture.rowSize = part.size
    picture.chosenSize = size
    let reader = try ICOBitmapReader(body, bytes, work: work)
    return try picture.decode(format: .rgba8) { rows throws(ImageError) in
      try reader.read(into: rows).map { Wound($0) }
    }
  }

  private func png() throws -> Image {
    var inner = DecodeOptions(
      thumbnailSize: size == part.size ? nil : size, preservesAspectRatio: false, firstFrameOnly: true,
      fidelity: options.thumbnailSize == nil ? .fast : options.fidelity)
    // Only the directory could state an orientation of the icon, and it states none.
    inner.appliesOrientation = false
    inner.convertsColor = options.convertsColor
    inner.keeps16Bits = options.keeps16Bits
    inner.keepsHighRange = options.keepsHighRange
    inner.damaged = options.damaged
    let file = try ImageBytes(bytes.part(at: part.offset, count: part.count))
    let image = try PNGCoder().decode(file, options: inner, work: work)
    guard image.metadata.storedSize == part.size else {
      throw ImageError.bad("ICO", "a PNG in the icon has another size than its first bytes say")
    }
    var traits: Image.Traits = image.traits.contains(.partial) ? .partial : []
    if image.size != directory.best.size { traits.insert(.thumbnail) }
    var metadata = ImageMetadata(storedSize: directory.best.size, iccProfile: image.metadata.iccProfile)
    metadata.color = image.metadata.color
    metadata.notes = image.metadata.notes
    return Image(image.bitmap, format: .ico, metadata: metadata, traits: traits)
  }
}
