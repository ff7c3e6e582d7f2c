import CEaselLottie
import EaselCore
import FoundationEssentials

/// The animation in a file of dotLottie, which is an archive (ZIP).
struct LottieArchive {
  private struct Entry {
    let name: String
    let isPacked: Bool
    let packed: Range<Int>
    let count: Int
  }

  private struct Manifest: Decodable {
    struct Animation: Decodable { let id: String }
    let animations: [Animation]
  }

  private let bytes: [UInt8]
  private let entries: [Entry]
  private let mostBytes: Int

  init(_ bytes: [UInt8], limits: Limits) throws(ImageError) {
    self.bytes = bytes
    mostBytes = limits.downloadBytes
    entries = try Self.entries(of: bytes, most: limits.blocks)
  }

  static func isArchive(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x50, 0x4B, 3, 4]) }

  /// The JSON of the first animation that the manifest names.
  func animation() throws(ImageError) -> [UInt8] {
    guard let list = entry(named: "manifest.json"),
      let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(try file(list))),
      let first = manifest.animations.first
    else { throw Self.bad("the archive has no manifest that names an animation") }
    // The folder has another name since the second version.
    guard let found = entry(named: "animations/\(first.id).json") ?? entry(named: "a/\(first.id).json") else {
      throw Self.bad("the archive lacks the animation of its manifest")
    }
    return try file(found)
  }

  private func entry(named name: String) -> Entry? { entries.first { $0.name == name } }

  private func file(_ entry: Entry) throws(ImageError) -> [UInt8] {
    guard entry.count <= mostBytes else {
      throw ImageError(
        .limitExceeded,
        "Lottie: the archive unpacks to \(entry.count) bytes, over the \(mostBytes) allowed. "
          + "Raise Limits.downloadBytes to allow more.")
    }
    guard entry.isPacked else { return Array(bytes[entry.packed]) }
    var file = [UInt8](repeating: 0, count: entry.count)
    let isWhole = bytes[entry.packed].withUnsafeBufferPointer { packed in
      easel_lottie_inflate(packed.baseAddress, packed.count, &file, entry.count)
    }
    guard isWhole else { throw Self.bad("a file in the archive is damaged") }
    return file
  }

  static func bad(_ text: String) -> ImageError { ImageError(.badImageData, "Lottie: \(text).") }

  // MARK: The directory of the archive

  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
  }

  private static func entries(of bytes: [UInt8], most: Int) throws(ImageError) -> [Entry] {
    // The end record has 22 bytes and a comment.
    let end = stride(from: bytes.count - 22, through: max(0, bytes.count - 22 - 65_535), by: -1).first {
      number(bytes, $0, 4) == 0x0605_4B50
    }
    guard bytes.count >= 22, let end else { throw bad("the archive is cut") }
    var place = number(bytes, end + 16, 4)
    var entries: [Entry] = []
    for _ in 0..<min(number(bytes, end + 10, 2), most) {
      guard place + 46 <= bytes.count, number(bytes, place, 4) == 0x0201_4B50 else {
        throw bad("the directory of the archive is damaged")
      }
      let (name, more, comment) = (
        number(bytes, place + 28, 2), number(bytes, place + 30, 2), number(bytes, place + 32, 2)
      )
      let (method, packed, count) = (
        number(bytes, place + 10, 2), number(bytes, place + 20, 4), number(bytes, place + 24, 4)
      )
      let local = number(bytes, place + 42, 4)
      guard place + 46 + name <= bytes.count, local + 30 <= bytes.count, [0, 8].contains(method) else {
        throw bad("the directory of the archive is damaged")
      }
      let start = local + 30 + number(bytes, local + 26, 2) + number(bytes, local + 28, 2)
      guard start + packed <= bytes.count, method == 8 || packed == count else {
        throw bad("a file in the archive is cut")
      }
      entries.append(
        Entry(
          name: String(decoding: bytes[(place + 46)..<(place + 46 + name)], as: UTF8.self), isPacked: method == 8,
          packed: start..<(start + packed), count: count))
      place += 46 + name + more + comment
    }
    return entries
  }
}
