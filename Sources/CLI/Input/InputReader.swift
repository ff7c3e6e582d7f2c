import Easel
import EaselHTTP
import FoundationEssentials
import Glibc

/// Reads the bytes of inputs; a file is read once a coder asks for its bytes.
struct InputReader: Sendable {
  let limits: Limits
  let coder: CoderRegistry

  /// One manager for all inputs, so that they share connections; it caches nothing.
  private static let manager = ImageManager(
    ImageManager.Configuration(loader: LoaderChain.standard(), coder: CoderRegistry.program, cache: TieredCache()))

  init(limits: Limits = Limits(), coder: CoderRegistry = .program) {
    self.limits = limits
    self.coder = coder
  }

  /// The bytes of an input; blocks until they have arrived.
  ///
  /// If no coder knows the bytes and they are known to be something else, the error names their kind.
  func bytes(of word: String) throws(ImageError) -> ImageBytes {
    let bytes = try anyBytes(of: word)
    let prefix = try bytes.prefix(CoderRegistry.sniffLength)
    guard !coder.coders.contains(where: { $0.canDecode(prefix: prefix) }), let name = ForeignContent.name(of: prefix)
    else { return bytes }
    throw Self.refusal(of: name)
  }

  /// The error for bytes that seem to be no picture.
  static func refusal(of name: String) -> ImageError {
    ImageError(
      .unsupportedFormat,
      "\(beginningOfRefusals)\(name), which Easel does not read. 'easel formats' lists what it reads.")
  }

  static let beginningOfRefusals = "This seems to be "

  /// All bytes of standard input, whatever they are.
  static func everything(ofStandardInputAs name: String) throws(ImageError) -> ImageBytes {
    try InputReader().stream(STDIN_FILENO, called: name)
  }

  private func anyBytes(of word: String) throws(ImageError) -> ImageBytes {
    switch Input(word) {
    case .standardInput: return try stream(STDIN_FILENO, called: "standard input")
    case .file(let path): return try file(path)
    case .url(let text):
      let limits = limits
      let result = waitFor { () async -> Result<ImageBytes, ImageError> in
        do throws(ImageError) {
          let request = ImageRequest(text, options: .retryFailed, context: [.limits(limits)])
          return .success(try await Self.manager.bytes(for: request))
        } catch {
          return .failure(error)
        }
      }
      return try result.get()
    }
  }

  private func file(_ path: String) throws(ImageError) -> ImageBytes {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw ImageError(
        .badImageData, "\(path) is a folder, and a file is wanted. Name a picture in it, or all, as in \(path)/*.jpg.",
        subject: path)
    }
    // `<(command)` in a shell gives a pipe a path.
    guard stat(path, &status) == 0, [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT) else {
      return try ImageBytes(contentsOfFile: path)
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return try ImageBytes(contentsOfFile: path) }
    defer { close(descriptor) }
    return try stream(descriptor, called: path)
  }

  private func stream(_ descriptor: Int32, called name: String) throws(ImageError) -> ImageBytes {
    let received = ReceivedBytes()
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { chunk.deallocate() }
    while true {
      let count = read(descriptor, chunk.baseAddress, chunk.count)
      if count == 0 { return received.snapshot() }
      if count < 0 {
        let code = errno
        if code == EINTR { continue }
        throw ImageError(
          .badImageData, "Could not read \(name): \(SystemError(code: code)).", cause: SystemError(code: code))
      }
      guard received.count + count <= limits.downloadBytes else {
        throw ImageError(
          .limitExceeded,
          "There are more than \(limits.downloadBytes) bytes in \(name). Store them in a file to read them piece by piece."
        )
      }
      guard received.append(UnsafeRawBufferPointer(rebasing: chunk[..<count])) else {
        throw ImageError.exhausted("There is no memory for the bytes of \(name).")
      }
    }
  }
}
