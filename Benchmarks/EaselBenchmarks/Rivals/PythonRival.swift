import EaselBenchmarkHarness
import Glibc

/// A Python process that runs another library's side of a case.
enum PythonRival {
  /// Starts a process; its script defines `work()`.
  static func process(script: String, environment: [String: String] = [:]) throws -> RepeatingProcess {
    guard let python = getenv("EASEL_PYTHON").map({ String(cString: $0) }) else {
      throw BenchmarkUnavailable("EASEL_PYTHON names no Python; script/bootstrap --bench makes one")
    }
    return try RepeatingProcess(
      [python, "-c", "\(start)\(script)\(loop)"], environment: environment,
      lacking: "a library; script/bootstrap --bench installs them")
  }

  /// Begins a script that calls Debian's libvips, which keeps nothing; that of the wheel reads neither HEIC nor JPEG XL
  /// nor PPM.
  static let debiansVips = """
    import sys
    sys.modules["_libvips"] = None
    import pyvips
    pyvips.cache_set_max(0)

    """

  /// Names an error in the first line, and so as the reason why the process cannot do its work.
  private static let start = """
    import sys
    def name(kind, error, trace):
        print(" ".join(f"{kind.__name__}: {error}".split()), flush=True)
    sys.excepthook = name

    """

  private static let loop: String = """

    import sys, time
    work()
    print("ready", flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        for _ in range(int(line)):
            work()
        print(time.perf_counter() - start, flush=True)
    """
}
