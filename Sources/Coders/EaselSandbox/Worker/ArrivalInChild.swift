import EaselCore

/// Decodes the bytes of one picture while they arrive in the input file.
struct ArrivalInChild {
  /// The time counts only while a question is answered, and not while the network is slow.
  private let work: WorkContext
  private var decoder: (any ProgressiveDecoder)?

  init(limits: Limits) {
    work = WorkContext(
      limits: limits, context: ImageContext(), cancellation: Cancellation(), clock: SystemClock())
  }

  /// Answers a question about bytes that arrive; nil for any other question.
  mutating func answer(_ question: ChildRequest, by coder: (any ImageCoder)?, _ output: OutputMemory) -> ChildReply? {
    do {
      switch question {
      case .preview(let count, let options): return try preview(count, options, coder, output)
      case .finish(let count): return try finish(count, output)
      default: return nil
      }
    } catch {
      return .failure(StoredFailure(error))
    }
  }

  private mutating func preview(
    _ count: Int, _ options: DecodeOptions, _ coder: (any ImageCoder)?, _ output: OutputMemory
  ) throws -> ChildReply {
    work.time.begin()
    defer { work.time.pause() }
    output.beginAnswer()
    let bytes = try Self.bytes(count)
    if decoder == nil {
      decoder = try coder?.capability((any ProgressiveImageCoder).self)?
        .makeDecoder(prefix: bytes.prefix(CoderRegistry.sniffLength), options: options, work: work)
    }
    guard let decoder else {
      throw ImageError(.unsupportedFormat, "The coder decodes these bytes only as a whole.")
    }
    try decoder.update(bytes)
    guard var image = try decoder.preview() else { return .nothing }
    // Nobody asks a preview for frames.
    image.frames = nil
    return .picture(try output.place(of: image))
  }

  private func finish(_ count: Int, _ output: OutputMemory) throws -> ChildReply {
    work.time.begin()
    defer { work.time.pause() }
    output.beginAnswer()
    guard let decoder else { throw ImageError(.badImageData, "There was no preview before.") }
    return .picture(try output.place(of: decoder.finish(try Self.bytes(count))))
  }

  private static func bytes(_ count: Int) throws -> ImageBytes {
    guard let bytes = DecodingChild.input(count: count) else {
      throw ImageError.exhausted("There is no memory for \(count) bytes of the file.")
    }
    return bytes
  }
}
