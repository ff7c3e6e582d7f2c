import CEaselJPEG2000
import EaselCoding
import EaselCore

/// Assigns the components and palette columns of a picture to its colours and its alpha.
struct JPEG2000Channels {
  /// The definition of a channel in the file.
  struct Definition: Hashable {
    var channel: Int
    /// The kind: 0 for a colour, 1 for alpha, 2 for alpha that the colours are multiplied by.
    var kind: Int
    /// The number of the colour, counted from 1; 0 for all colours.
    var color: Int
  }

  struct Channel: Hashable {
    var component: Int
    /// The palette column that gives the value of each sample; nil if samples are values themselves.
    var column: [Int]?
    var depth: Int
  }

  let kind: easel_jpeg2000_kind
  /// The channels of the colours: one for grey, three, or four for inks.
  let colors: [Channel]
  let alpha: Channel?
  let isPremultiplied: Bool

  var isGray: Bool { colors.count == 1 }

  init(_ file: JPEG2000File) throws(ImageError) {
    let channels = try Self.all(of: file)
    let alphas = file.definitions.filter { ($0.kind == 1 || $0.kind == 2) && channels.indices.contains($0.channel) }
    let space = try Self.space(of: file, channelCount: channels.count - alphas.count)
    kind = space == .ycc ? EASEL_JPEG2000_YCC : space == .inks ? EASEL_JPEG2000_INKS : EASEL_JPEG2000_RGB
    let count = space == .gray ? 1 : space == .inks ? 4 : 3
    guard channels.count >= count else {
      throw .bad("JPEG 2000", "the picture has \(channels.count) channels, and its colours need \(count)")
    }
    let places = (1...count).map { color in
      file.definitions.first { $0.kind == 0 && $0.color == color }?.channel ?? color - 1
    }
    guard places.allSatisfy({ channels.indices.contains($0) }) else {
      throw .bad("JPEG 2000", "a colour is in a channel that the picture does not have")
    }
    colors = places.map { channels[$0] }
    // The pixels of inks have no room for alpha.
    guard space != .inks else {
      (alpha, isPremultiplied) = (nil, false)
      return
    }
    if let first = alphas.first {
      (alpha, isPremultiplied) = (channels[first.channel], first.kind == 2)
    } else {
      // A last channel without a definition is assumed to be alpha, as in most readers.
      let isAlpha = file.definitions.isEmpty && channels.count == count + 1
      (alpha, isPremultiplied) = (isAlpha ? channels[count] : nil, false)
    }
  }

  private static func all(of file: JPEG2000File) throws(ImageError) -> [Channel] {
    let components = file.stream.components
    guard let palette = file.palette else {
      return components.indices.map { Channel(component: $0, column: nil, depth: components[$0].depth) }
    }
    guard palette.mappings.allSatisfy({ components.indices.contains($0.component) }) else {
      throw .bad("JPEG 2000", "a channel is made of a component that the picture does not have")
    }
    return palette.mappings.map { mapping in
      Channel(
        component: mapping.component, column: mapping.column.map { palette.columns[$0] },
        depth: mapping.column.map { palette.depths[$0] } ?? components[mapping.component].depth)
    }
  }

  private static func space(of file: JPEG2000File, channelCount: Int) throws(ImageError) -> JPEG2000File.Space {
    guard file.space == .open else { return file.space }
    if let profile = file.profile {
      if profile.isGrayProfile { return .gray }
      if profile.isCMYKProfile { return .inks }
    }
    if channelCount <= 2 { return .gray }
    // If the colours have a lower resolution than the brightness, the space is YCC.
    let components = file.stream.components
    let isCoarse = components.count >= 3 && components[1].xStep > components[0].xStep
    return file.profile == nil && isCoarse ? .ycc : .sRGB
  }

  /// The pixel value of each sample value of a channel.
  static func table(of channel: Channel, isWide: Bool) -> [UInt16] {
    let bits = min(16, channel.depth)
    let (top, most) = ((1 << bits) - 1, isWide ? 65_535 : 255)
    func scaled(_ value: Int) -> UInt16 {
      // Of more than 8 bits the upper ones are taken, as in other formats.
      UInt16(!isWide && bits > 8 ? value >> (bits - 8) : (min(value, top) * most + top / 2) / top)
    }
    return channel.column.map { $0.map(scaled) } ?? (0...top).map(scaled)
  }
}
