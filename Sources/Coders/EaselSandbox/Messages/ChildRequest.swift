import EaselCore

/// The first message to a child: the coder, the bytes and the limits.
struct ChildOpening: Hashable {
  var coder: String
  var byteCount: Int
  var limits: Limits

  init(coder: String, byteCount: Int, limits: Limits) {
    self.coder = coder
    self.byteCount = byteCount
    self.limits = limits
  }

  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    coder = try reader.text()
    byteCount = try reader.int()
    limits = try Limits(&reader)
  }

  func write(to writer: inout MessageWriter) {
    writer.add(coder)
    writer.add(byteCount)
    limits.write(to: &writer)
  }
}

/// A question to a child that already has the picture's bytes.
enum ChildRequest: Hashable {
  case header
  case picture(DecodeOptions)
  case frame(Int)
  case metadataBytes
  /// Asks for the file of this format that the picture's file becomes without loss.
  case repacked(ImageFormat, withMetadata: Bool)
  /// Gives the child another picture, whose bytes are in the same file now. It has no answer.
  case next(ChildOpening)
  /// Asks for the part of the picture that so many bytes show, while the rest arrives; the options stay the same.
  case preview(Int, DecodeOptions)
  /// Asks for the whole picture, after previews of it.
  case finish(Int)

  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    switch try reader.int() {
    case 0: self = .header
    case 1: self = .picture(try DecodeOptions(&reader))
    case 2: self = .frame(try reader.int())
    case 3: self = .metadataBytes
    case 4: self = .repacked(ImageFormat(mimeType: try reader.text()), withMetadata: try reader.flag())
    case 5: self = .next(try ChildOpening(&reader))
    case 6: self = .preview(try reader.int(), try DecodeOptions(&reader))
    case 7: self = .finish(try reader.int())
    default: throw MessageReader.Malformed()
    }
  }

  func write(to writer: inout MessageWriter) {
    switch self {
    case .header: writer.add(0)
    case .picture(let options):
      writer.add(1)
      options.write(to: &writer)
    case .frame(let index):
      writer.add(2)
      writer.add(index)
    case .metadataBytes: writer.add(3)
    case .repacked(let format, let withMetadata):
      writer.add(4)
      writer.add(format.mimeType)
      writer.add(withMetadata)
    case .next(let opening):
      writer.add(5)
      opening.write(to: &writer)
    case .preview(let count, let options):
      writer.add(6)
      writer.add(count)
      options.write(to: &writer)
    case .finish(let count):
      writer.add(7)
      writer.add(count)
    }
  }
}

extension Limits {
  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    self.init()
    downloadBytes = try reader.int()
    side = try reader.int()
    framePixels = try reader.int()
    progressiveJPEGPixels = try reader.int()
    frames = try reader.int()
    totalPixels = try reader.int()
    decodeTime = .nanoseconds(try reader.int())
    metadataBytes = try reader.int()
    blocks = try reader.int()
  }

  /// Writes the limits that bind decoders.
  func write(to writer: inout MessageWriter) {
    writer.add(downloadBytes)
    writer.add(side)
    writer.add(framePixels)
    writer.add(progressiveJPEGPixels)
    writer.add(frames)
    writer.add(totalPixels)
    writer.add(decodeTime.bounded.wholeNanoseconds)
    writer.add(metadataBytes)
    writer.add(blocks)
  }
}

extension DecodeOptions {
  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    self.init()
    thumbnailSize = try reader.optional { reader throws(MessageReader.Malformed) in try PixelSize(&reader) }
    fidelity = try Fidelity(&reader)
    preservesAspectRatio = try reader.flag()
    scaleDownLimitBytes = try reader.optional { reader throws(MessageReader.Malformed) in try reader.int() }
    appliesOrientation = try reader.flag()
    convertsColor = try reader.flag()
    keeps16Bits = try reader.flag()
    keepsHighRange = try reader.flag()
    damaged = try DamagePolicy(&reader)
    firstFrameOnly = try reader.flag()
    typeHint = try reader.optional { reader throws(MessageReader.Malformed) in
      ImageFormat(mimeType: try reader.text())
    }
    leastSize = try reader.optional { reader throws(MessageReader.Malformed) in try PixelSize(&reader) }
    region = try reader.optional { reader throws(MessageReader.Malformed) in
      PixelRect(x: try reader.int(), y: try reader.int(), width: try reader.int(), height: try reader.int())
    }
  }

  func write(to writer: inout MessageWriter) {
    writer.add(thumbnailSize) { $1.write(to: &$0) }
    writer.add(fidelity.rawValue)
    writer.add(preservesAspectRatio)
    writer.add(scaleDownLimitBytes) { $0.add($1) }
    writer.add(appliesOrientation)
    writer.add(convertsColor)
    writer.add(keeps16Bits)
    writer.add(keepsHighRange)
    damaged.write(to: &writer)
    writer.add(firstFrameOnly)
    writer.add(typeHint) { $0.add($1.mimeType) }
    writer.add(leastSize) { $1.write(to: &$0) }
    writer.add(region) { writer, region in
      for number in [region.x, region.y, region.width, region.height] { writer.add(number) }
    }
  }
}

extension Fidelity {
  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    guard let value = Fidelity(rawValue: try reader.int()) else { throw MessageReader.Malformed() }
    self = value
  }
}

extension DamagePolicy {
  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    let number = try reader.int()
    guard Self.allCases.indices.contains(number) else { throw MessageReader.Malformed() }
    self = Self.allCases[number]
  }

  func write(to writer: inout MessageWriter) { writer.add(Self.allCases.firstIndex(of: self)!) }
}

extension PixelSize {
  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    self.init(width: try reader.int(), height: try reader.int())
  }

  func write(to writer: inout MessageWriter) {
    writer.add(width)
    writer.add(height)
  }
}

extension Duration {
  /// The nanoseconds of a duration, which must be ``bounded``.
  var wholeNanoseconds: Int {
    let (seconds, attoseconds) = components
    return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
  }
}
