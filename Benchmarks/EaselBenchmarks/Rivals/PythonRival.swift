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
      [python, "-c", "\(script)\(loop)"], environment: environment,
      lacking: "a library; script/bootstrap --bench installs them")
  }

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
