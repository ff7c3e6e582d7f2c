import EaselCore
import EaselVideo
import EaselSandbox
import Glibc

/// The helper `easel-video`: the worker of a sandbox, and nothing else.
@main
enum Program {
  static func main() {
    Sandbox.runIfWorker(coders: [VideoCoder()])
    let text = """
      easel-video: This program shows films for easel, which starts it by itself, and does nothing else. It needs no
      arguments and no settings. Try: easel convert film.mp4 -o poster.jpg

      """
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(2)
  }
}
