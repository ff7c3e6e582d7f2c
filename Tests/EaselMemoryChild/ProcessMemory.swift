import FoundationEssentials

/// What the kernel counts of this process.
enum ProcessMemory {
  /// The most bytes of memory that it ever had.
  static var peak: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(separator: " ").compactMap { Int($0) }.first ?? .max >> 10) << 10
  }
}
