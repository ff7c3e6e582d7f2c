import CEaselSandbox
import EaselCore
import Glibc

/// The program as a worker: a fork server, and in its children decoders.
enum SandboxWorker {
  /// The first argument of a worker.
  static let argument = "--easel-sandbox-worker"

  private static let coders = Locked<[any ImageCoder]>([])
  private static let hasBeenCalled = Locked(false)

  /// True when this program becomes a worker if it is started as one.
  static var isOffered: Bool { hasBeenCalled.withLock { $0 } }

  static func runIfAsked(_ coders: [any ImageCoder]) {
    hasBeenCalled.withLock { $0 = true }
    let words = CommandLine.arguments
    guard words.count == 3, words[1] == argument, let offered = UInt32(words[2]) else { return }
    run(coders, offered)
  }

  private static func run(_ coders: [any ImageCoder], _ offered: UInt32) -> Never {
    // Only a process with one thread can fork safely, and children may not start threads.
    CPUBudget.allowOneThread()
    Self.coders.withLock { $0 = coders }
    WarmUp.run(coders)
    BufferPool.shared.removeAll()
    var hello = easel_sandbox_lock_down(offered)
    guard easel_sandbox_send_hello(&hello) == 0, hello.threads == 1 else { _exit(1) }
    let status = easel_sandbox_serve(hello.layers) {
      DecodingChild(coders: SandboxWorker.coders.withLock { $0 }).run()
    }
    _exit(status == 0 ? 0 : 1)
  }
}

/// Uses each coder once, so that children find tables filled and libraries ready.
private enum WarmUp {
  static func run(_ coders: [any ImageCoder]) {
    for coder in coders {
      for format in coder.formats where coder.canEncode(format) { run(coder, format) }
    }
  }

  private static func run(_ coder: any ImageCoder, _ format: ImageFormat) {
    let work = WorkContext()
    // A coder that cannot do this is none the worse for it: it has only not been used yet.
    guard let bitmap = try? Bitmap(size: PixelSize(width: 80, height: 60), format: .opaqueRGBA8),
      let bytes = try? coder.encode(Image(bitmap), as: format, options: EncodeOptions(), work: work)
    else { return }
    DecodingChild(coders: [coder]).rehearse(with: bytes)
  }
}
