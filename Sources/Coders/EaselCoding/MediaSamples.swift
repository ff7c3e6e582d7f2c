import EaselCore

/// The pictures of a sequence: their places in the file, their times, and the pictures at which decoding can begin.
package struct MediaSamples: Sendable {
  /// The places of the samples in the file, in decoding order.
  package let places: [Range<Int>]
  /// The samples that are shown, in display order.
  package let shown: [Int]
  /// The time for which each shown sample is visible.
  package let delays: [Duration]
  /// The samples that refer to no earlier sample, in order; the first sample always counts.
  private let starts: [Int]

  /// Reads the tables of a track; nil if the tables contradict each other.
  ///
  /// The caller must have compared the number of samples with the limits.
  package init?(_ track: MediaTrack, _ bytes: MediaBytes) {
    guard let media = bytes.path(["mdia"], in: track.box).last,
      let tables = bytes.path(["minf", "stbl"], in: media).last.map({ bytes.boxes(in: $0.body()) }),
      let places = Self.places(tables, bytes), !places.isEmpty
    else { return nil }
    let scale = bytes.path(["mdhd"], in: media).last.flatMap { Self.scale($0, bytes) } ?? 0
    let times = Self.runs(tables.first("stts"), bytes, count: places.count)
    let offsets = Self.offsets(tables.first("ctts"), bytes, count: places.count)
    var order: [(sample: Int, time: Int, length: Int)] = []
    var time = 0
    for sample in places.indices {
      // The lowest offset marks a picture that is not shown, but to which other pictures refer.
      if offsets[sample] != Int(Int32.min) { order.append((sample, time + offsets[sample], times[sample])) }
      time += times[sample]
    }
    // Samples with equal times stay in decoding order.
    order.sort { ($0.time, $0.sample) < ($1.time, $1.sample) }
    guard !order.isEmpty else { return nil }
    self.places = places
    shown = order.map(\.sample)
    delays = order.indices.map { index in
      let isLast = index + 1 == order.count
      let length = isLast ? order[index].length : order[index + 1].time - order[index].time
      return scale > 0 ? .microseconds(Self.microseconds(length, scale)) : .zero
    }
    starts = Self.starts(tables.first("stss"), bytes, count: places.count)
  }

  /// The last sample at or before `sample` at which decoding can begin.
  package func start(of sample: Int) -> Int {
    guard !starts.isEmpty else { return sample }
    return starts[..<(starts.partition(after: sample))].last ?? 0
  }

  private static func microseconds(_ length: Int, _ scale: Int) -> Int {
    let (product, overflows) = length.multipliedReportingOverflow(by: 1_000_000)
    return overflows ? Int(Int32.max) : product / scale
  }

  /// The number of units of time in a second.
  private static func scale(_ head: MediaBox, _ bytes: MediaBytes) -> Int? {
    bytes.number(at: head.content + (bytes.number(at: head.content, bytes: 1) == 1 ? 20 : 12), bytes: 4)
  }

  private static func places(_ tables: [MediaBox], _ bytes: MediaBytes) -> [Range<Int>]? {
    guard let chunks = MediaChunks(tables, bytes) else { return nil }
    var places: [Range<Int>] = []
    for chunk in chunks.all {
      var place = chunk.start
      for sample in chunk.samples {
        guard let length = chunks.length(of: sample, bytes), place <= Int.max - length else { return nil }
        places.append(place..<place + length)
        place += length
      }
    }
    return places
  }

  /// The values of a table that states each value for a run of samples; 0 for samples beyond the table.
  private static func runs(_ box: MediaBox?, _ bytes: MediaBytes, count: Int) -> [Int] {
    var values: [Int] = []
    if let box, let number = bytes.number(at: box.content + 4, bytes: 4) {
      for index in 0..<min(number, box.count / 8) {
        guard let length = bytes.number(at: box.content + 8 + 8 * index, bytes: 4),
          let value = bytes.number(at: box.content + 12 + 8 * index, bytes: 4)
        else { break }
        values += Array(repeating: value, count: min(length, count - values.count))
      }
    }
    return values + Array(repeating: 0, count: count - values.count)
  }

  /// The values of a table of offsets, read with a sign.
  ///
  /// Some writers use negative offsets even in the version without a sign.
  private static func offsets(_ box: MediaBox?, _ bytes: MediaBytes, count: Int) -> [Int] {
    runs(box, bytes, count: count).map { Int(Int32(truncatingIfNeeded: $0)) }
  }

  private static func starts(_ box: MediaBox?, _ bytes: MediaBytes, count: Int) -> [Int] {
    guard let box, let number = bytes.number(at: box.content + 4, bytes: 4) else { return [] }
    var starts = [0]
    for index in 0..<min(number, box.count / 4) {
      guard let sample = bytes.number(at: box.content + 8 + 4 * index, bytes: 4) else { break }
      if sample - 1 > starts.last!, sample <= count { starts.append(sample - 1) }
    }
    return starts
  }
}

extension Array where Element == Int {
  /// The index of the first of the sorted numbers that is larger than this one.
  fileprivate func partition(after number: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] > number { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
