import EaselCoding
import EaselCore
import FoundationEssentials

/// Completes a sequence that libavif wrote: states the number of plays, and removes the time of writing, because of
/// which equal pictures would make different files.
struct AVIFSequence {
  private let file: Data

  init(_ file: Data) { self.file = file }

  /// The file with a number of plays; 0 means forever.
  func playing(_ plays: Int) throws(ImageError) -> Data {
    var result = file
    let isDone = file.withUnsafeBytes { bytes in
      edit(MediaBytes(bytes), &result, plays: plays)
    }
    guard isDone else {
      throw ImageError(.encodeFailed, "AVIF: libavif wrote a sequence whose boxes cannot be read.")
    }
    return result
  }

  /// The number of bytes of an edit list with one entry: a box in a box, with numbers of eight bytes.
  private static let listBytes = 44

  private func edit(_ bytes: MediaBytes, _ result: inout Data, plays: Int) -> Bool {
    let boxes = bytes.boxes(in: 0..<bytes.count)
    guard let movie = boxes.first("moov") else { return false }
    let parts = bytes.boxes(in: movie.body())
    let tracks = parts.filter { $0.kind == "trak" }
    let growth = Self.listBytes * tracks.count
    guard let head = parts.first("mvhd"), let once = duration(of: head, bytes), !tracks.isEmpty else { return false }
    let whole = plays == 0 ? UInt64.max : UInt64(once).multipliedReportingOverflow(by: UInt64(plays)).partialValue
    // All numbers that refer to places after the movie's box must grow with it. From here on, places in `bytes` still
    // count from the start of the file before it grew.
    guard set(head, whole, &result, bytes, durationAt: 24) else { return false }
    result.add(growth, at: movie.start)
    guard result.moveEverything(bytes, by: growth, from: movie.end) else { return false }
    for track in tracks {
      guard mend(track, bytes, &result, whole: whole) else { return false }
    }
    for track in tracks.reversed() {
      guard let head = bytes.boxes(in: track.body()).first("tkhd") else { return false }
      result.insert(contentsOf: Self.list(once: once, repeats: plays != 1), at: head.end)
    }
    return true
  }

  private func mend(_ track: MediaBox, _ bytes: MediaBytes, _ result: inout Data, whole: UInt64) -> Bool {
    guard let head = bytes.path(["tkhd"], in: track).last,
      let mediaHead = bytes.path(["mdia", "mdhd"], in: track).last,
      set(head, whole, &result, bytes, durationAt: 28), set(mediaHead, nil, &result, bytes, durationAt: 24)
    else { return false }
    result.add(Self.listBytes, at: track.start)
    return true
  }

  /// Removes the times of writing from a head, and sets its duration.
  private func set(
    _ head: MediaBox, _ duration: UInt64?, _ result: inout Data, _ bytes: MediaBytes, durationAt place: Int
  ) -> Bool {
    guard bytes.number(at: head.content, bytes: 1) == 1, head.content + place + 8 <= head.end else { return false }
    Self.write(0, bytes: 16, at: head.content + 4, &result)
    if let duration { Self.write(duration, bytes: 8, at: head.content + place, &result) }
    return true
  }

  private func duration(of head: MediaBox, _ bytes: MediaBytes) -> Int? {
    bytes.number(at: head.content + 24, bytes: 8)
  }

  private static func write(_ number: UInt64, bytes count: Int, at place: Int, _ result: inout Data) {
    for index in 0..<count {
      let shift = 8 * (count - 1 - index)
      result[result.startIndex + place + index] = shift < 64 ? UInt8(truncatingIfNeeded: number >> shift) : 0
    }
  }

  private static func list(once: Int, repeats: Bool) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let list =
      number(1 << 24 | (repeats ? 1 : 0), 4) + number(1, 4) + number(once, 8) + number(0, 8) + number(1 << 16, 4)
    return number(listBytes, 4) + Array("edts".utf8) + number(listBytes - 8, 4) + Array("elst".utf8) + list
  }
}
