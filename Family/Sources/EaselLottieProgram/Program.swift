import EaselCore
import EaselLottie
import EaselSandbox
import Glibc

/// The helper `easel-lottie`: the worker of a sandbox, and nothing else.
@main
enum Program {
  static func main() {
    Sandbox.runIfWorker(coders: [LottieCoder()])
    let text = """
      easel-lottie: This program draws Lottie animations for easel, which starts it by itself, and does nothing else. It needs no
      arguments and no settings. Try: easel convert animation.lottie -o animation.webp

      """
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(2)
  }
}
