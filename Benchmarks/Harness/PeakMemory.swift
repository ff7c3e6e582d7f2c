import Glibc

/// The peak of resident memory.
///
/// Memory that was freed earlier but is still held by the process hides growth. To judge the peak of one case, run it
/// alone.
package enum PeakMemory {
  /// The bytes by which `body` raised the peak above the resident memory before; nil if the kernel does not report it.
  package static func growth(during body: () async throws -> Void) async rethrows -> Int? {
    let before = resetPeak() ? SystemFile.kilobytes(of: "VmRSS", in: SystemFile.read("/proc/self/status")) : nil
    try await body()
    let peak = SystemFile.kilobytes(of: "VmHWM", in: SystemFile.read("/proc/self/status"))
    guard let before, let peak else { return nil }
    return max(0, peak - before) * 1024
  }

  private static func resetPeak() -> Bool {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return false }
    let written = fputs("5", file)
    return fclose(file) == 0 && written >= 0
  }
}
