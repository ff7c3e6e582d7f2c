import EaselCore

/// Reads and writes the chunks that describe colours by code points: cICP, mDCV and cLLI.
enum PNGColorChunks {
  /// The size of the largest of these chunks.
  static let mostBytes = displayBytes
  private static let (codingBytes, displayBytes, lightBytes) = (4, 24, 8)
  /// The numbers that stand for 1 in the chunks.
  ///
  /// Dividing by them gives the nearest number to a decimal fraction.
  private static let (chromaticity, luminance) = (50_000.0, 10_000.0)

  /// Reads cICP; returns nil unless the pixels are red, green and blue.
  static func coding(_ bytes: [UInt8]) -> ColorDescription.Coding? {
    guard bytes.count == codingBytes, bytes[2] == 0, bytes[3] <= 1 else { return nil }
    return ColorDescription.Coding(
      primaries: Int(bytes[0]), transfer: Int(bytes[1]), matrix: 0, isFullRange: bytes[3] == 1)
  }

  /// Reads mDCV.
  static func display(_ bytes: [UInt8]) -> ColorDescription.MasteringDisplay? {
    guard bytes.count == displayBytes else { return nil }
    func share(at offset: Int) -> Double { Double(Int(bytes[offset]) << 8 | Int(bytes[offset + 1])) / chromaticity }
    let points = [0, 4, 8, 12].map { SIMD2(share(at: $0), share(at: $0 + 2)) }
    return ColorDescription.MasteringDisplay(
      red: points[0], green: points[1], blue: points[2], white: points[3],
      leastLuminance: Double(bytes.bigEndian32(at: 20)) / luminance,
      greatestLuminance: Double(bytes.bigEndian32(at: 16)) / luminance)
  }

  /// Reads cLLI.
  static func light(_ bytes: [UInt8]) -> ColorDescription.ContentLight? {
    guard bytes.count == lightBytes else { return nil }
    let values = [0, 4].map { Int((Double(bytes.bigEndian32(at: $0)) / luminance).rounded()) }
    return ColorDescription.ContentLight(greatest: values[0], greatestAverage: values[1])
  }

  /// Writes the chunks of a description.
  ///
  /// Code points above 255 do not exist.
  static func append(_ color: ColorDescription, to writer: inout PNGChunkWriter) {
    guard let primaries = UInt8(exactly: color.coding.primaries), let transfer = UInt8(exactly: color.coding.transfer)
    else { return }
    // The pixels are now red, green and blue in full range, in whichever form their source file stored them.
    writer.append(.coding, [primaries, transfer, 0, 1])
    if let display = color.masteringDisplay {
      let points = [display.red, display.green, display.blue, display.white].flatMap { [$0.x, $0.y] }
      let lights = [display.greatestLuminance, display.leastLuminance]
      var content = points.flatMap { UInt16(clamping: $0 * chromaticity).bigEndianBytes }
      content += lights.flatMap { UInt32(clamping: $0 * luminance).bigEndianBytes }
      writer.append(.display, content)
    }
    if let light = color.contentLight {
      let values = [light.greatest, light.greatestAverage].map { Double($0) * luminance }
      writer.append(.light, values.flatMap { UInt32(clamping: $0).bigEndianBytes })
    }
  }
}

extension FixedWidthInteger {
  /// Rounds to the nearest number; NaN becomes 0.
  fileprivate init(clamping value: Double) {
    let rounded = value.rounded()
    self = rounded >= Double(Self.max) ? .max : rounded > 0 ? Self(rounded) : 0
  }
}
