import Foundation

/// The Python that has the servers: that of `EASEL_PYTHON`, or the one that script/bootstrap made.
enum PythonWithModules {
  /// The path of a Python that has all modules; nil if there is none.
  static func find(_ modules: [String]) -> String? {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let named = ProcessInfo.processInfo.environment["EASEL_PYTHON"]
    let candidates = [named, root.appendingPathComponent(".venv/bin/python").path].compactMap { $0 }
    return candidates.first { python in
      guard FileManager.default.isExecutableFile(atPath: python) else { return false }
      let question = "import importlib.util as u; print(all(map(u.find_spec, \(modules))))"
      let answer = try? Program.run(python, ["-c", question])
      return answer.map { String(decoding: $0, as: UTF8.self).hasPrefix("True") } ?? false
    }
  }
}
