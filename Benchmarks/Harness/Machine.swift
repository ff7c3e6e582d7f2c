import Glibc

/// The machine of the measurements.
package struct Machine: Codable, Equatable, Sendable {
  package var processor: String
  package var cores: Int
  package var memoryKilobytes: Int
  package var kernel: String
  package var swift: String

  package static func current(swift: String) -> Machine {
    Machine(
      processor: SystemFile.value(of: "model name", in: SystemFile.read("/proc/cpuinfo")) ?? "unknown processor",
      cores: sysconf(Int32(_SC_NPROCESSORS_ONLN)),
      memoryKilobytes: SystemFile.kilobytes(of: "MemTotal", in: SystemFile.read("/proc/meminfo")) ?? 0,
      kernel: SystemFile.read("/proc/sys/kernel/osrelease").split(separator: "\n").first.map(String.init) ?? "unknown",
      swift: swift
    )
  }

  package var description: String {
    let gigabytes = Figure.fixed(Double(memoryKilobytes) / 1_048_576, places: 1)
    return "\(processor), \(cores) cores, \(gigabytes) GiB, Linux \(kernel), \(swift)"
  }
}
