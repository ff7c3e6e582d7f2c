import EaselCore
import FoundationEssentials

/// The description of a decoded picture, whose pixels are in the output file.
struct StoredImage {
  var bitmap: StoredBitmap
  var format: ImageFormat?
  var metadata: ImageMetadata
  var gainMap: StoredGainMap?
  var traits: Image.Traits
  var frames: StoredFrameList?

  init(_ image: Image, bitmap: StoredBitmap, gainMap: StoredGainMap?) {
    self.bitmap = bitmap
    self.gainMap = gainMap
    format = image.format
    metadata = image.metadata
    traits = image.traits
    frames = image.frames.map { StoredFrameList($0) }
  }

  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    bitmap = try StoredBitmap(&reader)
    format = try reader.optional { reader throws(MessageReader.Malformed) in
      ImageFormat(mimeType: try reader.text())
    }
    metadata = try ImageMetadata(&reader)
    gainMap = try reader.optional { reader throws(MessageReader.Malformed) in try StoredGainMap(&reader) }
    traits = Image.Traits(rawValue: UInt8(truncatingIfNeeded: try reader.int())).intersection([.partial, .thumbnail])
    frames = try reader.optional { reader throws(MessageReader.Malformed) in try StoredFrameList(&reader) }
  }

  func write(to writer: inout MessageWriter) {
    bitmap.write(to: &writer)
    writer.add(format) { $0.add($1.mimeType) }
    metadata.write(to: &writer)
    writer.add(gainMap) { $1.write(to: &$0) }
    writer.add(Int(traits.rawValue))
    writer.add(frames) { $1.write(to: &$0) }
  }
}

/// A gain map whose values are in the output file.
struct StoredGainMap {
  var bitmap: StoredBitmap
  var formula: GainMap.Formula
  var fullSize: PixelSize?

  init(_ map: GainMap, bitmap: StoredBitmap) {
    self.bitmap = bitmap
    formula = map.formula
    fullSize = map.fullSize
  }

  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    bitmap = try StoredBitmap(&reader)
    formula = try GainMap.Formula(&reader)
    fullSize = try reader.optional { reader throws(MessageReader.Malformed) in try PixelSize(&reader) }
    guard formula.isValid, fullSize?.isPlausible != false else { throw MessageReader.Malformed() }
  }

  func write(to writer: inout MessageWriter) {
    bitmap.write(to: &writer)
    formula.write(to: &writer)
    writer.add(fullSize) { $1.write(to: &$0) }
  }
}

/// The properties that a frame source states without making a frame.
struct StoredFrameList: Equatable {
  var loopCount: Int
  var canvasSize: PixelSize
  var durations: [Duration]

  init(_ frames: any FrameSource) {
    loopCount = frames.loopCount
    canvasSize = frames.canvasSize
    durations = (0..<max(0, frames.count)).map { frames.duration(at: $0) }
  }

  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    loopCount = try reader.count()
    canvasSize = try PixelSize(&reader)
    durations = try reader.list { reader throws(MessageReader.Malformed) in try Duration(&reader) }
    guard !durations.isEmpty, !canvasSize.isEmpty, canvasSize.isPlausible else { throw MessageReader.Malformed() }
  }

  func write(to writer: inout MessageWriter) {
    writer.add(loopCount)
    canvasSize.write(to: &writer)
    writer.add(durations) { $1.write(to: &$0) }
  }
}

extension ImageMetadata {
  /// Reads the metadata, but not the gain map.
  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    self.init(storedSize: try PixelSize(&reader))
    orientation = try ImageMetadata.Orientation(&reader)
    iccProfile = try reader.optionalData()
    color = try reader.optional { reader throws(MessageReader.Malformed) in try ColorDescription(&reader) }
    notes = try reader.notes()
    exif = try reader.optionalData()
    xmp = try reader.optionalData()
    density = try reader.optional { reader throws(MessageReader.Malformed) in
      ImageMetadata.Density(horizontal: try reader.double(), vertical: try reader.double())
    }
    let sides = density.map { [$0.horizontal, $0.vertical] } ?? []
    guard storedSize.isPlausible, sides.allSatisfy({ $0.isFinite && $0 >= 0 }) else { throw MessageReader.Malformed() }
  }

  func write(to writer: inout MessageWriter) {
    storedSize.write(to: &writer)
    orientation.write(to: &writer)
    writer.add(iccProfile) { $0.add(block: $1) }
    writer.add(color) { $1.write(to: &$0) }
    writer.add(notes) { $0.add($1) }
    writer.add(exif) { $0.add(block: $1) }
    writer.add(xmp) { $0.add(block: $1) }
    writer.add(density) { writer, density in
      writer.add(density.horizontal)
      writer.add(density.vertical)
    }
  }
}

extension MessageReader {
  fileprivate mutating func optionalData() throws(Malformed) -> Data? {
    try optional { reader throws(Malformed) in Data(try reader.block()) }
  }
}
