import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a QOI file.
struct QOIWriter {
  private var file: [UInt8]
  private var before = QOIPixel.qoiStart
  private var seen = [QOIPixel](repeating: QOIPixel(), count: 64)
  private var run: UInt8 = 0

  private init(_ header: QOIHeader) { file = header.bytes }

  static func file(of bitmap: Bitmap, work: WorkContext) throws -> Data {
    let hasAlpha = bitmap.format.alpha != .opaque
    let bitmap = try bitmap.converted(to: hasAlpha ? .rgba8 : .opaqueRGBA8, work: work)
    var writer = QOIWriter(QOIHeader(size: bitmap.size, hasAlpha: hasAlpha))
    var pace = CancellationPace(work)
    try bitmap.withUnsafeBytes { bytes in
      for y in 0..<bitmap.height {
        try pace.step(pixels: bitmap.width)
        for x in 0..<bitmap.width {
          let word = bytes.loadUnaligned(fromByteOffset: y * bitmap.bytesPerRow + 4 * x, as: UInt32.self)
          writer.add(unsafeBitCast(word, to: QOIPixel.self))
        }
      }
    }
    writer.endRun()
    return Data(writer.file + QOIPixelReader.end)
  }

  private mutating func endRun() {
    guard run > 0 else { return }
    file.append(0xC0 | (run - 1))
    run = 0
  }

  private mutating func add(_ pixel: QOIPixel) {
    guard pixel != before else {
      run += 1
      if run == 62 { endRun() }
      return
    }
    endRun()
    let place = pixel.qoiPlace
    if seen[place] == pixel {
      file.append(UInt8(place))
    } else {
      seen[place] = pixel
      addNew(pixel)
    }
    before = pixel
  }

  private mutating func addNew(_ pixel: QOIPixel) {
    guard pixel.w == before.w else {
      file += [0xFF, pixel.x, pixel.y, pixel.z, pixel.w]
      return
    }
    let change = pixel &- before
    let small = change &+ QOIPixel(2, 2, 2, 0)
    if small.x < 4 && small.y < 4 && small.z < 4 {
      file.append(0x40 | small.x << 4 | small.y << 2 | small.z)
      return
    }
    let (green, red, blue) = (change.y &+ 32, change.x &- change.y &+ 8, change.z &- change.y &+ 8)
    if green < 64 && red < 16 && blue < 16 {
      file.append(0x80 | green)
      file.append(red << 4 | blue)
    } else {
      file += [0xFE, pixel.x, pixel.y, pixel.z]
    }
  }
}
