import EaselCore

extension ImageHeader {
  /// Reads a header; the caller checks the limits.
  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    let format = ImageFormat(mimeType: try reader.text())
    self.init(format: format, storedSize: try PixelSize(&reader))
    orientation = try ImageMetadata.Orientation(&reader)
    frameCount = try reader.int()
    loopCount = try reader.int()
    hasAlpha = try reader.flag()
    bitDepth = try reader.int()
    storedLoopCount = try reader.optional { reader throws(MessageReader.Malformed) in try reader.int() }
    storedDelays = try reader.list { reader throws(MessageReader.Malformed) in try Duration(&reader) }
    color = try reader.optional { reader throws(MessageReader.Malformed) in try ColorDescription(&reader) }
    gainMap = try reader.optional { reader throws(MessageReader.Malformed) in
      GainMap.Header(
        size: try PixelSize(&reader), byteCount: try reader.int(), formula: try GainMap.Formula(&reader))
    }
    notes = try reader.notes()
    iccProfileBytes = try reader.count()
    exifBytes = try reader.count()
    decoderBytes = try reader.optional { reader throws(MessageReader.Malformed) in try reader.count() }
    effort = try reader.optional { reader throws(MessageReader.Malformed) in try Duration(&reader) }
    guard storedSize.isPlausible, (1...64).contains(bitDepth), gainMap?.size.isPlausible != false,
      gainMap?.formula.isValid != false
    else { throw MessageReader.Malformed() }
  }

  func write(to writer: inout MessageWriter) {
    writer.add(format.mimeType)
    storedSize.write(to: &writer)
    orientation.write(to: &writer)
    writer.add(frameCount)
    writer.add(loopCount)
    writer.add(hasAlpha)
    writer.add(bitDepth)
    writer.add(storedLoopCount) { $0.add($1) }
    writer.add(storedDelays) { $1.write(to: &$0) }
    writer.add(color) { $1.write(to: &$0) }
    writer.add(gainMap) { writer, map in
      map.size.write(to: &writer)
      writer.add(map.byteCount)
      map.formula.write(to: &writer)
    }
    writer.add(notes) { $0.add($1) }
    writer.add(iccProfileBytes)
    writer.add(exifBytes)
    writer.add(decoderBytes) { $0.add($1) }
    writer.add(effort) { $1.bounded.write(to: &$0) }
  }
}

extension PixelSize {
  /// True if sums and products of the sides cannot overflow.
  var isPlausible: Bool { (0...1 << 30).contains(width) && (0...1 << 30).contains(height) }
}

extension ImageMetadata.Orientation {
  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    guard let orientation = ImageMetadata.Orientation(rawValue: try reader.int()) else {
      throw MessageReader.Malformed()
    }
    self = orientation
  }

  func write(to writer: inout MessageWriter) { writer.add(rawValue) }
}

extension Duration {
  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    let nanoseconds = try reader.int()
    guard nanoseconds >= 0 else { throw MessageReader.Malformed() }
    self = .nanoseconds(nanoseconds)
  }

  func write(to writer: inout MessageWriter) { writer.add(bounded.wholeNanoseconds) }
}

extension ColorDescription {
  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    let coding = ColorDescription.Coding(
      primaries: try reader.codePoint(), transfer: try reader.codePoint(), matrix: try reader.codePoint(),
      isFullRange: try reader.flag())
    self.init(
      coding: coding,
      masteringDisplay: try reader.optional { reader throws(MessageReader.Malformed) in
        let display = ColorDescription.MasteringDisplay(
          red: try reader.vector2(), green: try reader.vector2(), blue: try reader.vector2(),
          white: try reader.vector2(), leastLuminance: try reader.double(), greatestLuminance: try reader.double())
        guard display.isPlausible else { throw MessageReader.Malformed() }
        return display
      },
      contentLight: try reader.optional { reader throws(MessageReader.Malformed) in
        ColorDescription.ContentLight(greatest: try reader.count(), greatestAverage: try reader.count())
      })
  }

  func write(to writer: inout MessageWriter) {
    writer.add(coding.primaries)
    writer.add(coding.transfer)
    writer.add(coding.matrix)
    writer.add(coding.isFullRange)
    writer.add(masteringDisplay) { writer, display in
      for point in [display.red, display.green, display.blue, display.white] { writer.add(point) }
      writer.add(display.leastLuminance)
      writer.add(display.greatestLuminance)
    }
    writer.add(contentLight) { writer, light in
      writer.add(light.greatest)
      writer.add(light.greatestAverage)
    }
  }
}

extension ColorDescription.MasteringDisplay {
  fileprivate var isPlausible: Bool {
    [red, green, blue, white].allSatisfy { (0...2).contains($0.x) && (0...2).contains($0.y) }
      && (0...1e6).contains(leastLuminance) && (0...1e6).contains(greatestLuminance)
  }
}

extension GainMap.Formula {
  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    self.init(
      leastGain: try reader.vector3(), greatestGain: try reader.vector3(), gamma: try reader.vector3(),
      baseOffset: try reader.vector3(), alternateOffset: try reader.vector3(), baseHeadroom: try reader.double(),
      alternateHeadroom: try reader.double(), usesBaseColors: try reader.flag())
  }

  func write(to writer: inout MessageWriter) {
    for numbers in [leastGain, greatestGain, gamma, baseOffset, alternateOffset] { writer.add(numbers) }
    writer.add(baseHeadroom)
    writer.add(alternateHeadroom)
    writer.add(usesBaseColors)
  }
}

extension MessageReader {
  /// A number of bytes or frames.
  mutating func count() throws(Malformed) -> Int {
    let count = try int()
    guard (0...1 << 40).contains(count) else { throw Malformed() }
    return count
  }

  fileprivate mutating func codePoint() throws(Malformed) -> Int {
    let code = try int()
    guard (0...65_535).contains(code) else { throw Malformed() }
    return code
  }

  /// Sentences about ignored parts, which people may read.
  mutating func notes() throws(Malformed) -> [String] {
    let notes = try list { reader throws(Malformed) in try reader.sentence() }
    guard notes.count <= 64 else { throw Malformed() }
    return notes
  }

  /// A text without control characters, cut to a thousand bytes.
  mutating func sentence() throws(Malformed) -> String {
    let text = String(decoding: try block().prefix(1000), as: UTF8.self)
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.isPrintable ? $0 : "\u{FFFD}" }))
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isPrintable: Bool {
    switch generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
