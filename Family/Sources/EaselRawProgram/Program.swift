import EaselCore
import EaselRaw
import EaselSandbox
import Glibc

/// The helper `easel-raw`: the worker of a sandbox, and nothing else.
@main
enum Program {
  static func main() {
    Sandbox.runIfWorker(coders: [RawCoder()])
    let text = """
      easel-raw: This program reads raw photos for easel, which starts it by itself, and does nothing else. It needs no
      arguments and no settings. Try: easel convert photo.nef -o photo.jpg

      """
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(2)
  }
}
