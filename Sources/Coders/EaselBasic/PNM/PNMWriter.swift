import CEaselPixels
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a PGM, a PPM or, for a picture with alpha, a PAM.
struct PNMWriter {
  private let bitmap: Bitmap
  private let work: WorkContext
  private let hasAlpha: Bool
  private let isWide: Bool

  static func file(of bitmap: Bitmap, work: WorkContext) throws -> Data {
    try PNMWriter(bitmap, work: work).file()
  }

  private init(_ bitmap: Bitmap, work: WorkContext) throws {
    self.work = work
    hasAlpha = bitmap.format.alpha != .opaque
    isWide = bitmap.format.layout == .rgba16
    self.bitmap = try bitmap.converted(
      to: PixelFormat(isWide ? .rgba16 : .rgba8, alpha: hasAlpha ? .straight : .opaque), work: work)
  }

  private func file() throws -> Data {
    let isGray = try isGray()
    let most = isWide ? 65_535 : 255
    let channels = (isGray ? 1 : 3) + (hasAlpha ? 1 : 0)
    var file = Data()
    if hasAlpha {
      file += Data(
        """
        P7
        WIDTH \(bitmap.width)
        HEIGHT \(bitmap.height)
        DEPTH \(channels)
        MAXVAL \(most)
        TUPLTYPE \(isGray ? "GRAYSCALE" : "RGB")_ALPHA
        ENDHDR

        """.utf8)
    } else {
      file += Data("P\(isGray ? 5 : 6)\n\(bitmap.width) \(bitmap.height)\n\(most)\n".utf8)
    }
    if !isWide && !isGray { return try colors(after: file) }
    let places: [Int] = (isGray ? [0] : [0, 1, 2]) + (hasAlpha ? [3] : [])
    try eachRow { row in
      file.append(contentsOf: isWide ? wide(row, places) : narrow(row, places))
      return true
    }
    return file
  }

  /// The file of a picture of 8 bits that is not grey.
  private func colors(after header: Data) throws -> Data {
    let bytesPerRow = bitmap.width * (hasAlpha ? 4 : 3)
    return try Data(pooledCount: header.count + bytesPerRow * bitmap.height) { file in
      file.copyBytes(from: header)
      var target = file.baseAddress! + header.count
      try eachRow { row in
        if hasAlpha {
          target.copyMemory(from: row.baseAddress!, byteCount: row.count)
        } else {
          easel_rgba8_to_rgb8(false, row.baseAddress, 0, target, 0, bitmap.width, 1)
        }
        target += bytesPerRow
        return true
      }
    }
  }

  private func isGray() throws -> Bool {
    var isGray = true
    try eachRow { row in
      isGray = isWide ? Self.isGray(row, UInt16.self) : Self.isGray(row, UInt8.self)
      return isGray
    }
    return isGray
  }

  private static func isGray<Sample: FixedWidthInteger>(_ row: UnsafeRawBufferPointer, _: Sample.Type) -> Bool {
    let samples = row.bindMemory(to: Sample.self)
    return stride(from: 0, to: samples.count, by: 4).allSatisfy {
      samples[$0] == samples[$0 + 1] && samples[$0] == samples[$0 + 2]
    }
  }

  /// Calls `body` with the bytes of each row until it returns false.
  private func eachRow(_ body: (UnsafeRawBufferPointer) -> Bool) throws {
    var pace = CancellationPace(work)
    try bitmap.withUnsafeBytes { bytes in
      for y in 0..<bitmap.height {
        try pace.step(pixels: bitmap.width)
        let start = y * bitmap.bytesPerRow
        let end = start + bitmap.width * bitmap.format.bytesPerPixel
        guard body(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) else { return }
      }
    }
  }

  private func narrow(_ row: UnsafeRawBufferPointer, _ places: [Int]) -> [UInt8] {
    var samples: [UInt8] = []
    samples.reserveCapacity(row.count / 4 * places.count)
    for pixel in stride(from: 0, to: row.count, by: 4) {
      for place in places { samples.append(row[pixel + place]) }
    }
    return samples
  }

  private func wide(_ row: UnsafeRawBufferPointer, _ places: [Int]) -> [UInt8] {
    var samples: [UInt8] = []
    samples.reserveCapacity(row.count / 4 * places.count)
    for pixel in stride(from: 0, to: row.count, by: 8) {
      for place in places {
        let sample = row.loadUnaligned(fromByteOffset: pixel + 2 * place, as: UInt16.self)
        samples.append(UInt8(sample >> 8))
        samples.append(UInt8(sample & 255))
      }
    }
    return samples
  }
}
