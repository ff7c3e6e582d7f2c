import EaselCoding
import EaselCore
import FoundationEssentials

/// Adds the information about light to a file of libavif; libavif 0.11 cannot write it.
///
/// In a still picture these are properties of its item, in a sequence also parts of the description of its track.
struct AVIFLightWriter {
  private let boxes: [[UInt8]]

  /// Returns nil if there is nothing to add.
  init?(_ color: ColorDescription?) {
    boxes = [color?.contentLight.map(Self.box), color?.masteringDisplay.map(Self.box)].compactMap { $0 }
    if boxes.isEmpty { return nil }
  }

  /// The file with the information about light; places whose boxes differ from libavif's stay unchanged.
  func added(to file: Data) -> Data { changed(changed(file, editItem), editTrack) }

  private func changed(_ file: Data, _ edit: (MediaBytes, inout Data) -> Bool) -> Data {
    var result = file
    let isDone = file.withUnsafeBytes { edit(MediaBytes($0), &result) }
    return isDone ? result : file
  }

  private func editTrack(_ bytes: MediaBytes, _ result: inout Data) -> Bool {
    guard let movie = bytes.boxes(in: 0..<bytes.count).first("moov") else { return false }
    let tracks = bytes.boxes(in: movie.body()).filter { $0.kind == "trak" }
    guard let track = tracks.first(where: { MediaTrack($0, of: bytes).isPicture }) else { return false }
    let parts = bytes.path(["mdia", "minf", "stbl", "stsd"], in: track)
    // The descriptions follow the version and their number.
    guard let list = parts.last, let entry = bytes.box(at: list.content + 8, before: list.end), entry.end <= list.end
    else { return false }
    let added = boxes.flatMap { $0 }
    guard result.moveEverything(bytes, by: added.count, from: movie.end) else { return false }
    for box in [movie, track, entry] + parts { result.add(added.count, at: box.start) }
    result.insert(contentsOf: added, at: entry.end)
    return true
  }

  private func editItem(_ bytes: MediaBytes, _ result: inout Data) -> Bool {
    guard let meta = bytes.boxes(in: 0..<bytes.count).first("meta") else { return false }
    let parts = bytes.boxes(in: meta.body(isFull: true))
    guard let properties = parts.first("iprp"), let first = parts.first("pitm"),
      let primary = bytes.number(at: first.content, bytes: 6)
    else { return false }
    let lists = bytes.boxes(in: properties.body())
    guard let list = lists.first("ipco"), let links = lists.first("ipma"), list.end <= links.start,
      let place = linkCount(of: primary, in: links, bytes), let count = bytes.number(at: place, bytes: 1)
    else { return false }
    let known = bytes.boxes(in: list.body()).count
    let added = boxes.flatMap { $0 }
    guard known + boxes.count < 128, count + boxes.count < 256,
      result.moveEverything(bytes, by: added.count + boxes.count, from: meta.end)
    else { return false }
    for box in [meta, properties] { result.add(added.count + boxes.count, at: box.start) }
    result.add(added.count, at: list.start)
    result.add(boxes.count, at: links.start)
    result.add(boxes.count, at: place, bytes: 1)
    // The later place is changed first, so that the earlier one does not move.
    result.insert(contentsOf: boxes.indices.map { UInt8(known + 1 + $0) }, at: place + 1 + count)
    result.insert(contentsOf: added, at: list.end)
    return true
  }

  /// The place of an item's number of properties, if each property takes a byte.
  private func linkCount(of item: Int, in links: MediaBox, _ bytes: MediaBytes) -> Int? {
    guard bytes.number(at: links.content, bytes: 4) == 0, let entries = bytes.number(at: links.content + 4, bytes: 4)
    else { return nil }
    var place = links.content + 8
    for _ in 0..<entries {
      guard place + 3 <= links.end, let number = bytes.number(at: place, bytes: 2),
        let count = bytes.number(at: place + 2, bytes: 1)
      else { return nil }
      if number == item { return place + 3 + count <= links.end ? place + 2 : nil }
      place += 3 + count
    }
    return nil
  }

  // MARK: Boxes

  private static func box(_ light: ColorDescription.ContentLight) -> [UInt8] {
    number(12, 4) + Array("clli".utf8) + number(light.greatest, 2) + number(light.greatestAverage, 2)
  }

  private static func box(_ display: ColorDescription.MasteringDisplay) -> [UInt8] {
    // Green, blue, red and white in this order.
    let points = [display.green, display.blue, display.red, display.white].flatMap { [$0.x, $0.y] }
    return number(32, 4) + Array("mdcv".utf8) + points.flatMap { number(rounded($0 * 50_000), 2) }
      + number(rounded(display.greatestLuminance * 10_000), 4) + number(rounded(display.leastLuminance * 10_000), 4)
  }

  private static func rounded(_ value: Double) -> Int { value > 0 ? Int(min(value.rounded(), 4e9)) : 0 }

  /// The bytes of a number, or of the largest number that fits.
  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    let value = min(max(0, value), 1 << (8 * count) - 1)
    return (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
