import CEaselJPEG2000
import EaselCoding
import EaselCore
import EaselPixels

/// Makes pixels of decoded samples, and makes them smaller while they pass.
struct JPEG2000Rows {
  let reader: JPEG2000Reader
  let file: JPEG2000File
  let channels: JPEG2000Channels
  let format: PixelFormat
  let target: PixelSize
  /// The conversion of inks; nil where the picture has none.
  let cmyk: CMYKConversion?
  let work: WorkContext

  private static let stripBytes = 128 << 10

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
    // Grey is red, green and blue.
    if channels.isGray { parts = [parts[0], parts[0]] + parts }
    let hasFourth = parts.count == 4
    if !hasFourth { parts.append(parts[0]) }
    let size = file.stream.size(halvings: reader.halvings)
    let result = tables.withUnsafeBufferPointer { tables in
      Result<Bitmap, ImageError> { () throws(ImageError) in
        let ready = parts.map { part in
          var channel = part.channel
          channel.table = tables.baseAddress! + part.table
          return channel
        }
        return try bitmap(of: size, ready, hasFourth: hasFourth)
      }
    }
    return try result.get()
  }

  private func bitmap(
    of size: PixelSize, _ parts: [easel_jpeg2000_channel], hasFourth: Bool
  ) throws(ImageError) -> Bitmap {
    let reducer = size == target ? nil : try RowReducer(from: size, to: target, format: format)
    let rowBytes = size.width * format.bytesPerPixel
    let rowsAtOnce = min(
      size.height, reducer == nil ? CancellationPace.lines(of: size.width) : max(1, Self.stripBytes / rowBytes))
    var bitmap = try Bitmap(
      unfilled: PixelSize(width: size.width, height: reducer == nil ? size.height : rowsAtOnce), format: format)
    let bytesPerRow = bitmap.bytesPerRow
    try bitmap.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      for y in stride(from: 0, to: size.height, by: rowsAtOnce) {
        try work.checkCancellation()
        let count = min(rowsAtOnce, size.height - y)
        let start = bytes.baseAddress! + (reducer == nil ? y * bytesPerRow : 0)
        easel_jpeg2000_write_rows(
          parts, channels.kind, hasFourth, UInt32(size.width), UInt32(y), UInt32(count), format.layout == .rgba16,
          start, bytesPerRow)
        for row in 0..<count {
          let pixels = UnsafeMutableRawBufferPointer(start: start + row * bytesPerRow, count: rowBytes)
          cmyk?.convert(pixels)
          try reducer?.push(UnsafeRawBufferPointer(pixels))
        }
      }
    }
    return reducer?.bitmap ?? bitmap
  }
}
