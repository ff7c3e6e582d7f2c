import EaselCore
import EaselTestPixels
import FoundationEssentials

/// The Python packages that tests compare with.
enum PythonPackages {
  /// What a script prints for the pixels of a packed bitmap; nil, with a printed reason, without the package.
  static func output(of script: String, input: Bitmap, needing package: String) -> [UInt8]? {
    guard let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"] else {
      print("skipped: EASEL_PYTHON names no Python")
      return nil
    }
    guard EaselTestPixels.Process.output(of: [python, "-c", "import \(package)"], input: []) != nil else {
      print("skipped: \(python) has no package \(package)")
      return nil
    }
    // The package is there, so a script that fails is a mistake that the comparison must show.
    return EaselTestPixels.Process.output(of: [python, "-c", script], input: input.withUnsafeBytes(Array.init)) ?? []
  }
}
