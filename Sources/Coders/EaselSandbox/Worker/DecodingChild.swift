import CEaselSandbox
import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc

/// A child of the fork server: answers questions about one picture until the host closes the socket.
struct DecodingChild {
  let coders: [any ImageCoder]

  func run() {
    guard let message = Self.receive() else { return }
    var reader = MessageReader(message)
    guard var opening = try? ChildOpening(&reader) else { return }
    // It stays for all pictures, because buffers in it are used again.
    let output = OutputMemory(descriptor: CInt(EASEL_SANDBOX_OUTPUT))
    BufferPool.use(output)
    while let next = answer(about: opening, output) { opening = next }
  }

  /// Answers questions about one picture; returns the opening of the next one, or nil at the end.
  private func answer(about opening: ChildOpening, _ output: OutputMemory) -> ChildOpening? {
    guard let bytes = Self.input(count: opening.byteCount) else { return nil }
    let picture = Self.Picture(
      coder: coders.last { $0.identifier == opening.coder }, opening: opening, bytes: bytes)
    var frames: (any FrameSource)?
    var arrival = ArrivalInChild(limits: opening.limits)
    while let message = Self.receive() {
      var reader = MessageReader(message)
      guard let question = try? ChildRequest(&reader) else { return nil }
      if case .next(let opening) = question { return opening }
      let answer = arrival.answer(question, by: picture.coder, output) ?? picture.answer(question, &frames, output)
      Self.send(answer.bytes)
    }
    return nil
  }

  /// Answers questions about sample bytes as for a real picture, but without a host.
  func rehearse(with bytes: ImageBytes, asking questions: [ChildRequest]) {
    guard let coder = coders.last else { return }
    let picture = Picture(
      coder: coder, opening: ChildOpening(coder: coder.identifier, byteCount: bytes.count, limits: Limits()),
      bytes: bytes)
    let output = OutputMemory()
    var frames: (any FrameSource)?
    for question in questions {
      var writer = MessageWriter()
      picture.opening.write(to: &writer)
      question.write(to: &writer)
      var reader = MessageReader(writer.bytes)
      guard (try? ChildOpening(&reader)) != nil, let question = try? ChildRequest(&reader) else { return }
      _ = picture.answer(question, &frames, output).bytes
    }
  }

  private struct Picture {
    let coder: (any ImageCoder)?
    let opening: ChildOpening
    let bytes: ImageBytes

    func answer(
      _ question: ChildRequest, _ frames: inout (any FrameSource)?, _ output: OutputMemory
    ) -> ChildReply {
      do {
        return try answerOrThrow(question, &frames, output)
      } catch {
        return .failure(StoredFailure(error))
      }
    }

    private func answerOrThrow(
      _ question: ChildRequest, _ frames: inout (any FrameSource)?, _ output: OutputMemory
    ) throws -> ChildReply {
      guard let coder else {
        throw ImageError(
          .unsupportedFormat,
          "The worker of the sandbox has no coder \(opening.coder). Pass it to Sandbox.runIfWorker(coders:).")
      }
      let work = WorkContext(limits: opening.limits)
      output.beginAnswer()
      switch question {
      case .header: return .header(try coder.probe(bytes, work: work))
      case .metadataBytes:
        let counter = coder.capability((any MetadataCountingCoder).self)
        return .metadataBytes(try counter?.metadataBytes(of: bytes, work: work))
      case .repacked(let format, let withMetadata):
        let repacker = coder.capability((any RepackingCoder).self)
        let file = try repacker?.repacked(bytes, as: format, withMetadata: withMetadata, work: work)
        return .repacked(try file.flatMap { $0.isEmpty ? nil : try output.place(of: $0) })
      case .picture(let options):
        let image = try coder.decode(bytes, options: options, work: work)
        frames = image.frames
        return .picture(try output.place(of: image))
      case .frame(let index):
        guard let frames, (0..<frames.count).contains(index) else {
          throw ImageError(.badImageData, "The picture has no frame \(index).")
        }
        return .frame(try output.place(of: frames.frame(at: index, work: work)))
      case .next, .preview, .finish: throw ImageError(.badImageData, "That is no question about these bytes.")
      }
    }
  }

  /// The bytes of the picture, mapped into memory.
  static func input(count: Int) -> ImageBytes? {
    guard count > 0 else { return ImageBytes(Data()) }
    // The kernel maps sixteen pages at each access, which costs half as much as mapping all pages at once.
    let address = mmap(nil, count, PROT_READ, MAP_PRIVATE, CInt(EASEL_SANDBOX_INPUT), 0)
    guard let address, address != MAP_FAILED else { return nil }
    return ImageBytes(Data(bytesNoCopy: address, count: count, deallocator: .custom { munmap($0, $1) }))
  }

  // MARK: Messages

  private static let talk = CInt(EASEL_SANDBOX_TALK)

  private static func receive() -> [UInt8]? {
    guard let start = receive(4) else { return nil }
    return receive(start.reversed().reduce(0) { $0 << 8 | Int($1) })
  }

  /// What the host said together with the files, as far as it is not read yet.
  private static let beginning = Locked<ArraySlice<UInt8>>([])

  /// Uses once what only a child uses.
  static func warmUp() {
    BufferPool.use(nil)
    // Samples are smaller than the buffers that a pool keeps.
    _ = BufferPool.shared.buffer(ofAtLeast: 1 << 20)
    begin(with: UnsafeBufferPointer(start: nil, count: 0))
    _ = receive(0)
  }

  static func begin(with bytes: UnsafeBufferPointer<UInt8>) { beginning.withLock { $0 = Array(bytes)[...] } }

  private static func receive(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = beginning.withLock { rest in
      let part = rest.prefix(count)
      rest = rest.dropFirst(part.count)
      bytes.replaceSubrange(0..<part.count, with: part)
      return part.count
    }
    while done < count {
      let got = bytes.withUnsafeMutableBytes { read(talk, $0.baseAddress! + done, count - done) }
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else { return nil }
      done += got
    }
    return bytes
  }

  private static func send(_ message: [UInt8]) {
    let bytes = withUnsafeBytes(of: UInt32(message.count).littleEndian) { Array($0) } + message
    var done = 0
    while done < bytes.count {
      let wrote = bytes.withUnsafeBytes { write(talk, $0.baseAddress! + done, bytes.count - done) }
      // Without a host, no one needs an answer.
      guard wrote > 0 else { _exit(1) }
      done += wrote
    }
  }
}
