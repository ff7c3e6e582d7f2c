import CEaselJPEG2000
import EaselCoding
import EaselCore
import EaselPixels

/// Makes pixels from decoded samples, and reduces them on the way.
struct JPEG2000Rows {
  let reader: JPEG2000Reader
  let file: JPEG2000File
  let channels: JPEG2000Channels
  let format: PixelFormat
  let target: PixelSize
  let averagesLight: Bool
  /// The conversion of inks; nil for a picture without inks.
  let cmyk: CMYKConversion?
  let work: WorkContext

  func bitmap() throws(ImageError) -> Bitmap {
    let used = channels.colors + [channels.alpha].compactMap { $0 }
    var (tables, parts) = ([UInt16](), [(channel: easel_jpeg2000_channel, table: Int)]())
    for channel in used {
      guard let plane = reader.plane(channel.component) else {
        throw .bad("JPEG 2000", "the component \(channel.component) has no samples")
      }
      let component = file.stream.components[channel.component]
      let table = JPEG2000Channels.table(of: channel, isWide: format.layout == .rgba16)
      var part = easel_jpeg2000_channel()
      part.plane = plane
      part.x_step = UInt32(component.xStep / file.stream.xStep)
      part.y_step = UInt32(component.yStep / file.stream.yStep)
      part.offset = component.isSigned ? 1 << Int32(component.depth - 1) : 0
      part.shift = channel.column == nil ? UInt32(max(0, component.depth - 16)) : 0
      part.table_count = UInt32(table.count)
      parts.append((part, tables.count))
      tables += table
    }
    // Grey serves as red, green and blue.
    if channels.isGray { parts = [parts[0], parts[0]] + parts }
    let hasFourth = parts.count == 4
    if !hasFourth { parts.append(parts[0]) }
    let result = tables.withUnsafeBufferPointer { tables in
      Result<Bitmap, ImageError> { () throws(ImageError) in
        let ready = parts.map { part in
          var channel = part.channel
          channel.table = tables.baseAddress! + part.table
          return channel
        }
        return try bitmap(of: reader.part.pixels, ready, hasFourth: hasFourth)
      }
    }
    return try result.get()
  }

  private func bitmap(
    of pixels: PixelRect, _ parts: [easel_jpeg2000_channel], hasFourth: Bool
  ) throws(ImageError) -> Bitmap {
    try RowStrips(
      of: pixels.size, format: format, target: target, averagesLight: averagesLight, work: work
    ).bitmap { (strip) throws(ImageError) in
      easel_jpeg2000_write_rows(
        parts, channels.kind, hasFourth, UInt32(pixels.x), UInt32(pixels.width),
        UInt32(pixels.y + strip.rows.lowerBound), UInt32(strip.rows.count), format.layout == .rgba16, strip.start,
        strip.bytesPerRow)
      if let cmyk {
        for row in 0..<strip.rows.count {
          cmyk.convert(
            UnsafeMutableRawBufferPointer(start: strip.start + row * strip.bytesPerRow, count: 4 * pixels.width))
        }
      }
      return strip.rows.count
    }
  }
}
