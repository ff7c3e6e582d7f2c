import EaselCore
import EaselPDF
import EaselSandbox
import Glibc

/// The helper `easel-pdf`: the worker of a sandbox, and nothing else.
@main
enum Program {
  static func main() {
    Sandbox.runIfWorker(coders: [PDFCoder(files: .kept)])
    let text = """
      easel-pdf: This program draws PDF for easel, which starts it by itself, and does nothing else. It needs no
      arguments and no settings. Try: easel convert document.pdf -o page.png

      """
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(2)
  }
}
