import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc

/// Names the processes that hold locks on files, if the system tells.
enum LockHolders {
  static func description(of files: [stat]) -> String {
    let numbers = processes(holding: files).sorted()
    switch numbers.count {
    case 0: return "Another process"
    case 1: return "The process \(numbers[0])"
    default: return "One of the processes " + numbers.map { "\($0)" }.joined(separator: ", ")
    }
  }

  private static func processes(holding files: [stat]) -> Set<Int32> {
    guard let text = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else { return [] }
    let wanted = Set(files.map { name($0) })
    var found: Set<Int32> = []
    for line in text.split(separator: "\n") {
      // "1: FLOCK  ADVISORY  WRITE 1234 fd:00:5678 0 EOF"; a waiting process has an arrow after the number.
      let words = line.split(separator: " ")
      guard words.count > 5, words[1] != "->", let process = Int32(words[4]), process > 0, process != getpid(),
        wanted.contains(String(words[5]))
      else { continue }
      found.insert(process)
    }
    return found
  }

  private static func name(_ file: stat) -> String {
    let device = UInt64(file.st_dev)
    let major = UInt8(truncatingIfNeeded: device >> 8)
    let minor = UInt8(truncatingIfNeeded: device & 0xFF | device >> 12 & 0xF00)
    return "\(hexadecimal([major])):\(hexadecimal([minor])):\(file.st_ino)"
  }
}
