import Easel

/// The setting that says how much memory the server may use.
enum MemoryLimit: Hashable, Sendable {
  /// As much as the system allows: the control group of the process, that is the container, and `ulimit -d`.
  case automatic
  case unlimited
  case bytes(Int)

  /// Reads `auto`, `none`, or a number of bytes.
  init?(_ text: String) {
    switch text {
    case "auto": self = .automatic
    case "none": self = .unlimited
    default:
      guard let bytes = Option<Int>.bytes("", "").read(text), bytes > 0 else { return nil }
      self = .bytes(bytes)
    }
  }

  /// The limit in bytes; `allowed` is what the system allows.
  func bytes(ofSystem allowed: Int?) -> Int? {
    switch self {
    case .automatic: allowed
    case .unlimited: nil
    case .bytes(let bytes): bytes
    }
  }
}
