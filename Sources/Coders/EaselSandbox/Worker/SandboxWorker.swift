import CEaselSandbox
import EaselCore
import EaselFormats
import EaselSupport
import Glibc

/// The program as a worker: a fork server, whose children are decoders.
enum SandboxWorker {
  /// The first argument of a worker.
  static let argument = "--easel-sandbox-worker"

  private static let coders = Locked<[any ImageCoder]>([])
  private static let hasBeenCalled = Locked(false)

  /// True if this program becomes a worker when it is started as one.
  static var isOffered: Bool { hasBeenCalled.withLock { $0 } }

  static func runIfAsked(_ coders: [any ImageCoder]) {
    hasBeenCalled.withLock { $0 = true }
    let words = CommandLine.arguments
    guard words.count == 4, words[1] == argument, let offered = UInt32(words[2]),
      let group = WorkerGroup(rawValue: words[3])
    else { return }
    run(coders.filter { WorkerGroup(of: $0) == group }, offered, group)
  }

  private static func run(_ coders: [any ImageCoder], _ offered: UInt32, _ group: WorkerGroup) -> Never {
    // Only a process with one thread can fork safely, and children may not start threads.
    CPUBudget.allowOneThread()
    Self.coders.withLock { $0 = coders }
    // If the program itself has another thread, coders cannot tell if their own threads have ended. The host is told.
    if easel_sandbox_threads_end() {
      warmUp(coders)
      // The call waits for threads that the warm-up has started and that are about to end.
      _ = easel_sandbox_threads_end()
      DecodingChild.warmUp()
      BufferPool.shared.removeAll()
    }
    group.prepareForCopies()
    var hello = easel_sandbox_lock_down(offered)
    guard easel_sandbox_send_hello(&hello) == 0, hello.threads == 1 else { _exit(1) }
    let status = easel_sandbox_serve(hello.layers) { beginning, count in
      DecodingChild.begin(with: UnsafeBufferPointer(start: beginning, count: count))
      DecodingChild(coders: SandboxWorker.coders.withLock { $0 }).run()
    }
    _exit(status == 0 ? 0 : 1)
  }

  // MARK: Warmth

  /// Uses each coder once, so that children inherit filled tables and initialized libraries.
  private static func warmUp(_ coders: [any ImageCoder]) {
    for coder in coders {
      guard let sample = sample(of: coder) else { continue }
      DecodingChild(coders: [coder]).rehearse(
        with: sample, asking: [.header, .picture(DecodeOptions()), .picture(smallOptions)])
    }
  }

  /// A small file, with which a coder fills tables and loads libraries; nil if the coder neither has nor writes a file,
  /// and then starts slower.
  private static func sample(of coder: any ImageCoder) -> ImageBytes? {
    do {
      let guest = coder.capability((any SandboxGuest).self)
      if let sample = try guest?.prepareForSandbox(threadsEnd: easel_sandbox_threads_end) { return sample }
    } catch {
      // A worker that, for example, cannot draw text would have this fault for all pictures.
      var hello = easel_sandbox_hello(problem: (error as? ImageError)?.message ?? "\(error)")
      _ = easel_sandbox_send_hello(&hello)
      _exit(1)
    }
    if let sample = FormatCards.cards(of: coder).lazy.compactMap(\.sample).first { return ImageBytes(sample) }
    guard let encoder = coder.capability((any EncodingCoder).self),
      let format = coder.formats.first(where: encoder.canEncode),
      let bitmap = try? Bitmap(size: PixelSize(width: 80, height: 60), format: .opaqueRGBA8)
    else { return nil }
    return try? encoder.encode(Image(bitmap), as: format, options: EncodeOptions(), work: WorkContext())
  }

  private static var smallOptions: DecodeOptions {
    var options = DecodeOptions()
    options.thumbnailSize = PixelSize(width: 20, height: 20)
    return options
  }
}
