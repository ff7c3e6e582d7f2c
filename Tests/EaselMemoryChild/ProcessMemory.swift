import FoundationEssentials

/// The kernel's statistics of this process.
enum ProcessMemory {
  /// The peak memory in bytes.
  static var peak: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(separator: " ").compactMap { Int($0) }.first ?? .max >> 10) << 10
  }
}
