import Foundation

/// A DNG written by the tests: a sensor under red, green and blue filters, and the JPEG that a camera would add.
struct RawPhoto {
  var (width, height) = (120, 80)
  var orientation = 1
  var maker = "Easel"
  /// The JPEG beside the raw picture.
  var preview = Data()
  /// The share of light that the sensor gets by each filter, at each place.
  var light: (_ x: Int, _ y: Int) -> (red: Double, green: Double, blue: Double) = { x, _ in
    x < 60 ? (0.6, 0.1, 0.1) : (0.1, 0.2, 0.6)
  }

  private struct Entry {
    let tag: UInt16
    let type: UInt16
    let count: Int
    let bytes: Data
  }

  private static func word(_ value: Int) -> Data { withUnsafeBytes(of: UInt16(value).littleEndian) { Data($0) } }
  private static func long(_ value: Int) -> Data {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).littleEndian) { Data($0) }
  }

  private static func shorts(_ tag: UInt16, _ values: Int...) -> Entry {
    Entry(tag: tag, type: 3, count: values.count, bytes: values.reduce(Data()) { $0 + word($1) })
  }
  private static func longs(_ tag: UInt16, _ values: Int...) -> Entry {
    Entry(tag: tag, type: 4, count: values.count, bytes: values.reduce(Data()) { $0 + long($1) })
  }
  private static func bytes(_ tag: UInt16, _ values: UInt8...) -> Entry {
    Entry(tag: tag, type: 1, count: values.count, bytes: Data(values))
  }
  private static func text(_ tag: UInt16, _ value: String) -> Entry {
    Entry(tag: tag, type: 2, count: value.utf8.count + 1, bytes: Data(value.utf8) + [0])
  }
  /// Numbers with a sign in thousandths.
  private static func ratios(_ tag: UInt16, signed: Bool = false, _ values: Double...) -> Entry {
    Entry(
      tag: tag, type: signed ? 10 : 5, count: values.count,
      bytes: values.reduce(Data()) { $0 + long(Int(($1 * 1000).rounded())) + long(1000) })
  }

  private static func directory(_ entries: [Entry], at start: Int) -> Data {
    let entries = entries.sorted { $0.tag < $1.tag }
    var table = word(entries.count)
    var rest = Data()
    let end = start + 2 + 12 * entries.count + 4
    for entry in entries {
      table += word(Int(entry.tag)) + word(Int(entry.type)) + long(entry.count)
      if entry.bytes.count <= 4 {
        table += entry.bytes + Data(count: 4 - entry.bytes.count)
      } else {
        table += long(end + rest.count)
        rest += entry.bytes + Data(count: entry.bytes.count % 2)
      }
    }
    return table + long(0) + rest
  }

  /// The values of the sensor; its filters are red and green, green and blue.
  private var sensor: Data {
    var data = Data(capacity: 2 * width * height)
    for y in 0..<height {
      for x in 0..<width {
        let light = light(x, y)
        let share = y % 2 == 0 ? (x % 2 == 0 ? light.red : light.green) : (x % 2 == 0 ? light.green : light.blue)
        data += Self.word(Int(share * 16_000))
      }
    }
    return data
  }

  private func raw(at start: Int, stripAt strip: Int) -> [Entry] {
    [
      Self.longs(254, 0), Self.longs(256, width), Self.longs(257, height), Self.shorts(258, 16), Self.shorts(259, 1),
      Self.shorts(262, 32_803), Self.longs(273, strip), Self.shorts(277, 1), Self.longs(278, height),
      Self.longs(279, 2 * width * height), Self.shorts(33_421, 2, 2), Self.bytes(33_422, 0, 1, 1, 2),
      Self.longs(50_717, 16_000),
    ]
  }

  private var about: [Entry] {
    [
      Self.text(271, maker), Self.text(272, "Model 1"), Self.shorts(274, orientation), Self.bytes(50_706, 1, 4, 0, 0),
      Self.text(50_708, "\(maker) Model 1"), Self.shorts(50_778, 21),
      // From XYZ to the camera's colours, which are those of sRGB.
      Self.ratios(
        50_721, signed: true, 3.2406, -1.5372, -0.4986, -0.9689, 1.8758, 0.0415, 0.0557, -0.2040, 1.0570),
      Self.ratios(50_728, 1, 1, 1),
    ]
  }

  var data: Data {
    let (header, sensor) = (Data([0x49, 0x49, 42, 0]) + Self.long(8), sensor)
    guard !preview.isEmpty else {
      let length = Self.directory(raw(at: 8, stripAt: 0) + about, at: 8).count
      return header + Self.directory(raw(at: 8, stripAt: 8 + length) + about, at: 8) + sensor
    }
    // The first picture is the preview, and the raw picture is below it.
    func first(below: Int, jpegAt: Int) -> [Entry] {
      about + [
        Self.longs(254, 1), Self.longs(256, width), Self.longs(257, height), Self.shorts(258, 8, 8, 8),
        Self.shorts(259, 7), Self.shorts(262, 6), Self.longs(273, jpegAt), Self.shorts(277, 3),
        Self.longs(278, height), Self.longs(279, preview.count), Self.longs(330, below),
      ]
    }
    let below = 8 + Self.directory(first(below: 0, jpegAt: 0), at: 8).count
    let jpeg = below + Self.directory(raw(at: below, stripAt: 0), at: below).count
    let strip = jpeg + preview.count + preview.count % 2
    return header + Self.directory(first(below: below, jpegAt: jpeg), at: 8)
      + Self.directory(raw(at: below, stripAt: strip), at: below) + preview + Data(count: preview.count % 2) + sensor
  }
}
