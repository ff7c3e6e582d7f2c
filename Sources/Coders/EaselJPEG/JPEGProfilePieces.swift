import EaselCore
import FoundationEssentials

/// The pieces of an ICC profile too long for one segment.
struct JPEGProfilePieces {
  /// The most profile bytes in one segment.
  static let mostBytes = 65_533 - headBytes
  static let marker = Array("ICC_PROFILE\0".utf8)
  static let headBytes = 14
  /// Piece numbers have eight bits.
  private static let mostPieces = 255

  private struct Piece {
    var number: Int
    var total: Int
    var start: Int
    var count: Int
  }

  private var pieces: [Piece] = []

  /// Adds the content of a segment that begins with the marker.
  mutating func append(head: [UInt8], start: Int, count: Int) {
    guard head.count >= Self.headBytes, count > Self.headBytes, pieces.count < Self.mostPieces else { return }
    pieces.append(
      Piece(
        number: Int(head[12]), total: Int(head[13]), start: start + Self.headBytes, count: count - Self.headBytes))
  }

  /// The profile in the order of the piece numbers, or in file order if the numbers are wrong but the length is right.
  func assembled(from bytes: ImageBytes) throws(ImageError) -> Data? {
    guard let first = pieces.first else { return nil }
    if first.total > 0 {
      let ordered = (1...first.total).compactMap { number in pieces.first { $0.number == number } }
      if ordered.count == first.total { return try read(ordered, from: bytes) }
    }
    guard let profile = try read(pieces, from: bytes), profile.count >= 4 else { return nil }
    let stated = profile.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    return stated == profile.count ? profile : nil
  }

  private func read(_ pieces: [Piece], from bytes: ImageBytes) throws(ImageError) -> Data? {
    var profile = Data()
    for piece in pieces {
      let part = try bytes.part(at: piece.start, count: piece.count)
      guard part.count == piece.count else { return nil }
      profile += part
    }
    return profile
  }
}
