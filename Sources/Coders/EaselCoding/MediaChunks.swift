/// The chunks of a track: runs of samples that lie together in the file.
struct MediaChunks {
  /// A run of samples.
  struct Chunk {
    /// The place of the first sample in the file.
    let start: Int
    let samples: Range<Int>
  }

  let all: [Chunk]
  /// The length of every sample; 0 if the lengths differ.
  let commonLength: Int
  private let sizes: MediaBox

  /// Reads the tables of a track; nil if the tables contradict each other.
  init?(_ tables: [MediaBox], _ bytes: MediaBytes) {
    guard let sizes = tables.first("stsz"), let groups = tables.first("stsc"),
      let offsets = tables.first("stco") ?? tables.first("co64"),
      let commonLength = bytes.number(at: sizes.content + 4, bytes: 4),
      let sampleCount = bytes.number(at: sizes.content + 8, bytes: 4),
      let groupCount = bytes.number(at: groups.content + 4, bytes: 4),
      let count = bytes.number(at: offsets.content + 4, bytes: 4)
    else { return nil }
    let width = offsets.kind == "co64" ? 8 : 4
    guard count <= (offsets.end - offsets.content) / width, groupCount <= groups.count / 12,
      commonLength > 0 || sampleCount <= sizes.count / 4
    else { return nil }
    var chunks: [Chunk] = []
    var (sample, group, perChunk) = (0, 0, 0)
    for chunk in 0..<count {
      while group < groupCount, let first = bytes.number(at: groups.content + 8 + 12 * group, bytes: 4),
        first <= chunk + 1
      {
        guard let number = bytes.number(at: groups.content + 12 + 12 * group, bytes: 4) else { return nil }
        perChunk = number
        group += 1
      }
      guard let start = bytes.number(at: offsets.content + 8 + width * chunk, bytes: width) else { return nil }
      let end = min(sampleCount, sample + perChunk)
      chunks.append(Chunk(start: start, samples: sample..<end))
      sample = end
    }
    guard sample == sampleCount else { return nil }
    all = chunks
    self.commonLength = commonLength
    self.sizes = sizes
  }

  /// The length of a sample; nil if its entry is outside the file.
  func length(of sample: Int, _ bytes: MediaBytes) -> Int? {
    commonLength > 0 ? commonLength : bytes.number(at: sizes.content + 12 + 4 * sample, bytes: 4)
  }
}
