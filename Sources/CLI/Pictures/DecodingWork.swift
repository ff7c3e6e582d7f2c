import Easel
import FoundationEssentials

/// Decodes a picture repeatedly, and writes its pixels once.
struct DecodingWork {
  enum Selection {
    /// The still picture.
    case poster
    case one(Int)
    case all
  }

  struct Measurement {
    var size = PixelSize(width: 0, height: 0)
    var frames = 0
    var isPartial = false
    var time = Duration.zero
  }

  let options: DecodeOptions
  let limits: Limits
  let selection: Selection
  let chunk: Int?
  let repeats: Int
  let coder: CoderRegistry
  /// True to replace an existing file.
  var mayReplace = false

  func run(on bytes: ImageBytes, writingTo path: String) throws -> Measurement {
    // Decoding in pieces reads from memory, like a load.
    let bytes = chunk == nil ? bytes : try bytes.loaded()
    var times: [Duration] = []
    for _ in 1..<repeats {
      var watch = Stopwatch()
      _ = try decode(bytes, &watch) { _ in }
      times.append(watch.total)
    }
    var watch = Stopwatch()
    var file: OutputFile?
    var outcome = try decode(bytes, &watch) { bitmap in
      // The file is only opened now, so that a picture that cannot be decoded leaves no empty file.
      let target = try file ?? OutputFile(path, mayReplace: mayReplace)
      file = target
      try RawRows.write(bitmap, to: target)
    }
    try file?.finish()
    outcome.time = Stopwatch.median(times + [watch.total])
    return outcome
  }

  /// Decodes the picture once; the time for writing is not measured.
  private func decode(
    _ bytes: ImageBytes, _ watch: inout Stopwatch, write: (Bitmap) throws -> Void
  ) throws -> Measurement {
    let image = try watch.measure { try decoded(bytes) }
    var outcome = Measurement(isPartial: image.traits.contains(.partial))
    for index in try indices(image) {
      let bitmap = try watch.measure { try index.flatMap { try image.frames?.frame(at: $0) } ?? image.bitmap }
      if outcome.frames == 0 { outcome.size = bitmap.size }
      outcome.frames += 1
      try write(bitmap)
    }
    return outcome
  }

  private func decoded(_ bytes: ImageBytes) throws -> Image {
    let work = WorkContext(limits: limits)
    guard let chunk else { return try coder.decode(bytes, options: options, work: work) }
    let prefix = try bytes.prefix(CoderRegistry.sniffLength)
    guard let decoder = try coder.makeDecoder(prefix: prefix, options: options, work: work) else {
      return try coder.decode(bytes, options: options, work: work)
    }
    let data = try bytes.unchangedData()
    var count = 0
    while data.count - count > chunk {
      count += chunk
      try decoder.update(ImageBytes(data.prefix(count)))
    }
    return try decoder.finish(bytes)
  }

  /// The frames to write; nil stands for the poster.
  private func indices(_ image: Image) throws(ImageError) -> [Int?] {
    switch selection {
    case .poster: return [nil]
    case .all: return image.frames.map { Array(0..<$0.count) } ?? [nil]
    case .one(let index):
      let count = image.frames?.count ?? 1
      guard index < count else {
        throw ImageError(
          .badImageData,
          "There is no frame \(index): the picture has \(count), counted from 0.")
      }
      return [index]
    }
  }
}
